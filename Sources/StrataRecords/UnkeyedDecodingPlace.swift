/// The elements of a value being decoded.
struct UnkeyedDecodingPlace: UnkeyedDecodingContainer {
  let node: DecodingNode
  private(set) var currentIndex = 0
  private var number: Int

  init(node: DecodingNode) {
    self.node = node
    number = node.spot.inside
  }

  var codingPath: [any CodingKey] { node.codingPath }
  var count: Int? { node.spot.count }
  var isAtEnd: Bool { currentIndex >= node.spot.count }

  private var key: PathKey { .index(currentIndex) }

  private func current(_ type: Any.Type) throws -> TapeSpot {
    guard !isAtEnd else {
      throw DecodingError.valueNotFound(type, node.context("The array ends here.", key))
    }
    return TapeSpot(node.spot.tape, number)
  }

  private mutating func advance() {
    currentIndex += 1
    number = node.spot.tape.tokens[number].end
  }

  mutating func decodeNil() throws -> Bool {
    guard try current(Never?.self).tag == .null else { return false }
    advance()
    return true
  }

  mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    let element = try current(type)
    let value = try element.value(type) {
      try node.child(element, defaults: nil, key).nested(type)
    }
    advance()
    return value
  }

  private mutating func exactly<Value>(_ read: (TapeSpot) -> Value?) throws -> Value {
    let element = try current(Value.self)
    guard let value = read(element) else { throw node.mismatch(Value.self, element, key) }
    advance()
    return value
  }

  mutating func decode(_ type: Bool.Type) throws -> Bool {
    try exactly { $0.bool }
  }

  mutating func decode(_ type: String.Type) throws -> String {
    try exactly { $0.string }
  }

  mutating func decode(_ type: Double.Type) throws -> Double {
    try exactly { $0.double }
  }

  mutating func decode(_ type: Float.Type) throws -> Float {
    try exactly { $0.float }
  }

  mutating func decode(_ type: Int.Type) throws -> Int {
    try exactly { $0.integer(Int.self) }
  }

  mutating func decode(_ type: Int8.Type) throws -> Int8 {
    try exactly { $0.integer(Int8.self) }
  }

  mutating func decode(_ type: Int16.Type) throws -> Int16 {
    try exactly { $0.integer(Int16.self) }
  }

  mutating func decode(_ type: Int32.Type) throws -> Int32 {
    try exactly { $0.integer(Int32.self) }
  }

  mutating func decode(_ type: Int64.Type) throws -> Int64 {
    try exactly { $0.integer(Int64.self) }
  }

  mutating func decode(_ type: UInt.Type) throws -> UInt {
    try exactly { $0.integer(UInt.self) }
  }

  mutating func decode(_ type: UInt8.Type) throws -> UInt8 {
    try exactly { $0.integer(UInt8.self) }
  }

  mutating func decode(_ type: UInt16.Type) throws -> UInt16 {
    try exactly { $0.integer(UInt16.self) }
  }

  mutating func decode(_ type: UInt32.Type) throws -> UInt32 {
    try exactly { $0.integer(UInt32.self) }
  }

  mutating func decode(_ type: UInt64.Type) throws -> UInt64 {
    try exactly { $0.integer(UInt64.self) }
  }

  mutating func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type
  ) throws -> KeyedDecodingContainer<NestedKey> {
    let container = try nested(type).container(keyedBy: type)
    advance()
    return container
  }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    let container = try nested([Any].self).unkeyedContainer()
    advance()
    return container
  }

  mutating func superDecoder() throws -> any Decoder {
    let decoder = try nested((any Decoder).self)
    advance()
    return decoder
  }

  private func nested(_ type: Any.Type) throws -> DecodingNode {
    node.child(try current(type), defaults: nil, key)
  }
}
