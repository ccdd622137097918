import StrataRecords

/// A value as the first record of a table.
func record(_ value: some Encodable) throws -> (bytes: [UInt8], layout: Layout) {
  var writer = RecordWriter()
  var bytes: [UInt8] = []
  let layout = try writer.encode(value, into: &bytes)
  return (bytes, layout)
}

/// A value written and read back.
func copy<Value: Codable>(_ value: Value) throws -> Value {
  let (bytes, layout) = try record(value)
  return try RecordReader(layout: layout).decode(Value.self, from: bytes)
}

/// A value written as one type and read as another.
func reread<Value: Decodable>(
  _ value: some Encodable,
  as type: Value.Type,
  defaults: (some Encodable)? = Int?.none
) throws -> Value {
  let (bytes, layout) = try record(value)
  let defaults = try defaults.map { try record($0) }
  return try RecordReader(layout: layout, defaults: defaults).decode(type, from: bytes)
}
