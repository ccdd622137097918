/// The members of a record, read where they lie.
struct DirectKeyedPlace<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let session: DirectSession
  let frame: Int

  /// A type that asks for its place is read with the names at hand.
  var codingPath: [any CodingKey] {
    _ = session.giveUp()
    return []
  }

  var allKeys: [Key] { session.names(in: frame).compactMap(Key.init(stringValue:)) }

  func contains(_ key: Key) -> Bool { session.field(key.stringValue, in: frame) != nil }

  func decodeNil(forKey key: Key) throws -> Bool { try required(key).shape.kind == .null }

  /// What is absent may stand in the defaults, which are not read directly.
  @inline(__always)
  private func required(_ key: Key) throws(NotDirect) -> (offset: UInt32, shape: DirectShape) {
    guard let field = session.field(key.stringValue, in: frame) else { throw session.giveUp() }
    return field
  }

  @inline(__always)
  func read<Value>(
    _ key: Key,
    _ body: (inout RawCursor, DirectShape) throws(NotDirect) -> Value
  ) throws -> Value {
    let (offset, shape) = try required(key)
    return try session.read(at: offset) { cursor throws(NotDirect) in try body(&cursor, shape) }
  }

  @inline(__always)
  func readIfPresent<Value>(
    _ key: Key,
    _ body: (inout RawCursor, DirectShape) throws(NotDirect) -> Value
  ) throws -> Value? {
    guard let (offset, shape) = session.field(key.stringValue, in: frame), shape.kind != .null
    else { return nil }
    return try session.read(at: offset) { cursor throws(NotDirect) in try body(&cursor, shape) }
  }

  func integer<Integer: FixedWidthInteger>(_ key: Key) throws -> Integer {
    try read(key) { cursor, shape throws(NotDirect) in try cursor.integer(shape) }
  }

  func integerIfPresent<Integer: FixedWidthInteger>(_ key: Key) throws -> Integer? {
    try readIfPresent(key) { cursor, shape throws(NotDirect) in try cursor.integer(shape) }
  }

  func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
    let (offset, shape) = try required(key)
    return try session.value(type, shape, at: offset)
  }

  func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
    guard let (offset, shape) = session.field(key.stringValue, in: frame), shape.kind != .null
    else { return nil }
    return try session.value(type, shape, at: offset)
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

  private func nested(_ key: Key) throws -> DirectDecoder {
    let (offset, shape) = try required(key)
    return DirectDecoder(session: session, offset: offset, shape: shape)
  }

  func superDecoder() throws -> any Decoder { throw session.giveUp() }

  func superDecoder(forKey key: Key) throws -> any Decoder { throw session.giveUp() }
}
