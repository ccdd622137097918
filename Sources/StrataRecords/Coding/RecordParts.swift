/// What a value has written so far: one buffer of bytes, and flat lists that describe them.
///
/// A frame is a value that has a container, or that writes a single value in place of itself. An entry
/// is one thing written to a frame: a scalar as a range of `payload`, null, or another frame. The
/// entries of a frame are linked in the order they were written in, and by ``sort()`` in the order of
/// their slots; the last one for a slot counts.
struct RecordParts: Sendable {
  /// What a type has asked its encoder for.
  enum Form {
    case nothing, single, keyed, unkeyed
  }

  /// Where in a frame something is written.
  enum Place {
    /// A field of the layout's record, by number; an element, by index.
    case slot(Int)
    /// A member that the layout does not list; the number is that of its name.
    case extra(Int, isStatic: Bool)
  }

  /// What was written.
  enum Item {
    /// Nothing: an optional without a value.
    case absent
    case null
    /// A range of the payload.
    case scalar(Scalar, start: Int, end: Int)
    case frame(Int)
  }

  struct Entry {
    let item: Item
    /// A slot, or the complement of the number of a name.
    let place: Int32
    /// The next entry of the same frame.
    var next = none
    var isStatic = false

    static let none: Int32 = -1

    /// The slot; nil for a member that the layout does not list.
    @inline(__always)
    var slot: Int? { place < 0 ? nil : Int(place) }
  }

  struct Frame {
    /// What the layout has here.
    let shape: LayoutTables.Shape
    let depth: Int32
    /// The frame around this one, and the place in it.
    let parent: Int32
    let place: Int32
    var form = Form.nothing
    /// Whether the slots were written in ascending order.
    var isOrdered = true
    var hasExtras = false
    var hasNamedFrames = false
    var first = Entry.none
    var last = Entry.none
    var count: Int32 = 0
    var lastSlot: Int32 = -1
    var nextSlot: Int32 = 0
    /// What the value refers to, as a number of `types`.
    var references = CodedTypes.none
    /// The order in which the parts of an unkeyed value are stored, if not in that of writing.
    var order: StoredOrder?
    /// How texts in the value are stored.
    var spelling = Spelling.asGiven
  }

  /// A member that the layout does not list.
  struct Member {
    let name: String
    let isStatic: Bool
    var item: Item
  }

  private struct FrameName: Hashable {
    let frame: Int
    let name: String
  }

  private(set) var payload: [UInt8] = []
  private(set) var entries: [Entry] = []
  private(set) var frames: [Frame] = []
  private var names: [String] = []
  /// The current containers of members outside the layout, for a type that asks for one again.
  private var namedFrames: [FrameName: Int] = [:]
  /// The frames of values whose parts have no order of their own, outer ones first.
  private var unordered: [Int] = []
  /// Kept from value to value.
  private var types = CodedTypes()

  /// Clears what was written and keeps the capacity, unless it is unusually large.
  mutating func reset() {
    let most = 1 << 16
    payload.removeAll(keepingCapacity: payload.capacity <= most)
    entries.removeAll(keepingCapacity: entries.capacity <= most)
    frames.removeAll(keepingCapacity: frames.capacity <= most)
    names.removeAll(keepingCapacity: names.capacity <= most)
    if !namedFrames.isEmpty { namedFrames = [:] }
    if !unordered.isEmpty { unordered = [] }
  }
}

/// Writing.
extension RecordParts {
  /// Opens the frame at the top, which expects a record unless another shape is given.
  mutating func openTop(
    _ shape: LayoutTables.Shape,
    depth: Int,
    _ spelling: Spelling
  ) {
    var frame = Frame(shape: shape, depth: Int32(depth), parent: -1, place: 0)
    frame.spelling = spelling
    frames.append(frame)
  }

