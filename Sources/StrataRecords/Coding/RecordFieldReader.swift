internal import Foundation

/// The fields of a record, for the `init(record:)` of a ``RecordCodable`` type.
///
/// Each field is read once, in the order in which the fields are written. A name that comes earlier in
/// the record, or a value of another kind, ends the fast path: the record is then decoded by `Codable`.
/// Fields that are not asked for are skipped.
public struct RecordFieldReader: ~Copyable {
  private let reading: UnsafeMutablePointer<FieldReading>
  private var cursor: ByteCursor
  /// Where the record starts, with its map.
  private let map: Int
  /// The number of the record in the layout.
  private let record: Int
  /// The number of its first field, and of the one at the cursor.
  private let first: Int
  private var next: Int
  private let depth: Int

  /// A reader at the beginning of a record.
  fileprivate init(
    _ reading: UnsafeMutablePointer<FieldReading>,
    _ cursor: ByteCursor,
    record: Int,
    depth: Int
  ) throws {
    self.reading = reading
    self.record = record
    self.depth = depth
    map = cursor.offset
    first = reading.pointee.plan.spans[record].lowerBound
    next = first
    self.cursor = cursor
    guard RecordLimits.allow(depth: depth) else { throw CodedByCodable() }
    try self.cursor.skip(reading.pointee.plan.spans[record].count / 4 + 1)
    guard cursor.presence(0, map: map) == 0 else { throw CodedByCodable() }
  }

  /// Skips the fields that were not read, and returns a cursor behind the record.
  fileprivate mutating func end() throws -> ByteCursor {
    try skip(to: reading.pointee.plan.spans[record].upperBound)
    return cursor
  }

  private mutating func skip(to field: Int) throws {
    guard next < field else { return }
    let scan = RecordScan(reading.pointee.plan.tables, texts: .utf8)
    while next < field {
      let shape = reading.pointee.plan.shapes[next]
      try scan.field(next - first, shape, map, &cursor, depth: depth)
      next += 1
    }
  }

  /// Ends the fast path, also for a caller that ignores the error.
  private func refuse() -> CodedByCodable {
    reading.pointee.isRefused = true
    return CodedByCodable()
  }

  /// Moves the cursor to a field and returns its shape; nil if the field is absent or null.
  @inline(__always)
  private mutating func value(_ name: StaticString) throws -> LayoutTables.Shape? {
    guard let field = reading.pointee.plan.field(name, from: next, in: record) else {
      // The layout of an earlier build may lack a field. A field that it has was passed already.
      if reading.pointee.plan.hasField(name, in: record) { throw refuse() }
      return nil
    }
    if field > next { try skip(to: field) }
    next = field + 1
    switch cursor.presence(field - first + 1, map: map) {
    case 0, 1: return nil
    case 2: return reading.pointee.plan.shapes[field]
    default: throw refuse()
    }
  }

  /// Moves the cursor to the value of a field of this kind.
  @inline(__always)
  private mutating func find(_ name: StaticString, _ kind: ValueKind) throws {
    guard let shape = try value(name), shape.kind == kind else { throw refuse() }
  }

  /// The same for a field that may be absent or null; false if it is.
  @inline(__always)
  private mutating func findIfPresent(_ name: StaticString, _ kind: ValueKind) throws -> Bool {
    guard let shape = try value(name) else { return false }
    guard shape.kind == kind else { throw refuse() }
    return true
  }

  @inline(__always)
  private mutating func text() throws -> String {
    String(decoding: try cursor.utf8Bytes(), as: UTF8.self)
  }

  /// A number that `Int` holds, which has 32 bits on some watches.
  @inline(__always)
  private mutating func integer() throws -> Int {
    guard let number = Int(exactly: try cursor.zigzag()) else { throw refuse() }
    return number
  }

  @inline(__always)
  private mutating func bool() throws -> Bool {
    let byte = try cursor.byte()
    guard byte < 2 else { throw refuse() }
    return byte == 1
  }
}

/// Values of the commonest kinds.
extension RecordFieldReader {
  /// Reads a text.
  public mutating func decode(_ field: StaticString) throws -> String {
    try find(field, .string)
    return try text()
  }

