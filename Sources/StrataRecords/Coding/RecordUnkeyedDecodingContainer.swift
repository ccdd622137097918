/// The elements of a value being decoded.
struct RecordUnkeyedDecodingContainer: UnkeyedDecodingContainer {
  private let decoder: RecordDecoder
  private let element: LayoutTables.Shape
  private let total: Int
  private(set) var currentIndex = 0
  private var offset: Int

  init(_ decoder: RecordDecoder) throws {
    guard decoder.value.kind == .array else {
      throw decoder.mismatch([Any].self, decoder.value)
    }
    let context = DecodingContext(decoder.decoding, decoder.key, in: decoder.context)
    self.decoder = RecordDecoder(context: context, value: decoder.value)
    var cursor = decoder.decoding.cursor(at: Int(decoder.value.offset))
    let isTagged: Bool
    (total, isTagged) = try cursor.arrayHeader()
    let tables = decoder.decoding.tables
    element = isTagged ? .tagged : tables.elements[decoder.value.shape.index]
    offset = cursor.offset
  }

  var codingPath: [any CodingKey] { decoder.codingPath }
  var count: Int? { total }
  var isAtEnd: Bool { currentIndex >= total }

  private var key: PathKey { .index(currentIndex) }

  private func checkNotAtEnd(_ type: Any.Type) throws {
    guard isAtEnd else { return }
    throw DecodingError.valueNotFound(type, decoder.context("The array ends here.", key))
  }

  private func current(_ type: Any.Type) throws -> ValueLocation {
    try checkNotAtEnd(type)
    var cursor = decoder.decoding.cursor(at: offset)
    return try ValueLocation(&cursor, element)
  }

  private func end() throws(RecordError) -> Int {
    try decoder.decoding.end(of: element, at: offset)
  }

  private mutating func advance(to end: Int) {
    currentIndex += 1
    offset = end
  }

  mutating func decodeNil() throws -> Bool {
    guard try current(Never?.self).kind == .null else { return false }
    advance(to: try end())
    return true
  }

  mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    let stored = try current(type)
    let end = try end()
    let value = try decoder.context.element(type, stored, currentIndex)
    advance(to: end)
    return value
  }

  mutating func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type
  ) throws -> KeyedDecodingContainer<NestedKey> {
    let container = try nested(type).container(keyedBy: type)
    advance(to: try end())
    return container
  }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    let container = try nested([Any].self).unkeyedContainer()
    advance(to: try end())
    return container
  }

  mutating func superDecoder() throws -> any Decoder {
    let decoder = try nested((any Decoder).self)
    advance(to: try end())
    return decoder
  }

  private func nested(_ type: Any.Type) throws -> RecordDecoder {
    decoder.context.element(currentIndex, try current(type))
  }
}

/// Elements without parts.
extension RecordUnkeyedDecodingContainer {
  @inline(__always)
  private mutating func read<Value>(
    _ body: (inout ByteCursor, ValueKind) throws -> Value?
  ) throws -> Value {
    try checkNotAtEnd(Value.self)
    var cursor = decoder.decoding.cursor(at: offset)
    let stored = try ValueLocation(&cursor, element)
    guard let value = try body(&cursor, stored.kind) else {
      throw decoder.mismatch(Value.self, stored, key)
    }
    advance(to: cursor.offset)
    return value
  }

  mutating func decode(_: Bool.Type) throws -> Bool { try read { try $0.bool($1) } }
  mutating func decode(_: String.Type) throws -> String { try read { try $0.string($1) } }
  mutating func decode(_: Double.Type) throws -> Double { try read { try $0.double($1) } }
  mutating func decode(_: Float.Type) throws -> Float { try read { try $0.float($1) } }
  mutating func decode(_: Int.Type) throws -> Int { try read { try $0.integer($1) } }
  mutating func decode(_: Int8.Type) throws -> Int8 { try read { try $0.integer($1) } }
  mutating func decode(_: Int16.Type) throws -> Int16 { try read { try $0.integer($1) } }
  mutating func decode(_: Int32.Type) throws -> Int32 { try read { try $0.integer($1) } }
  mutating func decode(_: Int64.Type) throws -> Int64 { try read { try $0.integer($1) } }
  mutating func decode(_: UInt.Type) throws -> UInt { try read { try $0.integer($1) } }
  mutating func decode(_: UInt8.Type) throws -> UInt8 { try read { try $0.integer($1) } }
  mutating func decode(_: UInt16.Type) throws -> UInt16 { try read { try $0.integer($1) } }
  mutating func decode(_: UInt32.Type) throws -> UInt32 { try read { try $0.integer($1) } }
  mutating func decode(_: UInt64.Type) throws -> UInt64 { try read { try $0.integer($1) } }
}
