/// The members of a value being decoded.
struct KeyedDecodingPlace<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let node: DecodingNode

  var codingPath: [any CodingKey] { node.codingPath }
  var allKeys: [Key] { node.memberNames.compactMap(Key.init(stringValue:)) }

  func contains(_ key: Key) -> Bool { node.stored(key.stringValue).tag != .absent }

  func decodeNil(forKey key: Key) throws -> Bool { try required(key).tag == .null }

  func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
    let member = try required(key)
    return try member.value(type) {
      try node.child(member, defaults: node.defaulted(key.stringValue), key).nested(type)
    }
  }

  private func required(_ key: Key) throws -> TapeSpot {
    let member = node.member(key.stringValue)
    guard member.tag != .absent else { throw node.failure(Never.self, key) }
    return member
  }

  func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool {
    guard let value = node.member(key.stringValue).bool else { throw node.failure(type, key) }
    return value
  }

  func decode(_ type: String.Type, forKey key: Key) throws -> String {
    guard let value = node.member(key.stringValue).string else { throw node.failure(type, key) }
    return value
  }

  func decode(_ type: Double.Type, forKey key: Key) throws -> Double {
    guard let value = node.member(key.stringValue).double else { throw node.failure(type, key) }
    return value
  }

  func decode(_ type: Float.Type, forKey key: Key) throws -> Float {
    guard let value = node.member(key.stringValue).float else { throw node.failure(type, key) }
    return value
  }

  func decode(_ type: Int.Type, forKey key: Key) throws -> Int {
    guard let value = node.member(key.stringValue).integer(type) else {
      throw node.failure(type, key)
    }
    return value
  }

  func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 {
    guard let value = node.member(key.stringValue).integer(type) else {
      throw node.failure(type, key)
    }
    return value
  }

  func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 {
    guard let value = node.member(key.stringValue).integer(type) else {
      throw node.failure(type, key)
    }
    return value
  }

  func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 {
    guard let value = node.member(key.stringValue).integer(type) else {
      throw node.failure(type, key)
    }
    return value
  }

  func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 {
    guard let value = node.member(key.stringValue).integer(type) else {
      throw node.failure(type, key)
    }
    return value
  }

  func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt {
    guard let value = node.member(key.stringValue).integer(type) else {
      throw node.failure(type, key)
    }
    return value
  }

  func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 {
    guard let value = node.member(key.stringValue).integer(type) else {
      throw node.failure(type, key)
    }
    return value
  }

  func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 {
    guard let value = node.member(key.stringValue).integer(type) else {
      throw node.failure(type, key)
    }
    return value
  }

  func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 {
    guard let value = node.member(key.stringValue).integer(type) else {
      throw node.failure(type, key)
    }
    return value
  }

  func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 {
    guard let value = node.member(key.stringValue).integer(type) else {
      throw node.failure(type, key)
    }
    return value
  }

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type,
    forKey key: Key
  ) throws -> KeyedDecodingContainer<NestedKey> {
    try nested(key).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try nested(key).unkeyedContainer()
  }

  func superDecoder() -> any Decoder {
    superDecoder(of: PathKey.superclass)
  }

  func superDecoder(forKey key: Key) -> any Decoder {
    superDecoder(of: key)
  }

  private func nested(_ key: Key) throws -> DecodingNode {
    node.child(try required(key), defaults: node.defaulted(key.stringValue), key)
  }

  /// A superclass that wrote nothing reads null.
  private func superDecoder(of key: some CodingKey) -> DecodingNode {
    let name = key.stringValue
    return node.child(node.member(name), defaults: node.defaulted(name), key)
  }
}
