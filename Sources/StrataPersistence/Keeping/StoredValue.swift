import StrataNormalization

/// A persisted value as the file has it: the only entity of a table of its own.
///
/// So journal, chain, fold, snapshots and everything that reads them treat it like any entity. Its
/// record has one field, which may be null.
struct StoredValue<Value: Codable & Equatable & Sendable>: EntityType {
  static var tableName: TableName { TableName(StoredValues.prefix) }

  var id: EntityID<StoredValue> { EntityID(StoredValues.id) }
  let value: Value

  private enum CodingKeys: CodingKey { case value }
}

/// Which tables of a file are persisted values.
package enum StoredValues {
  /// What the names of their tables begin with.
  package static let prefix = "value:"
  /// The ID of the one entity.
  static let id = "value"
  /// The field of its record.
  static let field = "value"

  static func table(of name: String) -> TableName { TableName(prefix + name) }

  /// `table users` or `value settings`.
  static func title(ofTable table: String) -> String {
    name(ofTable: table).map { "value \($0)" } ?? "table \(table)"
  }

  /// The name of the value whose table this is; nil for a table of entities.
  package static func name(ofTable table: String) -> String? {
    table.hasPrefix(prefix) ? String(table.dropFirst(prefix.count)) : nil
  }
}

extension Sequence<String> {
  /// The names of tables of entities, sorted, and the names of values.
  func partedByKind() -> (tables: [String], values: [String]) {
    let sorted = sorted()
    return (
      sorted.filter { StoredValues.name(ofTable: $0) == nil },
      sorted.compactMap { StoredValues.name(ofTable: $0) }
    )
  }
}

extension ChangeSet {
  /// The names of the tables in it.
  var tableNames: Set<String> { Set(tables.lazy.map(\.table.text)) }
}
