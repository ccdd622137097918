/// The one value a type writes in place of itself.
extension EncodingNode: Encoder {
  var codingPath: [any CodingKey] { trail?.keys ?? [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    become(.keyed)
    return KeyedEncodingContainer(KeyedEncodingPlace<Key>(node: self))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    become(.unkeyed)
    return UnkeyedEncodingPlace(node: self)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer { self }
}

extension EncodingNode: SingleValueEncodingContainer {
  func encodeNil() { setSingle(.null) }
  func encode(_ value: Bool) { setSingle(.bool(value)) }
  func encode(_ value: String) { setSingle(.string(value)) }
  func encode(_ value: Double) { setSingle(.double(value)) }
  func encode(_ value: Float) { setSingle(.float(value)) }
  func encode(_ value: Int) { setSingle(.int(Int64(value), .bits64)) }
  func encode(_ value: Int8) { setSingle(.int(Int64(value), .bits8)) }
  func encode(_ value: Int16) { setSingle(.int(Int64(value), .bits16)) }
  func encode(_ value: Int32) { setSingle(.int(Int64(value), .bits32)) }
  func encode(_ value: Int64) { setSingle(.int(value, .bits64)) }
  func encode(_ value: UInt) { setSingle(.uint(UInt64(value), .bits64)) }
  func encode(_ value: UInt8) { setSingle(.uint(UInt64(value), .bits8)) }
  func encode(_ value: UInt16) { setSingle(.uint(UInt64(value), .bits16)) }
  func encode(_ value: UInt32) { setSingle(.uint(UInt64(value), .bits32)) }
  func encode(_ value: UInt64) { setSingle(.uint(value, .bits64)) }

  func encode(_ value: some Encodable) throws {
    if let leaf = RecordValue(leaf: value) {
      setSingle(leaf)
    } else {
      try session.encode(value, to: self)
    }
  }
}