  /// Opens a frame for a part, which expects what the layout has at its place.
  mutating func open(at place: Place, in parent: Int, _ tables: LayoutTables) -> Int {
    guard parent < frames.count else { return parent }
    var shape = LayoutTables.Shape.tagged
    let around = frames[parent].shape
    switch (place, frames[parent].form, around.kind) {
    case (.slot(let slot), .keyed, .record): shape = tables.records[around.index].shapes[slot]
    case (.slot, .unkeyed, .array): shape = tables.elements[around.index]
    default: break
    }
    var frame = Frame(
      shape: shape,
      depth: frames[parent].depth + 1,
      parent: Int32(parent),
      place: place.number
    )
    frame.spelling = frames[parent].spelling
    frames.append(frame)
    return frames.count - 1
  }

  /// Gives a frame its form; false when it has another one.
  mutating func become(_ form: Form, _ frame: Int) -> Bool {
    guard frame < frames.count else { return true }
    let now = frames[frame].form
    if now == .nothing { frames[frame].form = form }
    return now == .nothing || now == form && form != .single
  }

  /// The slot of that name, if the layout has one here.
  @inline(__always)
  mutating func slot(named name: String, in frame: Int, _ tables: LayoutTables) -> Int? {
    guard frame < frames.count, let table = frames[frame].shape.table else { return nil }
    let fields = tables.records[table]
    let next = Int(frames[frame].nextSlot)
    if next < fields.names.count, fields.names[next] == name {
      frames[frame].nextSlot = Int32(next + 1)
      return next
    }
    guard let slot = fields.fieldNamed[name] else { return nil }
    frames[frame].nextSlot = Int32(slot + 1)
    return slot
  }

  /// Notes what the type of a value says of its frame.
  @inline(__always)
  mutating func note<Value>(_ type: Value.Type, _ frame: Int, _ tables: LayoutTables) {
    guard frame < frames.count else { return }
    let traits = types.traits(of: type)
    if traits.spelling == .composed { frames[frame].spelling = .composed }
    if let order = traits.order, frames[frame].order == nil {
      frames[frame].order = order
      unordered.append(frame)
    }
    if traits.references != CodedTypes.none { note(traits.references, frame, tables) }
  }

  /// Notes what a value refers to, if it is a member of a record.
  ///
  /// The outermost type counts. The member `id` at the top is the entity's own ID and no reference.
  private mutating func note(_ references: Int32, _ frame: Int, _ tables: LayoutTables) {
    guard frame > 0, frames[frame].references == CodedTypes.none,
      frames[Int(frames[frame].parent)].form == .keyed, !isOwnID(frame, tables)
    else { return }
    frames[frame].references = references
  }

  /// Notes what a value of unknown type refers to.
  mutating func noteReferences(_ tables: ReferencedTables, _ frame: Int) {
    guard frame < frames.count else { return }
    frames[frame].references = types.number(for: tables)
  }

  private func isOwnID(_ frame: Int, _ tables: LayoutTables) -> Bool {
    guard frames[frame].parent == 0 else { return false }
    let place = Int(frames[frame].place)
    return (place < 0 ? names[~place] : tables.records[0].names[place]) == "id"
  }

  mutating func addName(_ name: String, in frame: Int) -> Int {
    let isComposed = frame < frames.count && frames[frame].spelling == .composed
    names.append(isComposed ? name.composed : name)
    return names.count - 1
  }

  /// Appends a scalar.
  @inline(__always)
  mutating func put(
    _ scalar: Scalar,
    at place: Place,
    in frame: Int,
    _ append: (inout [UInt8]) -> Void
  ) {
    let start = payload.count
    append(&payload)
    if frame < frames.count, frames[frame].spelling == .composed { compose(scalar, from: start) }
    add(.scalar(scalar, start: start, end: payload.count), at: place, in: frame)
  }

  mutating func add(_ item: Item, at place: Place, in frame: Int) {
    guard frame < frames.count else { return }
    let number = Int32(entries.count)
    switch place {
    case .slot(let slot):
      entries.append(Entry(item: item, place: Int32(slot)))
      if slot <= frames[frame].lastSlot { frames[frame].isOrdered = false }
      frames[frame].lastSlot = Int32(slot)
    case .extra(let name, let isStatic):
      entries.append(Entry(item: item, place: ~Int32(name), isStatic: isStatic))
      frames[frame].hasExtras = true
      noteFrame(item, named: names[name], in: frame)
    }
    let last = frames[frame].last
    if last == Entry.none {
      frames[frame].first = number
    } else {
      entries[Int(last)].next = number
    }
    frames[frame].last = number
    frames[frame].count += 1
  }

