/// Checks and skips the values of a record; the byte layout stands above `RecordEmitter`.
///
/// A record is validated in one pass, which checks every length, count, kind, text and depth, so later reads
/// cannot run off the bytes. Later passes only skip to a wanted value, without looking at texts. Nothing is
/// kept but the offsets of the fields of one record.
struct RecordScan {
  /// The tables of the decoding or the call that the scan belongs to.
  ///
  /// Unowned, because a scan is read for each field that it skips, and would retain and release them each
  /// time.
  private unowned(unsafe) let tables: LayoutTables
  private let texts: Texts

  /// How texts are checked.
  enum Texts {
    /// Not at all: the record was checked before.
    case unchecked
    /// They are UTF-8.
    case utf8
    /// They are UTF-8, and those of URLs and decimals are valid.
    case values
  }

  init(_ tables: LayoutTables, texts: Texts) {
    (self.tables, self.texts) = (tables, texts)
  }

  /// Checks that the remaining bytes are exactly one record.
  ///
  /// - Throws: `RecordError` if they are not.
  static func check(
    _ cursor: inout ByteCursor,
    _ tables: LayoutTables,
    texts: Texts = .utf8
  ) throws(RecordError) {
    let start = cursor.offset
    if try cursor.byte() == ValueLocation.loneValue {
      try tagged(&cursor, tables, texts, depth: 1)
    } else {
      cursor.offset = start
      try record(tables.records[0], &cursor, tables, texts, depth: 1)
    }
    guard cursor.remaining == 0 else { throw .trailingBytes(at: cursor.offset) }
  }

  /// Checks that the remaining bytes are one tagged value.
  static func check(tagged cursor: inout ByteCursor) throws(RecordError) {
    try RecordScan(Layout.empty.tables, texts: .values).tagged(&cursor, depth: 1)
    guard cursor.remaining == 0 else { throw .trailingBytes(at: cursor.offset) }
  }

  /// Skips the fields of a record and notes the offset of each of them; the extras follow.
  @inline(__always)
  func locate(
    _ table: LayoutTables.Table,
    _ cursor: inout ByteCursor,
    _ note: (UInt32) -> Void
  ) throws(RecordError) {
    let map = cursor.offset
    try cursor.skip(table.mapSize)
    for index in table.shapes.indices {
      note(UInt32(truncatingIfNeeded: cursor.offset))
      try field(index, table.shapes[index], map, &cursor)
    }
  }

  /// Skips a value.
  func value(
    _ shape: LayoutTables.Shape,
    _ cursor: inout ByteCursor,
    depth: Int = 1
  ) throws(RecordError) {
    try Self.value(shape, &cursor, tables, texts, depth: depth)
  }

  /// Skips a tagged value.
  func tagged(_ cursor: inout ByteCursor, depth: Int = 1) throws(RecordError) {
    try Self.tagged(&cursor, tables, texts, depth: depth)
  }

  /// Skips a field.
  @inline(__always)
  func field(
    _ index: Int,
    _ shape: LayoutTables.Shape,
    _ map: Int,
    _ cursor: inout ByteCursor,
    depth: Int = 1
  ) throws(RecordError) {
    switch cursor.presence(index + 1, map: map) {
    case 0, 1: break
    case 2: try value(shape, &cursor, depth: depth + 1)
    default: try tagged(&cursor, depth: depth + 1)
    }
  }

  /// Skips the named members of an object, or the extras of a record.
  func members(_ cursor: inout ByteCursor, depth: Int = 1) throws(RecordError) {
    try Self.members(&cursor, tables, texts, depth: depth)
  }
}

/// The scan itself.
///
/// The tables are passed as an argument, which is not retained on the way.
extension RecordScan {
  private static func value(
    _ shape: LayoutTables.Shape,
    _ cursor: inout ByteCursor,
    _ tables: LayoutTables,
    _ texts: Texts,
    depth: Int
  ) throws(RecordError) {
    switch shape.kind {
    case .bool:
      let byte = try cursor.byte()
      guard byte < 2 else { throw .badTag(byte, at: cursor.offset - 1) }
    case .int8, .uint8: _ = try cursor.byte()
    case .int16, .int32, .int64, .uint16, .uint32, .uint64: _ = try cursor.varint()
    case .float: try cursor.skip(4)
    case .double, .date: try cursor.skip(8)
    case .uuid: try cursor.skip(16)
    case .data: _ = try cursor.block()
    case .string: try text(&cursor, texts)
    case .url, .decimal: try text(&cursor, texts, of: shape.kind)
    case .array:
      guard RecordLimits.allow(depth: depth) else { throw .tooDeep }
      let (count, isTagged) = try cursor.arrayHeader()
      let element = isTagged ? .tagged : tables.elements[shape.index]
      if element.kind == .string {
        for _ in 0..<count { try text(&cursor, texts) }
      } else {
        for _ in 0..<count { try value(element, &cursor, tables, texts, depth: depth + 1) }
      }
    case .object:
      guard RecordLimits.allow(depth: depth) else { throw .tooDeep }
      try members(&cursor, tables, texts, depth: depth)
    case .record:
      try record(tables.records[shape.index], &cursor, tables, texts, depth: depth)
    case .tagged: try tagged(&cursor, tables, texts, depth: depth)
    case .null, .absent: throw .badTag(ValueKind.null.rawValue, at: cursor.offset)
    }
  }

