/// One value being written as a record: the state that its encoders and containers share.
///
/// Codable lets a type write its members in any order, ask for a container again, and keep one while
/// it writes something else. So nothing is written in its final place. The bytes of every scalar are
/// appended to one buffer, and ``RecordParts`` notes for each which frame and which slot they belong
/// to. ``RecordEmitter`` copies them in the order of the layout when the value is complete.
final class RecordEncoding {
  let tables: LayoutTables
  /// What the caller passes to the types that encode themselves.
  var userInfo: [CodingUserInfoKey: Any] = [:]
  private(set) var parts: RecordParts
  private(set) var keyTypes: KeyTypes
  /// An error that occurred where the protocols of Codable cannot throw.
  private var failure: RecordError?
  private var calls = 0

  init(_ layout: Layout, keyTypes: KeyTypes, reusing parts: consuming RecordParts) {
    tables = layout.tables
    self.keyTypes = keyTypes
    self.parts = parts
  }

  /// Encodes the value at the top, as frame 0.
  ///
  /// - Parameters:
  ///   - shape: what the layout has for the value, if it is a part of a record.
  ///   - depth: how deep the value is in the record.
  ///   - spelling: how its texts are stored.
  /// - Throws: what the value's `encode(to:)` throws, `RecordError.tooDeep`,
  ///   `RecordError.conflictingContainers`.
  func encode(
    _ value: some Encodable,
    _ spelling: Spelling = .asGiven,
    as shape: LayoutTables.Shape = .top,
    depth: Int = 1
  ) throws {
    parts.openTop(shape, depth: depth, spelling)
    let top = RecordEncoder(encoding: self, frame: 0)
    if let leaf = RecordValue(leaf: value) {
      top.put(leaf)
    } else {
      try encode(value, to: top)
    }
    if let failure { throw failure }
  }

  /// The parts, once; an encoder that is used afterwards writes nothing.
  func takeParts() -> RecordParts {
    var taken = RecordParts()
    swap(&taken, &parts)
    taken.sort()
    taken.sortUnordered(tables)
    return taken
  }

  /// Lets a value write itself.
  func encode<Value: Encodable>(_ value: Value, to encoder: RecordEncoder) throws {
    guard RecordLimits.allow(calls: calls),
      RecordLimits.allow(depth: parts.depth(of: encoder.frame))
    else {
      // Also for a type that catches the error.
      fail(.tooDeep)
      throw RecordError.tooDeep
    }
    calls += 1
    defer { calls -= 1 }
    parts.note(Value.self, encoder.frame, tables)
    try value.encode(to: encoder)
  }

  private func fail(_ error: RecordError) {
    failure = failure ?? error
  }
}

extension RecordEncoding {
  /// The place of a member; O(1), and without hashing when members come in the layout's order.
  @inline(__always)
  func place(of key: some CodingKey, in frame: Int) -> RecordParts.Place {
    let name = key.stringValue
    if let slot = parts.slot(named: name, in: frame, tables) { return .slot(slot) }
    return extraPlace(name, key, in: frame)
  }

  /// The place of a member that is known by its name alone.
  func place(named name: String, in frame: Int) -> RecordParts.Place {
    if let slot = parts.slot(named: name, in: frame, tables) { return .slot(slot) }
    return .extra(parts.addName(name, in: frame), isStatic: false)
  }

  private func extraPlace(
    _ name: String,
    _ key: some CodingKey,
    in frame: Int
  ) -> RecordParts.Place {
    .extra(parts.addName(name, in: frame), isStatic: keyTypes.isStatic(key))
  }

  @inline(__always)
  func put(
    _ scalar: Scalar,
    at place: RecordParts.Place,
    in frame: Int,
    _ append: (inout [UInt8]) -> Void
  ) {
    parts.put(scalar, at: place, in: frame, append)
  }

  func put(_ leaf: RecordValue, at place: RecordParts.Place, in frame: Int) {
    guard let scalar = leaf.scalar else { return parts.add(.null, at: place, in: frame) }
    parts.put(scalar, at: place, in: frame) { leaf.appendPayload(to: &$0) }
  }

