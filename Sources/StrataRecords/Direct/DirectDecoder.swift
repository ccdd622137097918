/// The one value that stands in place of a type's own, read where it lies.
struct DirectDecoder {
  let session: DirectSession
  let offset: UInt32
  let shape: DirectShape
}

extension DirectDecoder: Decoder {
  /// A type that asks for its place is read with the names at hand.
  var codingPath: [any CodingKey] {
    _ = session.giveUp()
    return []
  }

  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    let frame = try session.open(shape, at: offset)
    return KeyedDecodingContainer(DirectKeyedPlace<Key>(session: session, frame: frame))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    try DirectUnkeyedPlace(session, shape, at: offset)
  }

  func singleValueContainer() -> any SingleValueDecodingContainer { self }
}

extension DirectDecoder: SingleValueDecodingContainer {
  func decodeNil() -> Bool { shape.kind == .null }

  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    try session.value(type, shape, at: offset)
  }

  func decode(_: Bool.Type) throws -> Bool {
    try session.read(at: offset) { cursor throws(NotDirect) in try cursor.bool(shape) }
  }

  func decode(_: String.Type) throws -> String {
    try session.read(at: offset) { cursor throws(NotDirect) in try cursor.string(shape) }
  }

  func decode(_: Double.Type) throws -> Double {
    try session.read(at: offset) { cursor throws(NotDirect) in try cursor.double(shape) }
  }

  func decode(_: Float.Type) throws -> Float {
    try session.read(at: offset) { cursor throws(NotDirect) in try cursor.float(shape) }
  }

  private func integer<Integer: FixedWidthInteger>() throws -> Integer {
    try session.read(at: offset) { cursor throws(NotDirect) in try cursor.integer(shape) }
  }

  func decode(_: Int.Type) throws -> Int { try integer() }
  func decode(_: Int8.Type) throws -> Int8 { try integer() }
  func decode(_: Int16.Type) throws -> Int16 { try integer() }
  func decode(_: Int32.Type) throws -> Int32 { try integer() }
  func decode(_: Int64.Type) throws -> Int64 { try integer() }
  func decode(_: UInt.Type) throws -> UInt { try integer() }
  func decode(_: UInt8.Type) throws -> UInt8 { try integer() }
  func decode(_: UInt16.Type) throws -> UInt16 { try integer() }
  func decode(_: UInt32.Type) throws -> UInt32 { try integer() }
  func decode(_: UInt64.Type) throws -> UInt64 { try integer() }
}