  /// Reads a text, or nil.
  public mutating func decodeIfPresent(_ field: StaticString) throws -> String? {
    try findIfPresent(field, .string) ? try text() : nil
  }

  /// Reads an integer.
  public mutating func decode(_ field: StaticString) throws -> Int {
    try find(field, .int64)
    return try integer()
  }

  /// Reads an integer, or nil.
  public mutating func decodeIfPresent(_ field: StaticString) throws -> Int? {
    try findIfPresent(field, .int64) ? try integer() : nil
  }

  /// Reads an integer.
  public mutating func decode(_ field: StaticString) throws -> Int64 {
    try find(field, .int64)
    return try cursor.zigzag()
  }

  /// Reads an integer, or nil.
  public mutating func decodeIfPresent(_ field: StaticString) throws -> Int64? {
    try findIfPresent(field, .int64) ? try cursor.zigzag() : nil
  }

  /// Reads a number.
  public mutating func decode(_ field: StaticString) throws -> Double {
    try find(field, .double)
    return Double(bitPattern: try cursor.fixed(UInt64.self))
  }

  /// Reads a number, or nil.
  public mutating func decodeIfPresent(_ field: StaticString) throws -> Double? {
    try findIfPresent(field, .double) ? Double(bitPattern: try cursor.fixed(UInt64.self)) : nil
  }

  /// Reads true or false.
  public mutating func decode(_ field: StaticString) throws -> Bool {
    try find(field, .bool)
    return try bool()
  }

  /// Reads true or false, or nil.
  public mutating func decodeIfPresent(_ field: StaticString) throws -> Bool? {
    try findIfPresent(field, .bool) ? try bool() : nil
  }

  /// Reads an array of texts.
  public mutating func decode(_ field: StaticString) throws -> [String] {
    try elements(field, of: .string) { reader in try reader.text() }
  }

  /// Reads an array of integers.
  public mutating func decode(_ field: StaticString) throws -> [Int] {
    try elements(field, of: .int64) { reader in try reader.integer() }
  }

  /// Reads an array of numbers.
  public mutating func decode(_ field: StaticString) throws -> [Double] {
    try elements(field, of: .double) { Double(bitPattern: try $0.cursor.fixed(UInt64.self)) }
  }

  @inline(__always)
  private mutating func elements<Element>(
    _ field: StaticString,
    of kind: ValueKind,
    _ read: (inout RecordFieldReader) throws -> Element
  ) throws -> [Element] {
    try find(field, .array)
    let element = reading.pointee.plan.tables.elements[reading.pointee.plan.shapes[next - 1].index]
    let (count, isTagged) = try cursor.arrayHeader()
    guard count > 0 else { return [] }
    guard !isTagged, element.kind == kind, RecordLimits.allow(depth: depth + 1) else {
      throw refuse()
    }
    var elements: [Element] = []
    elements.reserveCapacity(count)
    for _ in 0..<count { elements.append(try read(&self)) }
    return elements
  }
}

/// Values with fields of their own.
extension RecordFieldReader {
  /// Reads a value that reads its fields by hand too.
  public mutating func decode<Value: RecordCodable>(
    _ field: StaticString,
    as type: Value.Type = Value.self
  ) throws -> Value {
    guard let shape = try value(field), shape.kind == .record else { throw refuse() }
    return try nested(shape)
  }

  /// Reads a value that reads its fields by hand too, or nil.
  public mutating func decodeIfPresent<Value: RecordCodable>(
    _ field: StaticString,
    as type: Value.Type = Value.self
  ) throws -> Value? {
    guard let shape = try value(field) else { return nil }
    guard shape.kind == .record else { throw refuse() }
    return try nested(shape)
  }

