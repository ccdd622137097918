/// The members of a value in a ``StreamingEncoding``.
struct KeyedStreamingPlace<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let encoder: StreamingEncoder

  var codingPath: [any CodingKey] { encoder.codingPath }

  private var stream: StreamingEncoding { encoder.stream }
  private var partDepth: Int { encoder.depth + 1 }

  private func field(_ key: Key) -> LayoutTables.Shape? {
    stream.field(named: key.stringValue, of: encoder)
  }

  func encodeNil(forKey key: Key) {
    if field(key) != nil { stream.putNull(at: partDepth) }
  }

  func encode(_ value: some Encodable, forKey key: Key) throws {
    let shape = field(key)
    if let leaf = RecordValue(leaf: value) {
      encoder.put(leaf, as: shape, at: partDepth)
    } else {
      try stream.encode(value, to: encoder.part(shape))
    }
  }

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type,
    forKey key: Key
  ) -> KeyedEncodingContainer<NestedKey> {
    nested(key).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    nested(key).unkeyedContainer()
  }

  func superEncoder() -> any Encoder { encoder.givenUp() }

  func superEncoder(forKey key: Key) -> any Encoder { encoder.givenUp() }

  private func nested(_ key: Key) -> StreamingEncoder {
    guard let shape = field(key) else { return encoder.givenUp() }
    return stream.open(shape)
  }

  func encode(_ value: Bool, forKey key: Key) {
    stream.put(.bool, as: field(key), at: partDepth) { $0.append(value ? 1 : 0) }
  }

  func encode(_ value: String, forKey key: Key) {
    stream.put(.string, as: field(key), at: partDepth) { $0.appendText(value) }
  }

  func encode(_ value: Double, forKey key: Key) {
    stream.put(.double, as: field(key), at: partDepth) { $0.appendFixed(value.bitPattern) }
  }

  func encode(_ value: Float, forKey key: Key) {
    stream.put(.float, as: field(key), at: partDepth) { $0.appendFixed(value.bitPattern) }
  }

  func encode(_ value: Int, forKey key: Key) {
    stream.put(.int64, as: field(key), at: partDepth) { $0.appendZigzag(Int64(value)) }
  }

  func encode(_ value: Int8, forKey key: Key) {
    stream.put(.int8, as: field(key), at: partDepth) { $0.append(UInt8(bitPattern: value)) }
  }

  func encode(_ value: Int16, forKey key: Key) {
    stream.put(.int16, as: field(key), at: partDepth) { $0.appendZigzag(Int64(value)) }
  }

  func encode(_ value: Int32, forKey key: Key) {
    stream.put(.int32, as: field(key), at: partDepth) { $0.appendZigzag(Int64(value)) }
  }

  func encode(_ value: Int64, forKey key: Key) {
    stream.put(.int64, as: field(key), at: partDepth) { $0.appendZigzag(value) }
  }

  func encode(_ value: UInt, forKey key: Key) {
    stream.put(.uint64, as: field(key), at: partDepth) { $0.appendVarint(UInt64(value)) }
  }

  func encode(_ value: UInt8, forKey key: Key) {
    stream.put(.uint8, as: field(key), at: partDepth) { $0.append(value) }
  }

  func encode(_ value: UInt16, forKey key: Key) {
    stream.put(.uint16, as: field(key), at: partDepth) { $0.appendVarint(UInt64(value)) }
  }

  func encode(_ value: UInt32, forKey key: Key) {
    stream.put(.uint32, as: field(key), at: partDepth) { $0.appendVarint(UInt64(value)) }
  }

  func encode(_ value: UInt64, forKey key: Key) {
    stream.put(.uint64, as: field(key), at: partDepth) { $0.appendVarint(value) }
  }
}