  private mutating func noteFrame(_ item: Item, named name: String, in frame: Int) {
    if case .frame(let nested) = item {
      namedFrames[FrameName(frame: frame, name: name)] = nested
      frames[frame].hasNamedFrames = true
    } else if frames[frame].hasNamedFrames {
      namedFrames[FrameName(frame: frame, name: name)] = nil
    }
  }

  /// Notes an optional without a value, in place of what was written there before.
  mutating func addAbsent(at place: Place, in frame: Int) {
    if case .slot(let slot) = place, frame < frames.count, slot > frames[frame].lastSlot,
      frames[frame].isOrdered
    {
      return
    }
    add(.absent, at: place, in: frame)
  }
}

/// Sorting.
extension RecordParts {
  /// Links the entries of every frame in the order of its slots, each slot once, before anything is
  /// read.
  mutating func sort() {
    for frame in frames.indices where !frames[frame].isOrdered { sort(frame) }
  }

  private mutating func sort(_ frame: Int) {
    var entryAtSlot: [Int32: Int32] = [:]
    var extras: [Int32] = []
    var number = frames[frame].first
    while number != Entry.none {
      let entry = entries[Int(number)]
      if entry.place < 0 { extras.append(number) } else { entryAtSlot[entry.place] = number }
      number = entry.next
    }
    let slots = entryAtSlot.sorted { $0.key < $1.key }.map(\.value)
    var last = Entry.none
    for number in (slots + extras).reversed() {
      entries[Int(number)].next = last
      last = number
    }
    frames[frame].first = last
    frames[frame].isOrdered = true
  }
}

/// Values that are stored alike where Swift holds them equal.
extension RecordParts {
  /// Replaces the scalar at the end of the payload by the one that is stored for all that are equal to it.
  private mutating func compose(_ scalar: Scalar, from start: Int) {
    switch scalar {
    case .string:
      guard !payload[start...].allSatisfy({ $0 < 0x80 }) else { return }
      let text = payload[start...].drop { $0 >= 0x80 }.dropFirst()
      let composed = String(decoding: text, as: UTF8.self).composed
      payload.removeLast(payload.count - start)
      payload.appendText(composed)
    case .float, .double, .date:
      // A negative zero: only the highest bit of the last byte is set.
      guard payload.last == 0x80, payload[start...].dropLast().allSatisfy({ $0 == 0 }) else {
        return
      }
      payload[payload.count - 1] = 0
    default: return
    }
  }
}

/// Collections without an order.
extension RecordParts {
  /// Links the parts of each unordered value in the order of their bytes, inner values first.
  mutating func sortUnordered(_ tables: LayoutTables) {
    for frame in unordered.reversed() where frames[frame].form == .unkeyed {
      guard let size = frames[frame].order?.groupSize else { continue }
      let sorted = groups(of: frame, size, tables)
      var last = Entry.none
      for number in sorted.reversed() {
        entries[Int(number)].next = last
        last = number
      }
      frames[frame].first = last
      if let end = sorted.last { frames[frame].last = end }
    }
  }

  /// The numbers of the entries of a frame, in groups that are sorted by their tagged bytes.
  private func groups(of frame: Int, _ size: Int, _ tables: LayoutTables) -> [Int32] {
    var numbers: [Int32] = []
    numbers.reserveCapacity(count(of: frame))
    var number = frames[frame].first
    while number != Entry.none {
      numbers.append(number)
      number = entries[Int(number)].next
    }
    // Keys and values in turn come in pairs; anything else keeps its order.
    guard numbers.count > size, numbers.count.isMultiple(of: size) else { return numbers }
    let (bytes, ends) = RecordEmitter.tagged(numbers.map { entries[Int($0)].item }, self, tables)
    var groups = Array(stride(from: 0, to: numbers.count, by: size))
    bytes.withUnsafeBytes { bytes in
      func key(_ group: Int) -> UnsafeRawBufferPointer {
        .init(rebasing: bytes[(group == 0 ? 0 : ends[group - 1])..<ends[group + size - 1]])
      }
      groups.sort { key($0).precedes(key($1)) }
    }
    return groups.flatMap { numbers[$0..<$0 + size] }
  }
}