  func add(_ item: RecordParts.Item, at place: RecordParts.Place, in frame: Int) {
    parts.add(item, at: place, in: frame)
  }

  /// Notes an optional without a value: it writes nothing, and the layout learns that it exists.
  func addAbsent(at place: RecordParts.Place, in frame: Int) {
    parts.addAbsent(at: place, in: frame)
  }

  /// The place of the next element.
  func nextPlace(in frame: Int) -> RecordParts.Place { .slot(parts.count(of: frame)) }

  /// Writes a value that has parts, as a frame of its own.
  func put(_ value: some Encodable, inFrameAt place: RecordParts.Place, in frame: Int) throws {
    let part = open(at: place, in: frame)
    try encode(value, to: part)
    parts.add(.frame(part.frame), at: place, in: frame)
  }

  /// An encoder for a part.
  func open(at place: RecordParts.Place, in frame: Int) -> RecordEncoder {
    if parts.depth(of: frame) >= RecordLimits.depth { fail(.tooDeep) }
    return RecordEncoder(encoding: self, frame: parts.open(at: place, in: frame, tables))
  }

  /// A container asked for again is the same container; one of another form takes its place.
  func nested(
    _ form: RecordParts.Form,
    at place: RecordParts.Place,
    in frame: Int
  ) -> RecordEncoder {
    if let earlier = parts.frame(at: place, in: frame), parts.form(of: earlier) == form {
      return RecordEncoder(encoding: self, frame: earlier)
    }
    return superEncoder(at: place, in: frame)
  }

  func superEncoder(at place: RecordParts.Place, in frame: Int) -> RecordEncoder {
    let part = open(at: place, in: frame)
    parts.add(.frame(part.frame), at: place, in: frame)
    return part
  }

  /// Writes a value of unknown type that refers to entities.
  func put(
    stored value: RecordValue,
    to references: ReferencedTables,
    at place: RecordParts.Place,
    in frame: Int
  ) {
    let value = value.composed(at: references)
    put(stored: value, at: place, in: frame)
    if parts.frame(at: place, in: frame) == nil {
      // Only a frame can have references: a value without parts gets one.
      let part = superEncoder(at: place, in: frame).frame
      become(.single, part)
      put(value, at: .slot(0), in: part)
    }
    if let part = parts.frame(at: place, in: frame) { parts.noteReferences(references, part) }
  }

  /// Writes the stored value of a field of a layout, and keeps the references that the layout notes for it.
  func put(
    stored value: RecordValue,
    like field: Layout.Field?,
    at place: RecordParts.Place,
    in frame: Int
  ) {
    if let references = field?.references {
      put(stored: value, to: references, at: place, in: frame)
      return
    }
    switch (value, field?.kind) {
    case (.object(let members), .record(let fields)):
      let part = superEncoder(at: place, in: frame).frame
      become(.keyed, part)
      let known = Dictionary(fields.lazy.map { ($0.name, $0) }) { first, _ in first }
      for member in members {
        let place = self.place(named: member.name, in: part)
        put(stored: member.value, like: known[member.name], at: place, in: part)
      }
    case (.array(let elements), .array(of: let kind)):
      let part = superEncoder(at: place, in: frame).frame
      become(.unkeyed, part)
      for element in elements {
        put(stored: element, like: Layout.Field("", kind), at: nextPlace(in: part), in: part)
      }
    default: put(stored: value, at: place, in: frame)
    }
  }

  func become(_ form: RecordParts.Form, _ frame: Int) {
    if !parts.become(form, frame) { fail(.conflictingContainers) }
  }
}

/// Which types of coding keys name the parts of a type, and which carry content.
///
/// The cases of an enum are written in the program, so a layout may list them; any other key may be
/// content (the keys of a dictionary are), and listing those would grow layouts without end.
struct KeyTypes: Sendable {
  private var known: [(type: ObjectIdentifier, isStatic: Bool)] = []

  mutating func isStatic<Key: CodingKey>(_ key: Key) -> Bool {
    let type = ObjectIdentifier(Key.self)
    if let entry = known.first(where: { $0.type == type }) { return entry.isStatic }
    let isStatic = Mirror(reflecting: key).displayStyle == .enum
    known.append((type, isStatic))
    return isStatic
  }
}
