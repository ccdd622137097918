import StrataCore
import StrataNormalization
import StrataStorage

/// What a program keeps in its file and how, the type of its state erased: the same for everyone who
/// writes or reads the file, and for as long as it is open.
package struct StoragePolicy: Sendable {
  /// The persisted values, each as a put of what the initial state has.
  var values = ChangeSet()
  /// The tables of which nothing is kept.
  private(set) var excluded: Set<TableName> = []
  /// The ``TableTransform`` of each table that has one.
  private var treatments: [String: any Sendable] = [:]
}

extension StoragePolicy {
  /// Takes the lists that `open` was given; traps where they cannot be meant.
  init<State, Database: DatabaseType>(
    _ values: [PersistedValue<State>],
    of state: State,
    beside database: StatePath<State, Database>,
    _ tables: [TableOption<Database>]
  ) {
    PersistedValue.check(values, beside: database)
    self.init(values: ChangeSet(values, of: state))
    for value in values { value.treat(in: &self) }
    for option in tables { option.apply(to: &self) }
  }

  /// Takes what is done with the tables of a database that is read alone.
  init<Database: DatabaseType>(_ tables: [TableOption<Database>]) {
    for option in tables { option.apply(to: &self) }
  }

  /// Refuses a table whose name is that of a value.
  static func checkNames<Database: DatabaseType>(
    of database: Database.Type,
    at path: StorePath
  ) throws(PersistenceError) {
    for table in Database.schema.tables
    where StoredValues.name(ofTable: table.name.text) != nil {
      throw PersistenceError(.opening, path: path.file, .reservedName(table.name.text))
    }
  }

  mutating func exclude(_ table: TableName) { excluded.insert(table) }

  /// Whether something is kept of a table.
  func keeps(_ table: TableName) -> Bool { excluded.isEmpty || !excluded.contains(table) }

  /// Changes what is done to the records of a table.
  mutating func treat<Entity>(
    _ table: TableName,
    _ change: (inout TableTransform<Entity>) -> Void
  ) {
    var transform = transform(of: table.text) ?? TableTransform<Entity>()
    change(&transform)
    treatments[table.text] = transform
  }

  /// Whether nothing is done to the records of any table.
  var hasNoTransforms: Bool { treatments.isEmpty }

  /// What is done to the records of a table; nil for nothing.
  func transform<Entity>(of table: String) -> TableTransform<Entity>? {
    treatments[table] as? TableTransform<Entity>
  }
}

extension DatabaseSchema {
  /// The tables of which something is kept.
  func tables(in policy: StoragePolicy) -> [any SchemaTable<Database>] {
    policy.excluded.isEmpty ? tables : tables.filter { policy.keeps($0.name) }
  }
}
