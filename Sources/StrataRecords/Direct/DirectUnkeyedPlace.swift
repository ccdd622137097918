/// The elements of an array, read where they lie.
struct DirectUnkeyedPlace: UnkeyedDecodingContainer {
  private let session: DirectSession
  private let element: DirectShape
  private var offset: UInt32
  private let total: UInt32
  private var index: UInt32 = 0

  init(_ session: DirectSession, _ shape: DirectShape, at offset: UInt32) throws {
    guard shape.kind == .array else { throw session.giveUp() }
    self.session = session
    element = session.tables.elements[Int(shape.index)]
    (total, self.offset) = try session.read(at: offset) { cursor throws(NotDirect) in
      let count = try cursor.elementCount()
      return (UInt32(truncatingIfNeeded: count), UInt32(truncatingIfNeeded: cursor.offset))
    }
  }

  /// A type that asks for its place is read with the names at hand.
  var codingPath: [any CodingKey] {
    _ = session.giveUp()
    return []
  }

  var count: Int? { Int(total) }
  var currentIndex: Int { Int(index) }
  var isAtEnd: Bool { index >= total }

  private func checkNotAtEnd() throws {
    if isAtEnd { throw session.giveUp() }
  }

  /// Arrays with a null in them are not of one kind.
  mutating func decodeNil() throws -> Bool {
    try checkNotAtEnd()
    return false
  }

  @inline(__always)
  private mutating func read<Value>(
    _ body: (inout RawCursor, DirectShape) throws(NotDirect) -> Value
  ) throws -> Value {
    try checkNotAtEnd()
    let (value, end) = try session.read(at: offset) { cursor throws(NotDirect) in
      let value = try body(&cursor, element)
      return (value, UInt32(truncatingIfNeeded: cursor.offset))
    }
    offset = end
    index += 1
    return value
  }

  mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    try checkNotAtEnd()
    let end =
      element.kind == .record
      ? session.end(ofFrame: try session.open(element, at: offset))
      : try session.end(of: element, at: offset)
    let value = try session.value(type, element, at: offset)
    offset = end
    index += 1
    return value
  }

  mutating func decode(_: Bool.Type) throws -> Bool {
    try read { cursor, shape throws(NotDirect) in try cursor.bool(shape) }
  }

  mutating func decode(_: String.Type) throws -> String {
    try read { cursor, shape throws(NotDirect) in try cursor.string(shape) }
  }

  mutating func decode(_: Double.Type) throws -> Double {
    try read { cursor, shape throws(NotDirect) in try cursor.double(shape) }
  }

  mutating func decode(_: Float.Type) throws -> Float {
    try read { cursor, shape throws(NotDirect) in try cursor.float(shape) }
  }

  private mutating func integer<Integer: FixedWidthInteger>() throws -> Integer {
    try read { cursor, shape throws(NotDirect) in try cursor.integer(shape) }
  }

  mutating func decode(_: Int.Type) throws -> Int { try integer() }
  mutating func decode(_: Int8.Type) throws -> Int8 { try integer() }
  mutating func decode(_: Int16.Type) throws -> Int16 { try integer() }
  mutating func decode(_: Int32.Type) throws -> Int32 { try integer() }
  mutating func decode(_: Int64.Type) throws -> Int64 { try integer() }
  mutating func decode(_: UInt.Type) throws -> UInt { try integer() }
  mutating func decode(_: UInt8.Type) throws -> UInt8 { try integer() }
  mutating func decode(_: UInt16.Type) throws -> UInt16 { try integer() }
  mutating func decode(_: UInt32.Type) throws -> UInt32 { try integer() }
  mutating func decode(_: UInt64.Type) throws -> UInt64 { try integer() }

  mutating func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type
  ) throws -> KeyedDecodingContainer<NestedKey> {
    let nested = try nested()
    return try nested.container(keyedBy: type)
  }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    let nested = try nested()
    return try nested.unkeyedContainer()
  }

  private mutating func nested() throws -> DirectDecoder {
    try checkNotAtEnd()
    let decoder = DirectDecoder(session: session, offset: offset, shape: element)
    offset = try session.end(of: element, at: offset)
    index += 1
    return decoder
  }

  mutating func superDecoder() throws -> any Decoder { throw session.giveUp() }
}
