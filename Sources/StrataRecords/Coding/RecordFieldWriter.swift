internal import Foundation

/// The fields of a record, for the `encode(record:)` of a ``RecordCodable`` type.
///
/// Each field is written once, in the order of `Codable`. Whatever the layout of the table does not
/// expect ends the fast path: the record is then encoded by `Codable`, and the layout may grow by it.
public struct RecordFieldWriter: ~Copyable {
  private let writing: UnsafeMutablePointer<FieldWriting>
  /// Where the record starts, with its map.
  private let map: Int
  /// The number of the record in the layout.
  private let record: Int
  /// The number of its first field, and of the one that may be written next.
  private let first: Int
  private var next: Int
  private let depth: Int

  /// A writer of a record, whose map is appended here.
  fileprivate init(_ writing: UnsafeMutablePointer<FieldWriting>, record: Int, depth: Int) {
    self.writing = writing
    self.record = record
    self.depth = depth
    let span = writing.pointee.plan.spans[record]
    first = span.lowerBound
    next = span.lowerBound
    map = writing.pointee.bytes.count
    for _ in 0..<span.count / 4 + 1 { writing.pointee.bytes.append(0) }
    if !RecordLimits.allow(depth: depth) { refuse() }
  }

  /// Ends the fast path.
  private func refuse() { writing.pointee.isRefused = true }

  /// The field of that name, if it may be written now.
  @inline(__always)
  private mutating func field(_ name: StaticString) -> Int? {
    guard let field = writing.pointee.plan.field(name, from: next, in: record) else {
      refuse()
      return nil
    }
    next = field + 1
    return field
  }

  /// Notes a value of this kind in the map; false if the layout expects another kind.
  @inline(__always)
  private mutating func begin(_ name: StaticString, _ kind: ValueKind) -> Bool {
    guard let field = field(name) else { return false }
    guard writing.pointee.plan.shapes[field].kind == kind,
      writing.pointee.plan.refersToNothing(field)
    else {
      refuse()
      return false
    }
    note(2, field)
    return true
  }

  @inline(__always)
  private func note(_ presence: UInt8, _ field: Int) {
    let slot = field - first + 1
    writing.pointee.bytes[map + slot / 4] |= presence << (slot % 4 * 2)
  }

  /// The shape of the elements of the field that was written last.
  private var element: LayoutTables.Shape {
    writing.pointee.plan.tables.elements[writing.pointee.plan.shapes[next - 1].index]
  }

  /// Notes an optional without a value: it takes no bytes.
  private mutating func addAbsent(_ name: StaticString) { _ = field(name) }
}

/// Values of the commonest kinds.
extension RecordFieldWriter {
  /// Writes a text.
  public mutating func encode(_ field: StaticString, _ value: String) {
    if begin(field, .string) { writing.pointee.bytes.appendText(value) }
  }

  /// Writes a text, or nothing.
  public mutating func encodeIfPresent(_ field: StaticString, _ value: String?) {
    if let value { encode(field, value) } else { addAbsent(field) }
  }

  /// Writes an integer.
  public mutating func encode(_ field: StaticString, _ value: Int) {
    encode(field, Int64(value))
  }

  /// Writes an integer, or nothing.
  public mutating func encodeIfPresent(_ field: StaticString, _ value: Int?) {
    if let value { encode(field, value) } else { addAbsent(field) }
  }

  /// Writes an integer.
  public mutating func encode(_ field: StaticString, _ value: Int64) {
    if begin(field, .int64) { writing.pointee.bytes.appendZigzag(value) }
  }

  /// Writes an integer, or nothing.
  public mutating func encodeIfPresent(_ field: StaticString, _ value: Int64?) {
    if let value { encode(field, value) } else { addAbsent(field) }
  }

  /// Writes a number.
  public mutating func encode(_ field: StaticString, _ value: Double) {
    if begin(field, .double) { writing.pointee.bytes.appendFixed(value.bitPattern) }
  }

  /// Writes a number, or nothing.
  public mutating func encodeIfPresent(_ field: StaticString, _ value: Double?) {
    if let value { encode(field, value) } else { addAbsent(field) }
  }

  /// Writes true or false.
  public mutating func encode(_ field: StaticString, _ value: Bool) {
    if begin(field, .bool) { writing.pointee.bytes.append(value ? 1 : 0) }
  }

