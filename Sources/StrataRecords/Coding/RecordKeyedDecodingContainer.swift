/// The members of a value being decoded.
struct RecordKeyedDecodingContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let members: RecordMembers

  var codingPath: [any CodingKey] { members.codingPath }

  var allKeys: [Key] {
    // The record was checked as a whole, so this does not fail.
    do { return try members.names().compactMap(Key.init(stringValue:)) } catch {
      return []
    }
  }

  func contains(_ key: Key) -> Bool {
    // The record was checked as a whole, so this does not fail.
    do { return try stored(key.stringValue).kind != .absent } catch { return false }
  }

  func decodeNil(forKey key: Key) throws -> Bool { try required(key).value.kind == .null }

  func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
    let stored = try stored(key.stringValue)
    if stored.kind == .absent { return try required(key).decode(type) }
    return try members.value(type, stored, key)
  }

  func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
    let stored = try stored(key.stringValue)
    guard stored.kind != .absent, stored.kind != .null else { return nil }
    return try members.value(type, stored, key)
  }

  /// The stored member of that name, or an absent one.
  @inline(__always)
  private func stored(_ name: String) throws(RecordError) -> ValueLocation {
    try members.member(name)
  }

  private func part(_ key: some CodingKey) throws(RecordError) -> RecordDecoder {
    try members.part(key, try stored(key.stringValue))
  }

  private func required(_ key: Key) throws -> RecordDecoder {
    let part = try part(key)
    guard part.value.kind != .absent else { throw members.decoder.failure(Never.self, part, key) }
    return part
  }

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type,
    forKey key: Key
  ) throws -> KeyedDecodingContainer<NestedKey> {
    try required(key).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try required(key).unkeyedContainer()
  }

  /// A superclass that wrote nothing reads null.
  func superDecoder() throws -> any Decoder { try part(PathKey.superclass) }

  func superDecoder(forKey key: Key) throws -> any Decoder { try part(key) }
}

/// Members without parts.
extension RecordKeyedDecodingContainer {
  @inline(__always)
  private func read<Value>(
    _ key: Key,
    _ body: (inout ByteCursor, ValueKind) throws -> Value?
  ) throws -> Value {
    let stored = try stored(key.stringValue)
    var cursor = members.cursor(at: stored)
    if let value = try body(&cursor, stored.kind) {
      members.noteEnd(cursor.offset)
      return value
    }
    let part = try members.part(key, stored)
    cursor = part.decoding.cursor(at: Int(part.value.offset))
    if let value = try body(&cursor, part.value.kind) { return value }
    throw members.decoder.failure(Value.self, part, key)
  }

  @inline(__always)
  private func readIfPresent<Value>(
    _ key: Key,
    _ body: (inout ByteCursor, ValueKind) throws -> Value?
  ) throws -> Value? {
    let stored = try stored(key.stringValue)
    guard stored.kind != .absent, stored.kind != .null else { return nil }
    var cursor = members.cursor(at: stored)
    if let value = try body(&cursor, stored.kind) {
      members.noteEnd(cursor.offset)
      return value
    }
    throw members.decoder.mismatch(Value.self, stored, key)
  }

  /// An integer of a type that few entities have: it is read as the widest one, so that there is one function for all of
  /// them.
  private func whole<Integer: FixedWidthInteger>(_ key: Key) throws -> Integer {
    try whole(key, try stored(key.stringValue))
  }

  private func wholeIfPresent<Integer: FixedWidthInteger>(_ key: Key) throws -> Integer? {
    let stored = try stored(key.stringValue)
    if stored.kind == .absent || stored.kind == .null { return nil }
    return try whole(key, stored)
  }

  private func whole<Integer: FixedWidthInteger>(
    _ key: Key,
    _ stored: ValueLocation
  ) throws -> Integer {
    if let value = Integer(exactly: try widest(key, stored, Integer.self)) { return value }
    throw members.decoder.failure(Integer.self, try part(key), key)
  }

