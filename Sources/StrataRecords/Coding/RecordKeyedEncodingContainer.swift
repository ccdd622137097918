/// The members of a value being encoded.
struct RecordKeyedEncodingContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let encoding: RecordEncoding
  let frame: Int

  var codingPath: [any CodingKey] {
    encoding.parts.codingPath(of: frame, encoding.tables)
  }

  private func place(_ key: some CodingKey) -> RecordParts.Place {
    encoding.place(of: key, in: frame)
  }

  @inline(__always)
  private func put(_ scalar: Scalar, _ key: Key, _ append: (inout [UInt8]) -> Void) {
    encoding.put(scalar, at: place(key), in: frame, append)
  }

  func encodeNil(forKey key: Key) { encoding.add(.null, at: place(key), in: frame) }

  func encode(_ value: some Encodable, forKey key: Key) throws {
    if let leaf = RecordValue(leaf: value) {
      encoding.put(leaf, at: place(key), in: frame)
    } else {
      try encoding.put(value, inFrameAt: place(key), in: frame)
    }
  }

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type,
    forKey key: Key
  ) -> KeyedEncodingContainer<NestedKey> {
    encoding.nested(.keyed, at: place(key), in: frame).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    encoding.nested(.unkeyed, at: place(key), in: frame).unkeyedContainer()
  }

  func superEncoder() -> any Encoder {
    encoding.superEncoder(at: place(PathKey.superclass), in: frame)
  }

  func superEncoder(forKey key: Key) -> any Encoder {
    encoding.superEncoder(at: place(key), in: frame)
  }

  func encode(_ value: Bool, forKey key: Key) { put(.bool, key) { $0.append(value ? 1 : 0) } }
  func encode(_ value: String, forKey key: Key) { put(.string, key) { $0.appendText(value) } }
  func encode(_ value: Double, forKey key: Key) {
    put(.double, key) { $0.appendFixed(value.bitPattern) }
  }
  func encode(_ value: Float, forKey key: Key) {
    put(.float, key) { $0.appendFixed(value.bitPattern) }
  }
  func encode(_ value: Int, forKey key: Key) { put(.int64, key) { $0.appendZigzag(Int64(value)) } }
  func encode(_ value: Int8, forKey key: Key) {
    put(.int8, key) { $0.append(UInt8(bitPattern: value)) }
  }
  func encode(_ value: Int16, forKey key: Key) {
    put(.int16, key) { $0.appendZigzag(Int64(value)) }
  }
  func encode(_ value: Int32, forKey key: Key) {
    put(.int32, key) { $0.appendZigzag(Int64(value)) }
  }
  func encode(_ value: Int64, forKey key: Key) { put(.int64, key) { $0.appendZigzag(value) } }
  func encode(_ value: UInt, forKey key: Key) {
    put(.uint64, key) { $0.appendVarint(UInt64(value)) }
  }
  func encode(_ value: UInt8, forKey key: Key) { put(.uint8, key) { $0.append(value) } }
  func encode(_ value: UInt16, forKey key: Key) {
    put(.uint16, key) { $0.appendVarint(UInt64(value)) }
  }
  func encode(_ value: UInt32, forKey key: Key) {
    put(.uint32, key) { $0.appendVarint(UInt64(value)) }
  }
  func encode(_ value: UInt64, forKey key: Key) { put(.uint64, key) { $0.appendVarint(value) } }
}

/// Optionals without a value: they write nothing, and the layout learns that they exist.
extension RecordKeyedEncodingContainer {
  private func noteAbsent(_ key: Key) { encoding.addAbsent(at: place(key), in: frame) }

  func encodeIfPresent(_ value: Bool?, forKey key: Key) {
    if let value { encode(value, forKey: key) } else { noteAbsent(key) }
  }

  func encodeIfPresent(_ value: String?, forKey key: Key) {
    if let value { encode(value, forKey: key) } else { noteAbsent(key) }
  }

  func encodeIfPresent(_ value: Double?, forKey key: Key) {
    if let value { encode(value, forKey: key) } else { noteAbsent(key) }
  }

  func encodeIfPresent(_ value: Float?, forKey key: Key) {
    if let value { encode(value, forKey: key) } else { noteAbsent(key) }
  }

  func encodeIfPresent(_ value: Int?, forKey key: Key) {
    if let value { encode(value, forKey: key) } else { noteAbsent(key) }
  }

  func encodeIfPresent(_ value: Int8?, forKey key: Key) {
    if let value { encode(value, forKey: key) } else { noteAbsent(key) }
  }

  func encodeIfPresent(_ value: Int16?, forKey key: Key) {
    if let value { encode(value, forKey: key) } else { noteAbsent(key) }
  }

  func encodeIfPresent(_ value: Int32?, forKey key: Key) {
    if let value { encode(value, forKey: key) } else { noteAbsent(key) }
  }

  func encodeIfPresent(_ value: Int64?, forKey key: Key) {
    if let value { encode(value, forKey: key) } else { noteAbsent(key) }
  }

  func encodeIfPresent(_ value: UInt?, forKey key: Key) {
    if let value { encode(value, forKey: key) } else { noteAbsent(key) }
  }

  func encodeIfPresent(_ value: UInt8?, forKey key: Key) {
    if let value { encode(value, forKey: key) } else { noteAbsent(key) }
  }

  func encodeIfPresent(_ value: UInt16?, forKey key: Key) {
    if let value { encode(value, forKey: key) } else { noteAbsent(key) }
  }

  func encodeIfPresent(_ value: UInt32?, forKey key: Key) {
    if let value { encode(value, forKey: key) } else { noteAbsent(key) }
  }

  func encodeIfPresent(_ value: UInt64?, forKey key: Key) {
    if let value { encode(value, forKey: key) } else { noteAbsent(key) }
  }

  func encodeIfPresent(_ value: (some Encodable)?, forKey key: Key) throws {
    if let value { try encode(value, forKey: key) } else { noteAbsent(key) }
  }
}