  /// Writes true or false, or nothing.
  public mutating func encodeIfPresent(_ field: StaticString, _ value: Bool?) {
    if let value { encode(field, value) } else { addAbsent(field) }
  }

  /// Writes an array of texts.
  public mutating func encode(_ field: StaticString, _ value: [String]) {
    guard begin(field, value, of: .string) else { return }
    for element in value { writing.pointee.bytes.appendText(element) }
  }

  /// Writes an array of integers.
  public mutating func encode(_ field: StaticString, _ value: [Int]) {
    guard begin(field, value, of: .int64) else { return }
    for element in value { writing.pointee.bytes.appendZigzag(Int64(element)) }
  }

  /// Writes an array of numbers.
  public mutating func encode(_ field: StaticString, _ value: [Double]) {
    guard begin(field, value, of: .double) else { return }
    for element in value { writing.pointee.bytes.appendFixed(element.bitPattern) }
  }

  /// Appends the count of an array; false if the layout expects other elements.
  @inline(__always)
  private mutating func begin<Element>(
    _ field: StaticString,
    _ value: [Element],
    of kind: ValueKind
  ) -> Bool {
    guard begin(field, .array) else { return false }
    guard value.isEmpty || element.kind == kind, RecordLimits.allow(depth: depth + 1) else {
      refuse()
      return false
    }
    writing.pointee.bytes.appendVarint(UInt64(value.count) << 1)
    return true
  }
}

/// Values with fields of their own.
extension RecordFieldWriter {
  /// Writes a value that writes its fields by hand too.
  public mutating func encode<Value: RecordCodable>(_ field: StaticString, _ value: Value) {
    guard begin(field, .record) else { return }
    nested(value, writing.pointee.plan.shapes[next - 1], depth: depth + 1)
  }

  /// Writes a value that writes its fields by hand too, or nothing.
  public mutating func encodeIfPresent<Value: RecordCodable>(
    _ field: StaticString,
    _ value: Value?
  ) {
    if let value { encode(field, value) } else { addAbsent(field) }
  }

  /// Writes an array of values that write their fields by hand too.
  public mutating func encode<Value: RecordCodable>(_ field: StaticString, _ value: [Value]) {
    guard begin(field, value, of: .record) else { return }
    let element = element
    for value in value { nested(value, element, depth: depth + 2) }
  }

  private mutating func nested(
    _ value: some RecordCodable,
    _ shape: LayoutTables.Shape,
    depth: Int
  ) {
    nested(shape, depth: depth) { try value.encode(record: &$0) }
  }

  @inline(__always)
  private mutating func nested(
    _ shape: LayoutTables.Shape,
    depth: Int,
    _ write: (inout RecordFieldWriter) throws -> Void
  ) {
    if writing.pointee.isRefused { return }
    var fields = RecordFieldWriter(writing, record: shape.index, depth: depth)
    do { try write(&fields) } catch _ { refuse() }
  }
}

/// The cases of an enum, as synthesized `Codable` writes them: a field for each case. The present case has
/// the associated values as fields of its own.
extension RecordFieldWriter {
  /// Writes a case with associated values.
  ///
  /// ```swift
  /// case .member(let since): record.encodeCase("member") { $0.encode("since", since) }
  /// ```
  public mutating func encodeCase(
    _ name: StaticString,
    _ write: (inout RecordFieldWriter) throws -> Void
  ) {
    guard let field = find(case: name) else { return }
    let shape = writing.pointee.plan.shapes[field]
    guard shape.kind == .record else { return refuse() }
    note(2, field)
    nested(shape, depth: depth + 1, write)
  }

  /// Writes a case without associated values.
  public mutating func encodeCase(_ name: StaticString) {
    guard let field = find(case: name) else { return }
    let shape = writing.pointee.plan.shapes[field]
    if shape.kind == .record {
      note(2, field)
      return nested(shape, depth: depth + 1) { _ in }
    }
    // Until a record of the table has associated values there, the layout does not describe them.
    guard RecordLimits.allow(depth: depth + 1) else { return refuse() }
    note(shape.kind == .tagged ? 2 : 3, field)
    writing.pointee.bytes.append(ValueKind.object.rawValue)
    writing.pointee.bytes.appendVarint(0)
  }