  private static func tagged(
    _ cursor: inout ByteCursor,
    _ tables: LayoutTables,
    _ texts: Texts,
    depth: Int
  ) throws(RecordError) {
    let shape = try cursor.kind()
    if shape.kind != .null { try value(shape, &cursor, tables, texts, depth: depth) }
  }

  /// Skips a record.
  private static func record(
    _ table: LayoutTables.Table,
    _ cursor: inout ByteCursor,
    _ tables: LayoutTables,
    _ texts: Texts,
    depth: Int
  ) throws(RecordError) {
    guard RecordLimits.allow(depth: depth) else { throw .tooDeep }
    let map = cursor.offset
    try cursor.skip(table.mapSize)
    for index in table.shapes.indices {
      let shape = table.shapes[index]
      switch cursor.presence(index + 1, map: map) {
      case 0, 1: break
      case 2 where shape.kind == .string: try text(&cursor, texts)
      case 2: try value(shape, &cursor, tables, texts, depth: depth + 1)
      default: try tagged(&cursor, tables, texts, depth: depth + 1)
      }
    }
    switch cursor.presence(0, map: map) {
    case 0: break
    case 1: try members(&cursor, tables, texts, depth: depth)
    default: throw .badTag(cursor.byte(at: map), at: map)
    }
  }

  private static func members(
    _ cursor: inout ByteCursor,
    _ tables: LayoutTables,
    _ texts: Texts,
    depth: Int
  ) throws(RecordError) {
    for _ in 0..<(try cursor.count()) {
      try text(&cursor, texts)
      try tagged(&cursor, tables, texts, depth: depth + 1)
    }
  }

  @inline(__always)
  private static func text(_ cursor: inout ByteCursor, _ texts: Texts) throws(RecordError) {
    if texts == .unchecked { _ = try cursor.block() } else { _ = try cursor.utf8Bytes() }
  }

  /// Skips the text of a URL or of a decimal number.
  private static func text(
    _ cursor: inout ByteCursor,
    _ texts: Texts,
    of kind: ValueKind
  ) throws(RecordError) {
    let start = cursor.offset
    try text(&cursor, texts)
    guard texts == .values else { return }
    cursor.offset = start
    if kind == .url { _ = try cursor.url(kind) } else { _ = try cursor.decimal(kind) }
  }
}

extension Layout {
  /// Checks that the bytes are one whole record of this layout; O(bytes + fields of its records).
  ///
  /// - Throws: `RecordError` if they are not.
  package func check(_ record: ArraySlice<UInt8>) throws(RecordError) {
    try check(record, texts: .utf8)
  }

  func check(_ record: ArraySlice<UInt8>, texts: RecordScan.Texts) throws(RecordError) {
    try RecordLimits.check(size: record)
    try record.withCursor { cursor throws(RecordError) in
      try RecordScan.check(&cursor, tables, texts: texts)
    }
  }
}

extension ByteCursor {
  /// The two bits of a record's map: number 0 for the record itself, then one for each field.
  @inline(__always)
  func presence(_ number: Int, map: Int) -> UInt8 {
    byte(at: map + number / 4) >> UInt8(number % 4 * 2) & 3
  }

  /// The kind that stands before a value.
  @inline(__always)
  mutating func kind() throws(RecordError) -> LayoutTables.Shape {
    let start = offset
    let byte = try byte()
    switch ValueKind(rawValue: byte) {
    case .record, .tagged, .absent, nil: throw .badTag(byte, at: start)
    case .some(let kind): return LayoutTables.Shape(kind)
    }
  }

  /// How many elements an array has, and whether each has its own kind before it.
  @inline(__always)
  mutating func arrayHeader() throws(RecordError) -> (count: Int, isTagged: Bool) {
    let start = offset
    let header = try varint()
    guard header >> 1 <= UInt64(remaining) else { throw .countTooLarge(header >> 1, at: start) }
    return (Int(header >> 1), header & 1 == 1)
  }
}

/// The offset of a value of a record, and its shape by the layout or by its own tag.
struct ValueLocation {
  /// The first byte of a record that is a single tagged value.
  static let loneValue: UInt8 = 2

  static let absent = ValueLocation(0, LayoutTables.Shape(.absent))
  static let null = ValueLocation(0, LayoutTables.Shape(.null))

  /// Where its bytes start; unused for null and absent values.
  let offset: UInt32
  /// Never `tagged`.
  let shape: LayoutTables.Shape

  @inline(__always)
  init(_ offset: Int, _ shape: LayoutTables.Shape) {
    self.offset = UInt32(truncatingIfNeeded: offset)
    self.shape = shape
  }

  /// The value at a cursor, of the kind that the layout says or that stands before it.
  @inline(__always)
  init(_ cursor: inout ByteCursor, _ shape: LayoutTables.Shape) throws(RecordError) {
    let shape = shape.kind == .tagged ? try cursor.kind() : shape
    self.init(cursor.offset, shape)
  }

  @inline(__always)
  var kind: ValueKind { shape.kind }
}
