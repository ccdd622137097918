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
  func encodeNil() { setSingle(.value(.null)) }
  func encode(_ value: Bool) { setSingle(.value(.bool(value))) }
  func encode(_ value: String) { setSingle(.value(.string(value))) }
  func encode(_ value: Double) { setSingle(.value(.double(value))) }
  func encode(_ value: Float) { setSingle(.value(.float(value))) }
  func encode(_ value: Int) { setSingle(.value(.int(Int64(value), .bits64))) }
  func encode(_ value: Int8) { setSingle(.value(.int(Int64(value), .bits8))) }
  func encode(_ value: Int16) { setSingle(.value(.int(Int64(value), .bits16))) }
  func encode(_ value: Int32) { setSingle(.value(.int(Int64(value), .bits32))) }
  func encode(_ value: Int64) { setSingle(.value(.int(value, .bits64))) }
  func encode(_ value: UInt) { setSingle(.value(.uint(UInt64(value), .bits64))) }
  func encode(_ value: UInt8) { setSingle(.value(.uint(UInt64(value), .bits8))) }
  func encode(_ value: UInt16) { setSingle(.value(.uint(UInt64(value), .bits16))) }
  func encode(_ value: UInt32) { setSingle(.value(.uint(UInt64(value), .bits32))) }
  func encode(_ value: UInt64) { setSingle(.value(.uint(value, .bits64))) }

  func encode(_ value: some Encodable) throws {
    if let leaf = RecordValue(leaf: value) {
      setSingle(.value(leaf))
    } else {
      try session.encode(value, to: self)
    }
  }
}
