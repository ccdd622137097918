import StrataCore
import StrataJournal
import StrataNormalization

/// What a program stores in its file and how; the type of its state is erased.
///
/// It stays the same for as long as the file is open, for everything that writes or reads it.
package struct StoragePolicy: Sendable {
  /// The persisted values, each as a put of its initial value.
  var values = ChangeSet()
  /// The tables of which nothing is stored.
  private(set) var excluded: Set<TableName> = []
  /// The ``TableTransform`` of each table that has one.
  private var transforms: [String: any Sendable] = [:]

  /// Whether any record is changed on its way into the file.
  var hasTransforms: Bool { !transforms.isEmpty }
}

extension StoragePolicy {
  /// The policy of the lists given to `open`; traps if they contain a programming mistake.
  init<State, Database: DatabaseType>(
    _ values: [PersistedValue<State>],
    of state: State,
    beside database: StatePath<State, Database>,
    _ tables: [TableOption<Database>]
  ) {
    PersistedValue.check(values, beside: database)
    for table in Database.schema.tables { table.checkIDs() }
    self.init(values: ChangeSet(values, of: state))
    for value in values { value.apply(to: &self) }
    for option in tables { option.apply(to: &self) }
  }

  /// The policy of a database that is read without values.
  init<Database: DatabaseType>(_ tables: [TableOption<Database>]) {
    for option in tables { option.apply(to: &self) }
  }

  /// Refuses a table whose name is reserved for values.
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

  /// Whether anything of a table is stored.
  func stores(_ table: TableName) -> Bool { excluded.isEmpty || !excluded.contains(table) }

  /// Changes the transform of a table, which is a new one if it had none.
  mutating func updateTransform<Entity>(
    of table: TableName,
    _ change: (inout TableTransform<Entity>) -> Void
  ) {
    var transform = transform(of: table.text) ?? TableTransform<Entity>()
    change(&transform)
    transforms[table.text] = transform
  }

  /// The transform of a table; nil if its records are stored as they are.
  func transform<Entity>(of table: String) -> TableTransform<Entity>? {
    transforms[table] as? TableTransform<Entity>
  }
}

extension SchemaTable {
  /// Traps for a table whose entities may have no ID.
  fileprivate func checkIDs() {
    guard Entity.RawID.self is any ExpressibleByNilLiteral.Type else { return }
    preconditionFailure(
      """
      The IDs of the table \(name) are optional, and the file finds an entity by its ID: an entity has \
      one. Declare \(Entity.self).RawID as the type without `?`.
      """
    )
  }
}

extension DatabaseSchema {
  /// The tables of which anything is stored.
  func tables(in policy: StoragePolicy) -> [any SchemaTable<Database>] {
    policy.excluded.isEmpty ? tables : tables.filter { policy.stores($0.name) }
  }
}
