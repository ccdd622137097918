/// Goes past values and finds in them whatever `RecordParser` would, once and without keeping it.
///
/// What it goes past without an error, `RecordReader` takes apart without one.
struct DirectScan {
  /// In place of a field's offset.
  static let absent = UInt32.max
  static let null = UInt32.max - 1
  /// Records of this many bytes and more have offsets that mean something else.
  static let limit = 1 << 31

  let tables: DirectTables
  var cursor: RawCursor

  /// Goes past a record and notes where its fields are.
  mutating func record(
    _ number: Int,
    depth: Int,
    fields: UnsafeMutablePointer<UInt32>? = nil
  ) throws(NotDirect) {
    guard depth <= RecordLimits.depth else { throw NotDirect() }
    let (first, count) = (tables.tables[number].first, tables.tables[number].count)
    let map = try cursor.block(of: count / 4 + 1)
    // Extras, and a value that is no record, are not read directly.
    guard map[0] & 3 == 0 else { throw NotDirect() }
    for index in 0..<count {
      let place = index + 1
      var offset = UInt32(truncatingIfNeeded: cursor.offset)
      switch map[place / 4] >> UInt8(place % 4 * 2) & 3 {
      case 0: offset = Self.absent
      case 1: offset = Self.null
      case 2: try value(tables.shapes[first + index], depth: depth + 1)
      default: throw NotDirect()
      }
      fields?[index] = offset
    }
  }

  /// Goes past a value.
  mutating func value(_ shape: DirectShape, depth: Int) throws(NotDirect) {
    switch shape.kind {
    case .bool: guard try cursor.byte() < 2 else { throw NotDirect() }
    case .int8, .uint8: try cursor.skip(1)
    case .int16, .int32, .int64, .uint16, .uint32, .uint64: _ = try cursor.varint()
    case .float: try cursor.skip(4)
    case .double, .date: try cursor.skip(8)
    case .uuid: try cursor.skip(16)
    case .data: _ = try cursor.block()
    case .string, .url, .decimal: try cursor.skipText()
    case .array: try array(shape, depth: depth)
    case .record: try record(Int(shape.index), depth: depth)
    case .null, .other: throw NotDirect()
    }
  }

  private mutating func array(_ shape: DirectShape, depth: Int) throws(NotDirect) {
    guard depth <= RecordLimits.depth else { throw NotDirect() }
    let count = try cursor.elementCount()
    let element = tables.elements[Int(shape.index)]
    for _ in 0..<count { try value(element, depth: depth + 1) }
  }
}

extension RawCursor {
  /// The count of an array whose elements are of the layout's kind.
  mutating func elementCount() throws(NotDirect) -> Int {
    let header = try varint()
    let count = header >> 1
    guard header & 1 == 0 || count == 0, count <= UInt64(remaining) else { throw NotDirect() }
    return Int(count)
  }
}
