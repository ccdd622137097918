package import StrataRecords

/// The tables of a file that hold persisted values: one record each, in a table named `value:` and the
/// name of the value.
package enum StoredValues {
  /// The prefix of their table names.
  package static let prefix = "value:"
  /// The ID of the one record.
  package static let id = "value"
  /// The field of that record.
  package static let field = "value"

  package static func table(of name: String) -> String { prefix + name }

  /// `table users` or `value settings`.
  package static func title(ofTable table: String) -> String {
    name(ofTable: table).map { "value \($0)" } ?? "table \(table)"
  }

  /// The name of the value that a table holds; nil for a table of entities.
  package static func name(ofTable table: String) -> String? {
    table.hasPrefix(prefix) ? String(table.dropFirst(prefix.count)) : nil
  }

  /// The value in the record that holds it; nil for an entity.
  package static func value(in record: RecordValue, of table: String) -> RecordValue? {
    guard name(ofTable: table) != nil, case .object(let members) = record,
      let only = members.only, only.name == field
    else { return nil }
    return only.value
  }
}

extension Sequence<String> {
  /// The names of entity tables and the names of values, both sorted.
  package func splitIntoTablesAndValues() -> (tables: [String], values: [String]) {
    let sorted = sorted()
    return (
      sorted.filter { StoredValues.name(ofTable: $0) == nil },
      sorted.compactMap { StoredValues.name(ofTable: $0) }
    )
  }
}
