/// Which tables of a file are persisted values.
package enum StoredValues {
  /// What the names of their tables begin with.
  package static let prefix = "value:"
  /// The ID of the one entity.
  package static let id = "value"
  /// The field of its record.
  static let field = "value"

  package static func table(of name: String) -> String { prefix + name }

  /// `table users` or `value settings`.
  package static func title(ofTable table: String) -> String {
    name(ofTable: table).map { "value \($0)" } ?? "table \(table)"
  }

  /// The name of the value whose table this is; nil for a table of entities.
  package static func name(ofTable table: String) -> String? {
    table.hasPrefix(prefix) ? String(table.dropFirst(prefix.count)) : nil
  }
}

extension Sequence<String> {
  /// The names of tables of entities, sorted, and the names of values.
  package func splitIntoTablesAndValues() -> (tables: [String], values: [String]) {
    let sorted = sorted()
    return (
      sorted.filter { StoredValues.name(ofTable: $0) == nil },
      sorted.compactMap { StoredValues.name(ofTable: $0) }
    )
  }
}
