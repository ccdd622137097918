import StrataCore
import StrataJournal
import StrataNormalization
import StrataRecords

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

/// Compares values as the file does: two are the same if they are stored as the same bytes.
///
/// Their `==` is not asked: it takes 0.0 for -0.0 and texts that are composed differently for the same, ignores
/// what a type leaves out, and holds NaN different from itself.
enum StoredComparison {
  /// Whether two values are stored alike.
  ///
  /// Values with equal memory are; else both are encoded. O(size of the values). A value that cannot be encoded
  /// differs: where it is stored, it is refused with its name.
  static func areSame<Value: Encodable>(_ first: Value, _ second: Value) -> Bool {
    if BitwiseEquality.areEqual(first, second) { return true }
    do {
      return try TaggedValue.bytes(of: first) == TaggedValue.bytes(of: second)
    } catch _ {
      return false
    }
  }
}
