/// The one value that stands in place of a type's own.
extension DecodingNode: Decoder {
  var codingPath: [any CodingKey] { trail?.keys ?? [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    guard isKeyed else { throw mismatch([String: Any].self, spot) }
    return KeyedDecodingContainer(KeyedDecodingPlace<Key>(node: self))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    guard spot.tag == .array else { throw mismatch([Any].self, spot) }
    return UnkeyedDecodingPlace(node: self)
  }

  func singleValueContainer() -> any SingleValueDecodingContainer { self }
}

extension DecodingNode: SingleValueDecodingContainer {
  func decodeNil() -> Bool { spot.tag == .null || spot.tag == .absent }

  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    try spot.value(type) { try nested(type) }
  }

  func decode(_ type: Bool.Type) throws -> Bool {
    guard let value = spot.bool else { throw mismatch(type, spot) }
    return value
  }

  func decode(_ type: String.Type) throws -> String {
    guard let value = spot.string else { throw mismatch(type, spot) }
    return value
  }

  func decode(_ type: Double.Type) throws -> Double {
    guard let value = spot.double else { throw mismatch(type, spot) }
    return value
  }

  func decode(_ type: Float.Type) throws -> Float {
    guard let value = spot.float else { throw mismatch(type, spot) }
    return value
  }

  func decode(_ type: Int.Type) throws -> Int {
    guard let value = spot.integer(type) else { throw mismatch(type, spot) }
    return value
  }

  func decode(_ type: Int8.Type) throws -> Int8 {
    guard let value = spot.integer(type) else { throw mismatch(type, spot) }
    return value
  }

  func decode(_ type: Int16.Type) throws -> Int16 {
    guard let value = spot.integer(type) else { throw mismatch(type, spot) }
    return value
  }

  func decode(_ type: Int32.Type) throws -> Int32 {
    guard let value = spot.integer(type) else { throw mismatch(type, spot) }
    return value
  }

  func decode(_ type: Int64.Type) throws -> Int64 {
    guard let value = spot.integer(type) else { throw mismatch(type, spot) }
    return value
  }

  func decode(_ type: UInt.Type) throws -> UInt {
    guard let value = spot.integer(type) else { throw mismatch(type, spot) }
    return value
  }

  func decode(_ type: UInt8.Type) throws -> UInt8 {
    guard let value = spot.integer(type) else { throw mismatch(type, spot) }
    return value
  }

  func decode(_ type: UInt16.Type) throws -> UInt16 {
    guard let value = spot.integer(type) else { throw mismatch(type, spot) }
    return value
  }

  func decode(_ type: UInt32.Type) throws -> UInt32 {
    guard let value = spot.integer(type) else { throw mismatch(type, spot) }
    return value
  }

  func decode(_ type: UInt64.Type) throws -> UInt64 {
    guard let value = spot.integer(type) else { throw mismatch(type, spot) }
    return value
  }
}