/// Reading.
extension RecordParts {
  func depth(of frame: Int) -> Int { frame < frames.count ? Int(frames[frame].depth) : 0 }
  func form(of frame: Int) -> Form { frames[frame].form }

  /// What an item refers to, before it is resolved.
  @inline(__always)
  func references(of item: Item) -> ReferencedTables? {
    guard case .frame(let frame) = item else { return nil }
    let number = frames[frame].references
    return number == CodedTypes.none ? nil : types[number]
  }

  func count(of frame: Int) -> Int { frame < frames.count ? Int(frames[frame].count) : 0 }

  /// The frame that a place holds now.
  func frame(at place: Place, in frame: Int) -> Int? {
    guard frame < frames.count else { return nil }
    switch place {
    case .extra(let name, _):
      guard frames[frame].hasNamedFrames else { return nil }
      return namedFrames[FrameName(frame: frame, name: names[name])]
    case .slot(let slot):
      if frames[frame].isOrdered, slot > frames[frame].lastSlot { return nil }
      var found: Int?
      var next = firstEntry(of: frame)
      while let entry = next {
        if entry.place == slot {
          if case .frame(let nested) = entry.item { found = nested } else { found = nil }
        }
        next = self.entry(after: entry)
      }
      return found
    }
  }

  /// The item; for a frame that was handed out, what was finally written to it.
  @inline(__always)
  func settled(_ item: Item) -> Item {
    guard case .frame(let frame) = item, frames[frame].form == .single else { return item }
    return entries[Int(frames[frame].first)].item
  }

  /// Whether a frame is an array; else it is a record or an object.
  func isArray(_ frame: Int) -> Bool { frames[frame].form == .unkeyed }

  /// The first entry of a frame; the others follow through `next`.
  @inline(__always)
  func firstEntry(of frame: Int) -> Entry? { entry(frames[frame].first) }

  @inline(__always)
  func entry(after entry: Entry) -> Entry? { self.entry(entry.next) }

  @inline(__always)
  private func entry(_ number: Int32) -> Entry? {
    number == Entry.none ? nil : entries[Int(number)]
  }

  /// The members that the layout does not list, each once, in the order they were first named in.
  func extras(of frame: Int) -> [Member] {
    guard frames[frame].hasExtras else { return [] }
    var members: [Member] = []
    var numberNamed: [String: Int] = [:]
    var next = firstEntry(of: frame)
    while let entry = next {
      if entry.place < 0 {
        let name = names[Int(~entry.place)]
        if let earlier = numberNamed[name] {
          members[earlier].item = entry.item
        } else {
          numberNamed[name] = members.count
          members.append(Member(name: name, isStatic: entry.isStatic, item: entry.item))
        }
      }
      next = self.entry(after: entry)
    }
    return members
  }

  /// The keys from the top down to a frame; O(depth).
  func codingPath(of frame: Int, _ tables: LayoutTables) -> [any CodingKey] {
    guard frame < frames.count else { return [] }
    var keys: [any CodingKey] = []
    var part = frames[frame]
    while part.parent >= 0 {
      let parent = frames[Int(part.parent)]
      if part.place < 0 {
        keys.append(PathKey.name(names[Int(~part.place)]))
      } else if parent.form == .keyed, let table = parent.shape.table {
        keys.append(PathKey.name(tables.records[table].names[Int(part.place)]))
      } else {
        keys.append(PathKey.index(Int(part.place)))
      }
      part = parent
    }
    return keys.reversed()
  }
}

extension RecordParts.Place {
  fileprivate var number: Int32 {
    switch self {
    case .slot(let slot): Int32(slot)
    case .extra(let name, _): ~Int32(name)
    }
  }
}