  /// Reads an array of values that read their fields by hand too.
  public mutating func decode<Value: RecordCodable>(
    _ field: StaticString,
    as type: [Value].Type = [Value].self
  ) throws -> [Value] {
    try find(field, .array)
    let element = reading.pointee.plan.tables.elements[reading.pointee.plan.shapes[next - 1].index]
    let (count, isTagged) = try cursor.arrayHeader()
    guard count > 0 else { return [] }
    guard !isTagged, element.kind == .record else { throw refuse() }
    var values: [Value] = []
    // The count may be damaged, so no more room is reserved.
    values.reserveCapacity(min(count, 256))
    for _ in 0..<count { values.append(try nested(element, depth: depth + 2)) }
    return values
  }

  private mutating func nested<Value: RecordCodable>(
    _ shape: LayoutTables.Shape,
    depth: Int? = nil
  ) throws -> Value {
    try nested(shape, depth: depth ?? self.depth + 1) { try Value(record: &$0) }
  }

  @inline(__always)
  private mutating func nested<Value>(
    _ shape: LayoutTables.Shape,
    depth: Int,
    _ read: (inout RecordFieldReader) throws -> Value
  ) throws -> Value {
    var fields = try RecordFieldReader(reading, cursor, record: shape.index, depth: depth)
    let value = try read(&fields)
    cursor = try fields.end()
    return value
  }
}

/// The cases of an enum, as synthesized `Codable` writes them: a field for each case. The present case has
/// the associated values as fields of its own.
extension RecordFieldReader {
  /// Reads the associated values of a case; nil if the record has another case.
  ///
  /// ```swift
  /// if let role = try record.decodeCase("member", { Role.member(since: try $0.decode("since")) }) {
  ///   self = role
  /// }
  /// ```
  ///
  /// O(cases), besides what `read` costs.
  public mutating func decodeCase<Value>(
    _ name: StaticString,
    _ read: (inout RecordFieldReader) throws -> Value
  ) throws -> Value? {
    guard let (field, presence) = try find(case: name) else { return nil }
    let shape = reading.pointee.plan.shapes[field]
    guard presence == 2, shape.kind == .record else { throw refuse() }
    return try nested(shape, depth: depth + 1, read)
  }

  /// Reads a case without associated values; false if the record has another case.
  ///
  /// O(cases).
  public mutating func decodeCase(_ name: StaticString) throws -> Bool {
    guard let (field, presence) = try find(case: name) else { return false }
    let shape = reading.pointee.plan.shapes[field]
    switch (presence, shape.kind) {
    case (2, .record): try nested(shape, depth: depth + 1) { _ in }
    case (2, .tagged), (3, _):
      // Until a record of the table has associated values there, the layout does not describe them.
      guard try cursor.kind().kind == .object, try cursor.count() == 0,
        RecordLimits.allow(depth: depth + 1)
      else { throw refuse() }
    default: throw refuse()
    }
    return true
  }

  /// The field of a case and its two bits in the map; nil if the case is absent.
  private mutating func find(case name: StaticString) throws -> (field: Int, presence: UInt8)? {
    guard let field = reading.pointee.plan.field(ofCase: name, in: record) else { return nil }
    let presence = cursor.presence(field - first + 1, map: map)
    guard presence != 0 else { return nil }
    let span = reading.pointee.plan.spans[record]
    for other in span where other != field {
      if cursor.presence(other - first + 1, map: map) != 0 { throw refuse() }
    }
    guard next == first else { throw refuse() }
    next = span.upperBound
    return (field, presence)
  }
}

/// Values of any type.
extension RecordFieldReader {
  /// Reads a value of any type: numbers of other widths, dates, UUIDs, data, URLs and decimals as they
  /// are stored, any other type by its `init(from:)`.
  @inlinable
  public mutating func decode<Value: Codable>(
    _ field: StaticString,
    as type: Value.Type = Value.self
  ) throws -> Value {
    // When specialized, these conditions are constants, also for the raw value of an ID.
    if Value.self == Int64.self { return unsafeBitCast(try decode(field) as Int64, to: type) }
    if Value.self == String.self { return unsafeBitCast(try decode(field) as String, to: type) }
    return try decodeAny(field)
  }

  @usableFromInline
  mutating func decodeAny<Value: Codable>(_ field: StaticString) throws -> Value {
    guard let shape = try value(field) else { throw refuse() }
    return try any(field, shape)
  }

