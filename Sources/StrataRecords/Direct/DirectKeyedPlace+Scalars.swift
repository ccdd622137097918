extension DirectKeyedPlace {
  func decode(_: Bool.Type, forKey key: Key) throws -> Bool {
    try read(key) { cursor, shape throws(NotDirect) in try cursor.bool(shape) }
  }

  func decodeIfPresent(_: Bool.Type, forKey key: Key) throws -> Bool? {
    try readIfPresent(key) { cursor, shape throws(NotDirect) in try cursor.bool(shape) }
  }

  func decode(_: String.Type, forKey key: Key) throws -> String {
    try read(key) { cursor, shape throws(NotDirect) in try cursor.string(shape) }
  }

  func decodeIfPresent(_: String.Type, forKey key: Key) throws -> String? {
    try readIfPresent(key) { cursor, shape throws(NotDirect) in try cursor.string(shape) }
  }

  func decode(_: Double.Type, forKey key: Key) throws -> Double {
    try read(key) { cursor, shape throws(NotDirect) in try cursor.double(shape) }
  }

  func decodeIfPresent(_: Double.Type, forKey key: Key) throws -> Double? {
    try readIfPresent(key) { cursor, shape throws(NotDirect) in try cursor.double(shape) }
  }

  func decode(_: Float.Type, forKey key: Key) throws -> Float {
    try read(key) { cursor, shape throws(NotDirect) in try cursor.float(shape) }
  }

  func decodeIfPresent(_: Float.Type, forKey key: Key) throws -> Float? {
    try readIfPresent(key) { cursor, shape throws(NotDirect) in try cursor.float(shape) }
  }

  func decode(_: Int.Type, forKey key: Key) throws -> Int { try integer(key) }

  func decodeIfPresent(_: Int.Type, forKey key: Key) throws -> Int? {
    try integerIfPresent(key)
  }

  func decode(_: Int8.Type, forKey key: Key) throws -> Int8 { try integer(key) }

  func decodeIfPresent(_: Int8.Type, forKey key: Key) throws -> Int8? {
    try integerIfPresent(key)
  }

  func decode(_: Int16.Type, forKey key: Key) throws -> Int16 { try integer(key) }

  func decodeIfPresent(_: Int16.Type, forKey key: Key) throws -> Int16? {
    try integerIfPresent(key)
  }

  func decode(_: Int32.Type, forKey key: Key) throws -> Int32 { try integer(key) }

  func decodeIfPresent(_: Int32.Type, forKey key: Key) throws -> Int32? {
    try integerIfPresent(key)
  }

  func decode(_: Int64.Type, forKey key: Key) throws -> Int64 { try integer(key) }

  func decodeIfPresent(_: Int64.Type, forKey key: Key) throws -> Int64? {
    try integerIfPresent(key)
  }

  func decode(_: UInt.Type, forKey key: Key) throws -> UInt { try integer(key) }

  func decodeIfPresent(_: UInt.Type, forKey key: Key) throws -> UInt? {
    try integerIfPresent(key)
  }

  func decode(_: UInt8.Type, forKey key: Key) throws -> UInt8 { try integer(key) }

  func decodeIfPresent(_: UInt8.Type, forKey key: Key) throws -> UInt8? {
    try integerIfPresent(key)
  }

  func decode(_: UInt16.Type, forKey key: Key) throws -> UInt16 { try integer(key) }

  func decodeIfPresent(_: UInt16.Type, forKey key: Key) throws -> UInt16? {
    try integerIfPresent(key)
  }

  func decode(_: UInt32.Type, forKey key: Key) throws -> UInt32 { try integer(key) }

  func decodeIfPresent(_: UInt32.Type, forKey key: Key) throws -> UInt32? {
    try integerIfPresent(key)
  }

  func decode(_: UInt64.Type, forKey key: Key) throws -> UInt64 { try integer(key) }

  func decodeIfPresent(_: UInt64.Type, forKey key: Key) throws -> UInt64? {
    try integerIfPresent(key)
  }
}
