/// Where a value of a record is, and what the layout or its own kind says that it is.
struct ValueLocation {
  /// The first byte of a record that is no record but one value with its kind before it.
  static let loneValue: UInt8 = 2

  static let absent = ValueLocation(0, LayoutTables.Shape(.absent))
  static let null = ValueLocation(0, LayoutTables.Shape(.null))

  /// Where its bytes start; nothing for null and absent.
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
