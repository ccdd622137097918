import StrataCore
import StrataNormalization

/// What a program keeps in its file and how, the type of its state erased: the same for everyone who
/// writes or reads the file, and for as long as it is open.
struct Keeping: Sendable {
  /// The persisted values, each as a put of what the initial state has.
  var values = ChangeSet()
}

extension Keeping {
  /// Takes the lists that `open` was given; traps where they cannot be meant.
  init<State, Database: DatabaseType>(
    _ values: [PersistedValue<State>],
    of state: State,
    beside database: StatePath<State, Database>
  ) {
    PersistedValue.check(values, beside: database)
    self.init(values: ChangeSet(values, of: state))
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
}
