/// A layout as bytes.
///
/// ```
/// layout = version (1) record
/// record = varint count, then a field each: text name, kind; for references: text name, 36, tables
///          (`ReferencedTables`), kind
/// kind   = tag byte;  array: the element's kind follows;  record: the record follows
///          0 unknown · 1…17 scalars (`Scalar`) · 32 array · 34 record · 35 tagged
/// ```
///
/// The encoding is canonical: a list of fields has exactly one body, and no other is accepted.
extension Layout {
  private static let version: UInt8 = 1

  /// Reads a layout from its body; O(bytes).
  ///
  /// - Throws: `RecordError` for whatever is not the body of a layout; `tooManyFields`.
  package convenience init(body: [UInt8]) throws(RecordError) {
    try self.init(try body[...].withCursor(Self.fields))
  }

  static func body(of fields: [Field]) -> [UInt8] {
    var bytes = [version]
    append(fields, to: &bytes)
    return bytes
  }

  private static func append(_ fields: [Field], to bytes: inout [UInt8]) {
    bytes.appendVarint(UInt64(fields.count))
    for field in fields {
      bytes.appendText(field.name)
      if let references = field.references {
        bytes.append(ReferencedTables.marker)
        references.append(to: &bytes)
      }
      append(field.kind, to: &bytes)
    }
  }

  private static func append(_ kind: Kind, to bytes: inout [UInt8]) {
    switch kind {
    case .unknown: bytes.append(ValueKind.null.rawValue)
    case .tagged: bytes.append(ValueKind.tagged.rawValue)
    case .scalar(let scalar): bytes.append(scalar.rawValue)
    case .array(let element):
      bytes.append(ValueKind.array.rawValue)
      append(element, to: &bytes)
    case .record(let fields):
      bytes.append(ValueKind.record.rawValue)
      append(fields, to: &bytes)
    }
  }

  private static func fields(_ cursor: inout ByteCursor) throws(RecordError) -> [Field] {
    let version = try cursor.byte()
    guard version == Self.version else { throw .badTag(version, at: 0) }
    var left = RecordLimits.fields
    let fields = try Self.fields(&cursor, depth: 1, &left)
    guard cursor.remaining == 0 else { throw .trailingBytes(at: cursor.offset) }
    return fields
  }

  private static func fields(
    _ cursor: inout ByteCursor,
    depth: Int,
    _ left: inout Int
  ) throws(RecordError) -> [Field] {
    guard RecordLimits.allow(depth: depth) else { throw .tooDeep }
    var fields: [Field] = []
    for _ in 0..<(try cursor.count()) {
      let name = try cursor.text()
      let references = try references(&cursor, depth: depth + 1, &left)
      fields.append(Field(name, try kind(&cursor, depth: depth + 1, &left), to: references))
    }
    return fields
  }

  /// The references at the cursor, if there are any.
  private static func references(
    _ cursor: inout ByteCursor,
    depth: Int,
    _ left: inout Int
  ) throws(RecordError) -> ReferencedTables? {
    guard cursor.remaining > 0 else { return nil }
    let start = cursor.offset
    guard try cursor.byte() == ReferencedTables.marker else {
      cursor.offset = start
      return nil
    }
    return try ReferencedTables(&cursor, depth: depth, &left)
  }

  /// The kind at the cursor; `left` counts how many more are allowed.
  private static func kind(
    _ cursor: inout ByteCursor,
    depth: Int,
    _ left: inout Int
  ) throws(RecordError) -> Kind {
    guard RecordLimits.allow(depth: depth) else { throw .tooDeep }
    guard left > 0 else { throw .tooManyFields }
    left -= 1
    let start = cursor.offset
    let byte = try cursor.byte()
    switch ValueKind(rawValue: byte) {
    case .null: return .unknown
    case .tagged: return .tagged
    case .array: return .array(of: try kind(&cursor, depth: depth + 1, &left))
    case .record: return .record(try fields(&cursor, depth: depth, &left))
    case .object, .absent, nil: throw .badTag(byte, at: start)
    case .some(let scalar):
      guard let scalar = scalar.scalar else { throw .badTag(byte, at: start) }
      return .scalar(scalar)
    }
  }
}
