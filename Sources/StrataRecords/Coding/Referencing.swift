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
