import StrataRecords
import Testing

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
  return try bothWays(Value.self, bytes, RecordReader(layout: layout))
}

/// A value written as one type and read as another.
func reread<Value: Decodable>(
  _ value: some Encodable,
  as type: Value.Type,
  defaults: (some Encodable)? = Int?.none
) throws -> Value {
  let (bytes, layout) = try record(value)
  let defaults = try defaults.map { try record($0) }
  return try bothWays(type, bytes, RecordReader(layout: layout, defaults: defaults))
}

/// A record read as `RecordReader` reads it; what is read directly besides must be the same.
func bothWays<Value: Decodable>(
  _ type: Value.Type,
  _ bytes: [UInt8],
  _ reader: RecordReader
) throws -> Value {
  let direct = RecordLoader(reader).decodeDirectly(type, from: bytes[...])
  do {
    let value = try reader.decode(type, from: bytes)
    if let direct { #expect(picture(of: direct) == picture(of: value)) }
    return value
  } catch {
    if direct != nil { Issue.record("read directly, where the reader throws \(error)") }
    throw error
  }
}

/// A value to compare by, down to the bits of its numbers.
private func picture(of value: some Decodable) -> String {
  guard let value = value as? any Encodable, let (bytes, layout) = try? record(value) else {
    return String(reflecting: value)
  }
  return "\(layout.body) \(bytes)"
}
