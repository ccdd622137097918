/// What a decoder knows besides its value: its coding path, and the defaults for missing members.
///
/// One is made for each value that has a container, and shared by all parts below it.
class DecodingContext {
  /// The key of a value in the value around it.
  enum Key {
    /// None: it is the value itself, or the one at the top.
    case same
    /// A field of the layout, by number; its name is looked up when it is asked for.
    case field(Int32)
    case key(any CodingKey)
  }

  final let decoding: RecordDecoding
  fileprivate final let key: Key
  /// The context around this one.
  ///
  /// For a reference to its own class the compiler makes a deinitializer that frees long chains in a
  /// loop. That costs each context more than the rest of it, and no record is that deep.
  private final let around: AnyObject?
  /// The value at the same path of the type's defaults, for members that were not stored.
  final let defaults: ValueLocation?

  init(
    _ decoding: RecordDecoding,
    _ key: Key = .same,
    in parent: DecodingContext? = nil,
    defaults: ValueLocation? = nil
  ) {
    self.decoding = decoding
    self.key = key
    around = parent
    self.defaults = defaults
  }

  private final var parent: DecodingContext? { around as? DecodingContext }

  /// The name of a field of the record that this is the context of.
  func fieldName(_ field: Int32) -> String { "" }

  /// The keys from the top down; O(depth).
  final var codingPath: [any CodingKey] {
    var keys: [any CodingKey] = []
    var context: DecodingContext? = self
    while let current = context {
      switch current.key {
      case .same: break
      case .field(let field): keys.append(PathKey.name(current.parent?.fieldName(field) ?? ""))
      case .key(let key): keys.append(key)
      }
      context = current.parent
    }
    return keys.reversed()
  }
}

/// One stored value being decoded: the decoder that its type reads from.
///
/// Three words, so that it fits into an existential without an allocation, and one reference.
struct RecordDecoder {
  /// The context of the value, or of the record that it is a field of.
  let context: DecodingContext
  let value: ValueLocation
  /// The number of the field, or -1.
  let field: Int32

  init(context: DecodingContext, value: ValueLocation, field: Int32 = -1) {
    self.context = context
    self.value = value
    self.field = field
  }

  var decoding: RecordDecoding { context.decoding }

  /// The key of the value in that of `context`.
  var key: DecodingContext.Key { field < 0 ? .same : .field(field) }
}

extension RecordDecoder: Decoder {
  var codingPath: [any CodingKey] {
    let path = context.codingPath
    return field < 0 ? path : path + [PathKey.name(context.fieldName(field))]
  }

  var userInfo: [CodingUserInfoKey: Any] { decoding.userInfo }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    guard let members = try RecordMembers(self) else {
      throw mismatch([String: Any].self, value)
    }
    let container = RecordKeyedDecodingContainer<Key>(members: members)
    if decoding.isNoting, let coverage = decoding.coverage, let number = value.shape.table {
      return KeyedDecodingContainer(
        NotingKeyedDecodingContainer(members: container, coverage: coverage, number: number)
      )
    }
    return KeyedDecodingContainer(container)
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    try RecordUnkeyedDecodingContainer(self)
  }

  func singleValueContainer() -> any SingleValueDecodingContainer { self }
}

