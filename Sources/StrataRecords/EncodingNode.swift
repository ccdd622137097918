/// One value being encoded: the encoder that its type writes to, and what it has written.
///
/// Codable lets a type ask for its containers in any order, again, and after its siblings, so a value
/// becomes a tree of nodes first and bytes afterwards. A node that stands where its layout has a
/// record keeps the members the layout lists in `slots`, in the layout's order, without their names.
final class EncodingNode {
  /// What a type has asked its encoder for.
  enum Form {
    case nothing, single, keyed, unkeyed
  }

  /// What stands in a slot.
  enum Item {
    /// Not written, or an optional without a value.
    case absent
    /// A scalar or null.
    case value(RecordValue)
    case node(EncodingNode)
  }

  /// A member that the layout does not list.
  struct Extra {
    let name: String
    let isStatic: Bool
    var item: Item
  }

  /// Where a member of a keyed node is kept.
  enum Place {
    case slot(Int)
    case extra(Int)
  }

  let session: EncodingSession
  let shape: LayoutTables.Shape
  let depth: Int
  private let key: (any CodingKey)?
  private let above: CodingTrail?
  /// The way to this value, made when a part of it or its coding path is asked for.
  private(set) lazy var trail = key.map { CodingTrail($0, after: above) }
  private(set) var form = Form.nothing
  /// One per field of the layout's record when keyed, one per element when unkeyed.
  private(set) var slots: [Item] = []
  /// The other members when keyed, each name once, in the order they were first named in.
  private(set) var extras: [Extra] = []
  private var extraNamed: [String: Int] = [:]
  /// The names of the slots when keyed.
  private var names: [String] = []
  private var nextSlot = 0
  /// What was written when single.
  private var single = Item.absent

  /// A node for the value at the top.
  init(top session: EncodingSession) {
    self.session = session
    shape = .record(table: 0)
    depth = 1
    (key, above) = (nil, nil)
  }

  private init(_ shape: LayoutTables.Shape, _ key: any CodingKey, in parent: EncodingNode) {
    session = parent.session
    self.shape = shape
    self.key = key
    above = parent.trail
    depth = parent.depth + 1
  }

  /// The layout's record at this node, if it has one here.
  var table: LayoutTables.Table? {
    guard case .record(let table) = shape else { return nil }
    return session.layout.tables.records[table]
  }

  /// What the type has written in the end: the value itself when it was a single one, an empty object
  /// when it asked for no container.
  func settled() -> Item {
    if form == .nothing { become(.keyed) }
    return form == .single ? single : .node(self)
  }

  func become(_ form: Form) {
    guard self.form != form else { return }
    guard self.form == .nothing else { return session.fail(.conflictingContainers) }
    self.form = form
    if form == .unkeyed { slots.reserveCapacity(4) }
    guard form == .keyed, let table else { return }
    names = table.names
    slots = Array(repeating: .absent, count: names.count)
  }

  func setSingle(_ value: RecordValue) {
    guard form == .nothing else { return session.fail(.conflictingContainers) }
    form = .single
    single = .value(value)
  }
}

extension EncodingNode.Item {
  /// The item, or what was written in the end to a node that was handed out.
  func settled() -> EncodingNode.Item {
    guard case .node(let node) = self else { return self }
    return node.settled()
  }
}

extension EncodingNode {
  /// The item at a place.
  subscript(place: Place) -> Item {
    get {
      switch place {
      case .slot(let index): slots[index]
      case .extra(let index): extras[index].item
      }
    }
    set {
      switch place {
      case .slot(let index): slots[index] = newValue
      case .extra(let index): extras[index].item = newValue
      }
    }
  }

  /// The place of a member, made when it has none.
  ///
  /// O(1), and without hashing when members come in the layout's order.
  func place(for key: some CodingKey) -> Place {
    let name = key.stringValue
    if let slot = slot(named: name) { return .slot(slot) }
    return .extra(extra(named: name, key))
  }

  /// Puts a value in the slot of that name; false when there is no such slot.
  func put(_ value: RecordValue, named name: String) -> Bool {
    guard let slot = slot(named: name) else { return false }
    slots[slot] = .value(value)
    return true
  }

  private func slot(named name: String) -> Int? {
    guard form == .keyed, case .record(let number) = shape else { return nil }
    let next = nextSlot
    if next < names.count, names[next] == name {
      nextSlot = next + 1
      return next
    }
    guard let slot = session.layout.tables.records[number].fieldNamed[name] else { return nil }
    nextSlot = slot + 1
    return slot
  }

  private func extra(named name: String, _ key: some CodingKey) -> Int {
    let few = 8
    if extras.count <= few {
      if let index = extras.firstIndex(where: { $0.name == name }) { return index }
    } else if let index = extraNamed[name] {
      return index
    }
    extras.append(Extra(name: name, isStatic: session.isStatic(key), item: .absent))
    if extras.count > few {
      if extraNamed.isEmpty {
        for (index, extra) in extras.enumerated() { extraNamed[extra.name] = index }
      } else {
        extraNamed[name] = extras.count - 1
      }
    }
    return extras.count - 1
  }

  func append(_ item: Item) {
    slots.append(item)
  }

  func append(_ value: RecordValue) {
    slots.append(.value(value))
  }

  /// A node for a member, expecting what the layout has at its place.
  func child(at place: Place, _ key: some CodingKey) -> EncodingNode {
    var shape = LayoutTables.Shape.tagged
    if case .slot(let slot) = place, case .record(let number) = self.shape {
      shape = session.layout.tables.records[number].shapes[slot]
    }
    return child(shape, key)
  }

  /// A node for the next element.
  func childElement() -> EncodingNode {
    var shape = LayoutTables.Shape.tagged
    if case .array(let element) = self.shape { shape = session.layout.tables.elements[element] }
    return child(shape, PlaceKey.index(slots.count))
  }

  private func child(_ shape: LayoutTables.Shape, _ key: some CodingKey) -> EncodingNode {
    if depth >= RecordLimits.depth { session.fail(.tooDeep) }
    return EncodingNode(shape, key, in: self)
  }

  /// Encodes a value into a node of its own, and gives what came of it.
  func item(_ value: some Encodable, in child: EncodingNode) throws -> Item {
    try session.encode(value, to: child)
    return child.settled()
  }
}
