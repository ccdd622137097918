import StrataJournal
import StrataNormalization

/// A persisted value as the file stores it: the only entity of a separate table.
///
/// So the journal, the chain, snapshots and everything that reads them handle it like any entity.
/// Its record has one field, which may be null.
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
  /// The changes of persisted values.
  var values: ChangeSet { filter { StoredValues.name(ofTable: $0.text) != nil } }

  /// The names of the tables in it.
  var tableNames: Set<String> { Set(tables.lazy.map(\.table.text)) }
}
