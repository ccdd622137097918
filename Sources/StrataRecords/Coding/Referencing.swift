/// A type whose values refer to entities of other tables: an ID, or a collection of IDs.
///
/// A record's layout notes the references of every field of such a type. Only the outermost type counts: what
/// the raw value of an ID refers to is no reference of its own.
package protocol Referencing {
  /// What every value of the type refers to; nil for one that turns out to refer to nothing, like an
  /// array of numbers.
  static var referencedTables: ReferencedTables? { get }
}

extension ReferencedTables {
  /// What the values of a type refer to.
  package init?<Value>(of type: Value.Type) {
    guard let type = type as? any Referencing.Type, let tables = type.referencedTables else {
      return nil
    }
    self = tables
  }
}

extension Optional: Referencing {
  package static var referencedTables: ReferencedTables? { ReferencedTables(of: Wrapped.self) }
}

extension Array: Referencing {
  package static var referencedTables: ReferencedTables? {
    ReferencedTables(of: Element.self).map { .elements($0) }
  }
}

extension Set: Referencing {
  package static var referencedTables: ReferencedTables? {
    ReferencedTables(of: Element.self).map { .elements($0) }
  }
}

extension Dictionary: Referencing {
  package static var referencedTables: ReferencedTables? {
    let (keys, values) = (ReferencedTables(of: Key.self), ReferencedTables(of: Value.self))
    return keys == nil && values == nil ? nil : .dictionary(keys: keys, values: values)
  }
}

/// What types of values refer to, each asked once, because asking costs more than coding a value.
struct ReferenceTypes: Sendable {
  /// The number that stands for no references.
  static let none: Int32 = -1

  private var numbers: [(type: ObjectIdentifier, number: Int32)] = []
  private var found: [ReferencedTables] = []

  subscript(number: Int32) -> ReferencedTables? {
    number == Self.none ? nil : found[Int(number)]
  }

  /// The number of what the values of a type refer to.
  @inline(__always)
  mutating func number<Value>(of type: Value.Type) -> Int32 {
    let id = ObjectIdentifier(type)
    for entry in numbers where entry.type == id { return entry.number }
    return lookUp(type)
  }

  private mutating func lookUp<Value>(_ type: Value.Type) -> Int32 {
    let number = ReferencedTables(of: type).map { self.number(for: $0) } ?? Self.none
    numbers.append((ObjectIdentifier(type), number))
    return number
  }

  /// The number of tables that were read from a layout.
  mutating func number(for tables: ReferencedTables) -> Int32 {
    if let index = found.firstIndex(of: tables) { return Int32(index) }
    found.append(tables)
    return Int32(found.count - 1)
  }
}
