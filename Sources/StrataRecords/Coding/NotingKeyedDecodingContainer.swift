/// A keyed container that notes which members a type asks for; used for records that may hold fields the
/// type does not know.
struct NotingKeyedDecodingContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let members: RecordKeyedDecodingContainer<Key>
  let coverage: FieldCoverage
  /// The number of the record in the layout.
  let number: Int

  var codingPath: [any CodingKey] { members.codingPath }

  var allKeys: [Key] {
    coverage.close(number)
    return members.allKeys
  }

  /// Notes the key and returns the members.
  private func noting(_ key: some CodingKey) -> RecordKeyedDecodingContainer<Key> {
    coverage.note(key.stringValue, of: number)
    return members
  }

  func contains(_ key: Key) -> Bool { noting(key).contains(key) }

  func decodeNil(forKey key: Key) throws -> Bool { try noting(key).decodeNil(forKey: key) }

  func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
    let value = try noting(key).decode(type, forKey: key)
    coverage.note(key.stringValue, of: number, as: type)
    return value
  }

  func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
    let value = try noting(key).decodeIfPresent(type, forKey: key)
    coverage.note(key.stringValue, of: number, as: type)
    return value
  }

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type,
    forKey key: Key
  ) throws -> KeyedDecodingContainer<NestedKey> {
    try noting(key).nestedContainer(keyedBy: type, forKey: key)
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try noting(key).nestedUnkeyedContainer(forKey: key)
  }

  func superDecoder() throws -> any Decoder { try noting(PathKey.superclass).superDecoder() }

  func superDecoder(forKey key: Key) throws -> any Decoder {
    try noting(key).superDecoder(forKey: key)
  }
}

/// Members without parts.
extension NotingKeyedDecodingContainer {
  func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool {
    try noting(key).decode(type, forKey: key)
  }
  func decode(_ type: String.Type, forKey key: Key) throws -> String {
    try noting(key).decode(type, forKey: key)
  }
  func decode(_ type: Double.Type, forKey key: Key) throws -> Double {
    try noting(key).decode(type, forKey: key)
  }
  func decode(_ type: Float.Type, forKey key: Key) throws -> Float {
    try noting(key).decode(type, forKey: key)
  }
  func decode(_ type: Int.Type, forKey key: Key) throws -> Int {
    try noting(key).decode(type, forKey: key)
  }
  func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 {
    try noting(key).decode(type, forKey: key)
  }
  func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 {
    try noting(key).decode(type, forKey: key)
  }
  func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 {
    try noting(key).decode(type, forKey: key)
  }
  func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 {
    try noting(key).decode(type, forKey: key)
  }
  func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt {
    try noting(key).decode(type, forKey: key)
  }
  func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 {
    try noting(key).decode(type, forKey: key)
  }
  func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 {
    try noting(key).decode(type, forKey: key)
  }
  func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 {
    try noting(key).decode(type, forKey: key)
  }
  func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 {
    try noting(key).decode(type, forKey: key)
  }
}
