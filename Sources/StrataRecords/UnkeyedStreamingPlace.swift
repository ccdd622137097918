/// The elements of a value in a ``StreamingEncoding``.
struct UnkeyedStreamingPlace: UnkeyedEncodingContainer {
  let encoder: StreamingEncoder

  var codingPath: [any CodingKey] { encoder.codingPath }
  var count: Int { stream.count(of: encoder) }

  private var stream: StreamingEncoding { encoder.stream }
  private var partDepth: Int { encoder.depth + 1 }

  private func element() -> LayoutTables.Shape? { stream.nextElement(of: encoder) }

  func encodeNil() { stream.giveUp() }

  func encode(_ value: some Encodable) throws {
    let shape = element()
    if let leaf = RecordValue(leaf: value) {
      encoder.put(leaf, as: shape, at: partDepth)
    } else {
      try stream.encode(value, to: encoder.part(shape))
    }
  }

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type
  ) -> KeyedEncodingContainer<NestedKey> {
    nested().container(keyedBy: type)
  }

  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { nested().unkeyedContainer() }

  func superEncoder() -> any Encoder { encoder.givenUp() }

  private func nested() -> StreamingEncoder {
    guard let shape = element() else { return encoder.givenUp() }
    return stream.open(shape)
  }

  func encode(_ value: Bool) {
    stream.put(.bool, as: element(), at: partDepth) { $0.append(value ? 1 : 0) }
  }

  func encode(_ value: String) {
    stream.put(.string, as: element(), at: partDepth) { $0.appendText(value) }
  }

  func encode(_ value: Double) {
    stream.put(.double, as: element(), at: partDepth) { $0.appendFixed(value.bitPattern) }
  }

  func encode(_ value: Float) {
    stream.put(.float, as: element(), at: partDepth) { $0.appendFixed(value.bitPattern) }
  }

  func encode(_ value: Int) {
    stream.put(.int64, as: element(), at: partDepth) { $0.appendZigzag(Int64(value)) }
  }

  func encode(_ value: Int8) {
    stream.put(.int8, as: element(), at: partDepth) { $0.append(UInt8(bitPattern: value)) }
  }

  func encode(_ value: Int16) {
    stream.put(.int16, as: element(), at: partDepth) { $0.appendZigzag(Int64(value)) }
  }

  func encode(_ value: Int32) {
    stream.put(.int32, as: element(), at: partDepth) { $0.appendZigzag(Int64(value)) }
  }

  func encode(_ value: Int64) {
    stream.put(.int64, as: element(), at: partDepth) { $0.appendZigzag(value) }
  }

  func encode(_ value: UInt) {
    stream.put(.uint64, as: element(), at: partDepth) { $0.appendVarint(UInt64(value)) }
  }

  func encode(_ value: UInt8) {
    stream.put(.uint8, as: element(), at: partDepth) { $0.append(value) }
  }

  func encode(_ value: UInt16) {
    stream.put(.uint16, as: element(), at: partDepth) { $0.appendVarint(UInt64(value)) }
  }

  func encode(_ value: UInt32) {
    stream.put(.uint32, as: element(), at: partDepth) { $0.appendVarint(UInt64(value)) }
  }

  func encode(_ value: UInt64) {
    stream.put(.uint64, as: element(), at: partDepth) { $0.appendVarint(value) }
  }
}
