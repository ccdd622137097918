/// What matters of the types of values, each asked once, because asking costs more than coding a value.
struct CodedTypes: Sendable {
  /// The number that stands for no references.
  static let none: Int32 = -1

  /// What matters of one type.
  struct Traits: Sendable {
    /// The number of what its values refer to.
    var references = CodedTypes.none
    /// The order of its parts, if they have none of their own.
    var order: StoredOrder?
    /// How texts in its values are stored.
    var spelling = Spelling.asGiven
  }

  private var traits: [(type: ObjectIdentifier, traits: Traits)] = []
  private var found: [ReferencedTables] = []

  subscript(number: Int32) -> ReferencedTables? {
    number == Self.none ? nil : found[Int(number)]
  }

  /// What matters of a type.
  @inline(__always)
  mutating func traits<Value>(of type: Value.Type) -> Traits {
    let id = ObjectIdentifier(type)
    for entry in traits where entry.type == id { return entry.traits }
    return lookUp(type)
  }

  private mutating func lookUp<Value>(_ type: Value.Type) -> Traits {
    var traits = Traits()
    if let tables = ReferencedTables(of: type) {
      traits.references = number(for: tables)
      if case .table = tables { traits.spelling = .composed }
    }
    traits.order = (type as? any UnorderedCodable.Type)?.storedOrder
    self.traits.append((ObjectIdentifier(type), traits))
    return traits
  }

  /// The number of tables that were read from a layout.
  mutating func number(for tables: ReferencedTables) -> Int32 {
    if let index = found.firstIndex(of: tables) { return Int32(index) }
    found.append(tables)
    return Int32(found.count - 1)
  }
}
