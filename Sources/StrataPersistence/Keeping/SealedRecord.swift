import StrataRecords

/// A sealed record as the file has it: an ordinary record with one field of bytes, so that folding,
/// verifying and showing need no key.
///
/// ```
/// sealed bytes, opened = varint layout, record
/// ```
///
/// The layout is one of the file's, as if the record stood there itself. Its field has a name that
/// Swift's own properties cannot have: that is how a sealed record is told from any other.
enum SealedRecord {
  static let field = "$sealed"

  /// The layout all sealed records have.
  static func layout() throws(RecordError) -> Layout {
    try Layout([Layout.Field(field, .scalar(.data))])
  }

  /// No extras, and a first field as the layout says.
  private static let map: UInt8 = 0b1000

  /// Appends the record that has these bytes for its field.
  static func append(_ sealed: [UInt8], to bytes: inout [UInt8]) {
    bytes.append(map)
    bytes.appendVarint(UInt64(sealed.count))
    bytes += sealed
  }

  /// The bytes of the field.
  static func sealed(in record: ArraySlice<UInt8>) throws(RecordError) -> [UInt8] {
    let sealed = try record.withCursor { cursor throws(RecordError) in
      let byte = try cursor.byte()
      guard byte == map else { throw .badTag(byte, at: record.startIndex) }
      let sealed = try cursor.block()
      guard cursor.remaining == 0 else { throw .trailingBytes(at: cursor.offset) }
      return sealed
    }
    return Array(record[sealed])
  }

  /// What is sealed of a record.
  static func contents(_ layout: Int64, _ record: [UInt8]) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(record.count + 2)
    bytes.appendVarint(UInt64(bitPattern: layout))
    return bytes + record
  }

  /// The record that was sealed.
  static func record(
    in contents: [UInt8]
  ) throws(RecordError) -> (layout: Int64, record: ArraySlice<UInt8>) {
    let (layout, start) = try contents[...].withCursor { cursor throws(RecordError) in
      (Int64(bitPattern: try cursor.varint()), cursor.offset)
    }
    return (layout, contents[start...])
  }
}

extension Layout {
  /// Whether it is that of sealed records.
  var isOfSealedRecords: Bool {
    fields.count == 1 && fields[0].kind == .scalar(.data) && fields[0].name == SealedRecord.field
  }
}
