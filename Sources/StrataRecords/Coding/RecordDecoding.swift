/// The record that is being read: the state that its decoders and containers share.
///
/// A record is checked as a whole and then read in place. Decoders and containers hold the offset of their
/// value, so memory is bounded by the depth of the record and the fields of its layout, and never grows with
/// the elements of an array.
final class RecordDecoding {
  private static let mostIdleBytes = 1 << 16

  let tables: LayoutTables
  /// What the caller passes to the types that decode themselves.
  var userInfo: [CodingUserInfoKey: Any] = [:]
  /// The record of the type's default value, if it has one.
  let defaults: RecordDecoding?
  let scan: RecordScan
  /// The fields that the type has asked for, if unknown fields are collected.
  var coverage: FieldCoverage?
  /// Whether containers note what is asked of them.
  var isNoting = false
  /// A copy of the record: a type may keep a container of it, and read from that later.
  private var bytes: UnsafeMutableRawBufferPointer
  private var count = 0
  /// The offset of the first byte in the array of the caller.
  private var start = 0
  private var calls = 0
  /// Whether a part was refused because it nests too deep.
  private(set) var isTooDeep = false

  init(_ tables: LayoutTables, defaults: RecordDecoding? = nil) {
    self.tables = tables
    self.defaults = defaults
    scan = RecordScan(tables, texts: .unchecked)
    bytes = .allocate(byteCount: 256, alignment: 1)
  }

  deinit { bytes.deallocate() }

  /// Starts to read a record; O(bytes).
  ///
  /// - Throws: `RecordError`, for any bytes that are not one whole record of the layout.
  func begin(_ record: ArraySlice<UInt8>) throws(RecordError) -> ValueLocation {
    try RecordLimits.check(size: record)
    isTooDeep = false
    copy(record)
    var cursor = cursor(at: start)
    try RecordScan.check(&cursor, tables)
    cursor.offset = start
    guard try cursor.byte() == ValueLocation.loneValue else { return ValueLocation(start, .top) }
    return try ValueLocation(&cursor, .tagged)
  }

  func copy(_ record: ArraySlice<UInt8>) {
    if record.count > bytes.count { resize(to: max(record.count, 2 * bytes.count)) }
    record.withUnsafeBytes { bytes.copyMemory(from: $0) }
    (count, start) = (record.count, record.startIndex)
  }

  private func resize(to size: Int) {
    bytes.deallocate()
    bytes = .allocate(byteCount: size, alignment: 1)
  }

  /// Releases the bytes of a large record.
  func end() {
    if bytes.count > Self.mostIdleBytes { resize(to: 256) }
    count = 0
  }

  /// A cursor at an offset; at the start for absent values and for null, which have no bytes.
  @inline(__always)
  func cursor(at offset: Int) -> ByteCursor {
    let bytes = UnsafeRawBufferPointer(start: bytes.baseAddress, count: count)
    return ByteCursor(bytes, start: start, at: max(offset, start))
  }

  /// Lets a type that is not a leaf read itself.
  func nested<Value: Decodable>(_ type: Value.Type, _ decoder: RecordDecoder) throws -> Value {
    guard RecordLimits.allow(calls: calls) else {
      isTooDeep = true
      throw RecordError.tooDeep
    }
    calls += 1
    defer { calls -= 1 }
    return try Value(from: decoder)
  }

  /// The offset after a value of this shape.
  func end(of shape: LayoutTables.Shape, at offset: Int) throws(RecordError) -> Int {
    var cursor = cursor(at: offset)
    try scan.value(shape, &cursor)
    return cursor.offset
  }

  /// A member of the default value at a place, where there is one; O(bytes of the defaults).
  func member(_ name: String, of value: ValueLocation) throws(RecordError) -> ValueLocation? {
    let decoder = RecordDecoder(context: DecodingContext(self), value: value)
    guard let members = try RecordMembers(decoder) else { return nil }
    let member = try members.member(name)
    return member.kind == .absent ? nil : member
  }
}

/// The key of an element, of the value that a superclass writes, or of a member known by its name.
enum PathKey: CodingKey {
  case index(Int)
  case superclass
  case name(String)

  init?(intValue: Int) {
    self = .index(intValue)
  }

  init?(stringValue: String) {
    self = stringValue == "super" ? .superclass : .name(stringValue)
  }

  var intValue: Int? {
    switch self {
    case .index(let index): index
    case .superclass, .name: nil
    }
  }

  var stringValue: String {
    switch self {
    case .index(let index): "Index \(index)"
    case .superclass: "super"
    case .name(let name): name
    }
  }
}