  @inline(never)
  private func widest(_ key: Key, _ stored: ValueLocation, _ type: Any.Type) throws -> Int128 {
    var cursor = members.cursor(at: stored)
    if let value: Int128 = try cursor.integer(stored.kind) {
      members.noteEnd(cursor.offset)
      return value
    }
    let part = try members.part(key, stored)
    cursor = part.decoding.cursor(at: Int(part.value.offset))
    if let value: Int128 = try cursor.integer(part.value.kind) { return value }
    throw members.decoder.failure(type, part, key)
  }

  func decode(_: Bool.Type, forKey key: Key) throws -> Bool { try read(key) { try $0.bool($1) } }
  func decode(_: String.Type, forKey key: Key) throws -> String {
    try read(key) { try $0.string($1) }
  }
  func decode(_: Double.Type, forKey key: Key) throws -> Double {
    try read(key) { try $0.double($1) }
  }
  func decode(_: Float.Type, forKey key: Key) throws -> Float { try read(key) { try $0.float($1) } }
  func decode(_: Int.Type, forKey key: Key) throws -> Int { try read(key) { try $0.integer($1) } }
  func decode(_: Int8.Type, forKey key: Key) throws -> Int8 { try whole(key) }
  func decode(_: Int16.Type, forKey key: Key) throws -> Int16 { try whole(key) }
  func decode(_: Int32.Type, forKey key: Key) throws -> Int32 { try whole(key) }
  func decode(_: Int64.Type, forKey key: Key) throws -> Int64 {
    try read(key) { try $0.integer($1) }
  }
  func decode(_: UInt.Type, forKey key: Key) throws -> UInt { try whole(key) }
  func decode(_: UInt8.Type, forKey key: Key) throws -> UInt8 { try whole(key) }
  func decode(_: UInt16.Type, forKey key: Key) throws -> UInt16 { try whole(key) }
  func decode(_: UInt32.Type, forKey key: Key) throws -> UInt32 { try whole(key) }
  func decode(_: UInt64.Type, forKey key: Key) throws -> UInt64 { try whole(key) }

  func decodeIfPresent(_: Bool.Type, forKey key: Key) throws -> Bool? {
    try readIfPresent(key) { try $0.bool($1) }
  }

  func decodeIfPresent(_: String.Type, forKey key: Key) throws -> String? {
    try readIfPresent(key) { try $0.string($1) }
  }

  func decodeIfPresent(_: Double.Type, forKey key: Key) throws -> Double? {
    try readIfPresent(key) { try $0.double($1) }
  }

  func decodeIfPresent(_: Float.Type, forKey key: Key) throws -> Float? {
    try readIfPresent(key) { try $0.float($1) }
  }

  func decodeIfPresent(_: Int.Type, forKey key: Key) throws -> Int? {
    try readIfPresent(key) { try $0.integer($1) }
  }

  func decodeIfPresent(_: Int8.Type, forKey key: Key) throws -> Int8? {
    try wholeIfPresent(key)
  }

  func decodeIfPresent(_: Int16.Type, forKey key: Key) throws -> Int16? {
    try wholeIfPresent(key)
  }

  func decodeIfPresent(_: Int32.Type, forKey key: Key) throws -> Int32? {
    try wholeIfPresent(key)
  }

  func decodeIfPresent(_: Int64.Type, forKey key: Key) throws -> Int64? {
    try readIfPresent(key) { try $0.integer($1) }
  }

  func decodeIfPresent(_: UInt.Type, forKey key: Key) throws -> UInt? {
    try wholeIfPresent(key)
  }

  func decodeIfPresent(_: UInt8.Type, forKey key: Key) throws -> UInt8? {
    try wholeIfPresent(key)
  }

  func decodeIfPresent(_: UInt16.Type, forKey key: Key) throws -> UInt16? {
    try wholeIfPresent(key)
  }

  func decodeIfPresent(_: UInt32.Type, forKey key: Key) throws -> UInt32? {
    try wholeIfPresent(key)
  }

  func decodeIfPresent(_: UInt64.Type, forKey key: Key) throws -> UInt64? {
    try wholeIfPresent(key)
  }
}