  /// Reads a value of any type, or nil.
  public mutating func decodeIfPresent<Value: Codable>(
    _ field: StaticString,
    as type: Value.Type = Value.self
  ) throws -> Value? {
    guard let shape = try value(field) else { return nil }
    return try any(field, shape) as Value
  }

  private mutating func any<Value: Codable>(
    _ field: StaticString,
    _ shape: LayoutTables.Shape
  ) throws -> Value {
    switch (LeafType(Value.self), shape.kind) {
    case (.date, .date): if let leaf = try cursor.date(.date) { return identical(leaf) }
    case (.uuid, .uuid): if let leaf = try cursor.uuid(.uuid) { return identical(leaf) }
    case (.data, .data): if let leaf = try cursor.data(.data) { return identical(leaf) }
    case (.string, .string): return identical(try text())
    case (.int, .int64): return identical(try integer())
    case (.int64, .int64): return identical(try cursor.zigzag())
    case (.double, .double):
      return identical(Double(bitPattern: try cursor.fixed(UInt64.self)))
    case (.bool, .bool): return identical(try bool())
    default: break
    }
    return try codable(field, shape)
  }

  @inline(__always)
  private func identical<From, To>(_ value: From) -> To {
    StrataRecords.identical(value, to: To.self)
  }

  /// Reads a value by `Codable`, from a copy of the record: its type may keep a container that reads from it.
  private mutating func codable<Value: Codable>(
    _ field: StaticString,
    _ shape: LayoutTables.Shape
  ) throws -> Value {
    let location = try ValueLocation(&cursor, shape)
    cursor.offset = Int(location.offset)
    let scan = RecordScan(reading.pointee.plan.tables, texts: .utf8)
    if location.kind != .null { try scan.value(location.shape, &cursor, depth: depth + 1) }
    let context = reading.pointee.contextOfCopy()
    let decoder = RecordDecoder(
      context: DecodingContext(
        context.decoding,
        .key(PathKey.name(field.description)),
        in: context
      ),
      value: location
    )
    return try decoder.value(Value.self)
  }
}

/// The record that is being read, shared by its reader and those of nested records.
struct FieldReading {
  var plan: FieldPlan
  /// Whether the record is to be decoded by `Codable`.
  var isRefused = false
  private var record: ArraySlice<UInt8> = []
  private var context: DecodingContext?
  /// Whether `Codable` has read a part of the record from a copy of it.
  private(set) var hasCopy = false

  init(_ tables: LayoutTables) { plan = FieldPlan(tables) }

  /// Reads a record and initializes `memory`; returns false, with `memory` uninitialized, if `Codable` has to
  /// decode it.
  mutating func read<Value: RecordCodable>(
    _ type: Value.Type,
    _ record: ArraySlice<UInt8>,
    _ context: DecodingContext,
    to memory: UnsafeMutableRawPointer
  ) -> Bool {
    (self.record, self.context, hasCopy, isRefused) = (record, context, false, false)
    defer { (self.record, self.context) = ([], nil) }
    let memory = memory.assumingMemoryBound(to: Value.self)
    let start = record.startIndex
    return withUnsafeMutablePointer(to: &self) { reading in
      record.withUnsafeBytes { bytes in
        do {
          let cursor = ByteCursor(bytes, start: start, at: start)
          var fields = try RecordFieldReader(reading, cursor, record: 0, depth: 1)
          memory.initialize(to: try Value(record: &fields))
          // The rest of the record is checked here. `Codable` reports what is wrong with it.
          do {
            if try fields.end().remaining == 0, !reading.pointee.isRefused { return true }
          } catch _ {}
          memory.deinitialize(count: 1)
          return false
        } catch {
          return false
        }
      }
    }
  }

  /// The context of a decoding that has a copy of the record.
  fileprivate mutating func contextOfCopy() -> DecodingContext {
    guard let context else { preconditionFailure("a field is read while its record is") }
    if !hasCopy {
      context.decoding.copy(record)
      hasCopy = true
    }
    return context
  }
}
