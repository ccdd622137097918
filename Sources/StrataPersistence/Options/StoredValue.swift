import StrataNormalization
import StrataStorage

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

extension StoredValues {
  static func tableName(of name: String) -> TableName { TableName(table(of: name)) }
}

extension ChangeSet {
  /// The names of the tables in it.
  var tableNames: Set<String> { Set(tables.lazy.map(\.table.text)) }
}
