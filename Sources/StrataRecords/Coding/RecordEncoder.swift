/// Where one value is written: the encoder that is handed to its type.
///
/// Two words, so that it fits into an existential without an allocation.
struct RecordEncoder: Encoder {
  let encoding: RecordEncoding
  let frame: Int

  var codingPath: [any CodingKey] { encoding.parts.codingPath(of: frame, encoding.tables) }
  var userInfo: [CodingUserInfoKey: Any] { encoding.userInfo }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    encoding.become(.keyed, frame)
    return KeyedEncodingContainer(
      RecordKeyedEncodingContainer<Key>(encoding: encoding, frame: frame)
    )
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    encoding.become(.unkeyed, frame)
    return RecordUnkeyedEncodingContainer(encoding: encoding, frame: frame)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer { self }
}

/// The one value that a type writes in place of itself.
extension RecordEncoder: SingleValueEncodingContainer {
  @inline(__always)
  private func put(_ scalar: Scalar, _ append: (inout [UInt8]) -> Void) {
    encoding.become(.single, frame)
    encoding.put(scalar, at: .slot(0), in: frame, append)
  }

  func put(_ leaf: RecordValue) {
    encoding.become(.single, frame)
    encoding.put(leaf, at: .slot(0), in: frame)
  }

  func encode(_ value: some Encodable) throws {
    if let leaf = RecordValue(leaf: value) {
      put(leaf)
    } else {
      try encoding.encode(value, to: self)
    }
  }

  func encodeNil() { put(.null) }
  func encode(_ value: Bool) { put(.bool) { $0.append(value ? 1 : 0) } }
  func encode(_ value: String) { put(.string) { $0.appendText(value) } }
  func encode(_ value: Double) { put(.double) { $0.appendFixed(value.bitPattern) } }
  func encode(_ value: Float) { put(.float) { $0.appendFixed(value.bitPattern) } }
  func encode(_ value: Int) { put(.int64) { $0.appendZigzag(Int64(value)) } }
  func encode(_ value: Int8) { put(.int8) { $0.append(UInt8(bitPattern: value)) } }
  func encode(_ value: Int16) { put(.int16) { $0.appendZigzag(Int64(value)) } }
  func encode(_ value: Int32) { put(.int32) { $0.appendZigzag(Int64(value)) } }
  func encode(_ value: Int64) { put(.int64) { $0.appendZigzag(value) } }
  func encode(_ value: UInt) { put(.uint64) { $0.appendVarint(UInt64(value)) } }
  func encode(_ value: UInt8) { put(.uint8) { $0.append(value) } }
  func encode(_ value: UInt16) { put(.uint16) { $0.appendVarint(UInt64(value)) } }
  func encode(_ value: UInt32) { put(.uint32) { $0.appendVarint(UInt64(value)) } }
  func encode(_ value: UInt64) { put(.uint64) { $0.appendVarint(value) } }
}