  /// The field of a case, if nothing was written before.
  private mutating func find(case name: StaticString) -> Int? {
    guard let field = writing.pointee.plan.field(ofCase: name, in: record), next == first,
      writing.pointee.plan.refersToNothing(field)
    else {
      refuse()
      return nil
    }
    next = writing.pointee.plan.spans[record].upperBound
    return field
  }
}

/// Values of any type.
extension RecordFieldWriter {
  /// Writes a value of any type: numbers of other widths, dates, UUIDs, data, URLs and decimals as they
  /// are stored, any other type by its `encode(to:)`.
  @inlinable
  public mutating func encode<Value: Codable>(_ field: StaticString, _ value: Value) {
    // When specialized, these conditions are constants, also for the raw value of an ID.
    if Value.self == Int64.self { return encode(field, unsafeBitCast(value, to: Int64.self)) }
    if Value.self == String.self { return encode(field, unsafeBitCast(value, to: String.self)) }
    encodeAny(field, value)
  }

  @usableFromInline
  mutating func encodeAny<Value: Codable>(_ field: StaticString, _ value: Value) {
    encode(field, value, as: Value.self, .asGiven)
  }

  /// Writes a value in place of one of type `Reference`, which determines what the field refers to.
  package mutating func encode<Value: Codable, Reference>(
    _ field: StaticString,
    _ value: Value,
    as type: Reference.Type,
    _ spelling: Spelling
  ) {
    guard let number = self.field(field) else { return }
    guard writing.pointee.plan.refers(number, as: type) else { return refuse() }
    let shape = writing.pointee.plan.shapes[number]
    guard var leaf = RecordValue(leaf: value) else {
      guard let presence = writing.pointee.append(value, spelling, shape, depth: depth + 1) else {
        return refuse()
      }
      return note(presence, number)
    }
    if spelling == .composed { leaf = leaf.composed }
    guard let scalar = leaf.scalar, scalar.rawValue == shape.kind.rawValue else { return refuse() }
    note(2, number)
    leaf.appendPayload(to: &writing.pointee.bytes)
  }

  /// Writes a value of any type, or nothing.
  public mutating func encodeIfPresent<Value: Codable>(_ field: StaticString, _ value: Value?) {
    if let value { encode(field, value) } else { addAbsent(field) }
  }
}

/// The record that is being written, shared by its writer and those of nested records.
struct FieldWriting: Sendable {
  var plan: FieldPlan
  var bytes: [UInt8] = []
  /// Whether the record is to be encoded by `Codable`.
  var isRefused = false
  private let layout: Layout
  private var keyTypes = KeyTypes()
  /// The buffers of the last value that `Codable` has written, reused for the next one.
  private var room = RecordParts()

  init(_ layout: Layout) {
    self.layout = layout
    plan = FieldPlan(layout.tables)
  }

  /// Appends a record; returns false, with `bytes` unchanged, if `Codable` has to encode it.
  mutating func write<Value: RecordCodable>(
    _ type: Value.Type,
    _ value: UnsafeRawPointer,
    to bytes: inout [UInt8]
  ) -> Bool {
    swap(&self.bytes, &bytes)
    defer { swap(&self.bytes, &bytes) }
    let start = self.bytes.count
    isRefused = false
    withUnsafeMutablePointer(to: &self) { writing in
      var fields = RecordFieldWriter(writing, record: 0, depth: 1)
      do {
        try value.assumingMemoryBound(to: Value.self).pointee.encode(record: &fields)
      } catch _ { writing.pointee.isRefused = true }
    }
    if isRefused { self.bytes.removeLast(self.bytes.count - start) }
    return !isRefused
  }

  /// Appends a value as `Codable` writes it at a field, and returns the two bits for the map; nil if it
  /// does not fit the layout or cannot be encoded.
  fileprivate mutating func append(
    _ value: some Encodable,
    _ spelling: Spelling,
    _ shape: LayoutTables.Shape,
    depth: Int
  ) -> UInt8? {
    var parts = RecordParts()
    swap(&parts, &room)
    let encoding = RecordEncoding(layout, keyTypes: keyTypes, reusing: parts)
    parts = RecordParts()
    do {
      try encoding.encode(value, spelling, as: shape, depth: depth)
    } catch {
      return nil
    }
    keyTypes = encoding.keyTypes
    parts = encoding.takeParts()
    let presence = RecordEmitter.emitField(parts, layout, shape, to: &bytes)
    parts.reset()
    swap(&parts, &room)
    return presence
  }
}