/// The one value that stands in place of a type's own.
extension RecordDecoder: SingleValueDecodingContainer {
  func decodeNil() -> Bool { value.kind == .null || value.kind == .absent }

  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    try self.value(type)
  }

  @inline(__always)
  private func read<Value>(
    _ body: (inout ByteCursor, ValueKind) throws -> Value?
  ) throws -> Value {
    var cursor = decoding.cursor(at: Int(value.offset))
    guard let value = try body(&cursor, value.kind) else { throw mismatch(Value.self, value) }
    return value
  }

  func decode(_: Bool.Type) throws -> Bool { try read { try $0.bool($1) } }
  func decode(_: String.Type) throws -> String { try read { try $0.string($1) } }
  func decode(_: Double.Type) throws -> Double { try read { try $0.double($1) } }
  func decode(_: Float.Type) throws -> Float { try read { try $0.float($1) } }
  func decode(_: Int.Type) throws -> Int { try read { try $0.integer($1) } }
  func decode(_: Int8.Type) throws -> Int8 { try read { try $0.integer($1) } }
  func decode(_: Int16.Type) throws -> Int16 { try read { try $0.integer($1) } }
  func decode(_: Int32.Type) throws -> Int32 { try read { try $0.integer($1) } }
  func decode(_: Int64.Type) throws -> Int64 { try read { try $0.integer($1) } }
  func decode(_: UInt.Type) throws -> UInt { try read { try $0.integer($1) } }
  func decode(_: UInt8.Type) throws -> UInt8 { try read { try $0.integer($1) } }
  func decode(_: UInt16.Type) throws -> UInt16 { try read { try $0.integer($1) } }
  func decode(_: UInt32.Type) throws -> UInt32 { try read { try $0.integer($1) } }
  func decode(_: UInt64.Type) throws -> UInt64 { try read { try $0.integer($1) } }
}

/// Parts.
extension DecodingContext {
  /// A decoder for an element; elements have no defaults.
  final func element(_ index: Int, _ stored: ValueLocation) -> RecordDecoder {
    let context = DecodingContext(decoding, .key(PathKey.index(index)), in: self)
    return RecordDecoder(context: context, value: stored)
  }

  /// The member of that name in the defaults.
  final func defaulted(_ name: String) throws(RecordError) -> ValueLocation? {
    guard let value = defaults, let decoding = decoding.defaults else { return nil }
    return try decoding.member(name, of: value)
  }
}

extension RecordMembers {
  /// A decoder for a member: the stored one, else the one in the defaults, else an absent one.
  func part(_ key: some CodingKey, _ stored: ValueLocation) throws(RecordError) -> RecordDecoder {
    if stored.kind == .absent, let defaulted = try defaulted(key.stringValue),
      let defaults = decoding.defaults
    {
      let context = DecodingContext(defaults, .key(key), in: self)
      return RecordDecoder(context: context, value: defaulted)
    }
    return try storedPart(key, stored)
  }

  /// A decoder for a stored member, with its defaults.
  ///
  /// A field of the layout is identified by its number, so no context is made for a field without a
  /// container.
  func storedPart(_ key: some CodingKey, _ stored: ValueLocation) throws(RecordError)
    -> RecordDecoder
  {
    let name = key.stringValue
    if let field = lastField(named: name) {
      return RecordDecoder(context: self, value: stored, field: field)
    }
    let defaulted = defaults == nil ? nil : try defaulted(name)
    let context = DecodingContext(decoding, .key(key), in: self, defaults: defaulted)
    return RecordDecoder(context: context, value: stored)
  }
}

/// Errors.
extension RecordDecoder {
  func context(_ text: String, _ keys: any CodingKey...) -> DecodingError.Context {
    DecodingError.Context(codingPath: codingPath + keys, debugDescription: text)
  }

  /// The error for a member that cannot be read as the type.
  func failure(_ type: Any.Type, _ part: RecordDecoder, _ key: any CodingKey) -> DecodingError {
    guard part.value.kind == .absent else { return mismatch(type, part.value, key) }
    let text = "The record has no \"\(key.stringValue)\", and no defaults stand in for it."
    return .keyNotFound(key, context(text))
  }

  /// The error for a value that cannot be read as the type.
  func mismatch(
    _ type: Any.Type,
    _ value: ValueLocation,
    _ keys: any CodingKey...
  ) -> DecodingError {
    let path = codingPath + keys
    let wanted = "\(type) is expected here, "
    switch value.kind {
    case .null, .absent:
      let text = wanted + "and null is stored."
      return .valueNotFound(type, .init(codingPath: path, debugDescription: text))
    case .array, .object, .record, .tagged:
      let text = wanted + "and an \(value.kind == .array ? "array" : "object") is stored."
      return .typeMismatch(type, .init(codingPath: path, debugDescription: text))
    default:
      let text = wanted + "and the stored value of kind \(value.kind) does not fit into it exactly."
      return .typeMismatch(type, .init(codingPath: path, debugDescription: text))
    }
  }
}
