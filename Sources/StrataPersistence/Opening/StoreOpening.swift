public import StrataArchive
public import StrataCore
public import StrataEntityStore
import StrataJournal
public import StrataMigrating
public import StrataNormalization
public import StrataStorage

/// What a program opens a store with, wherever its file is: `open`, `openBlocking` and `follow` pass it on, and a
/// follower that leads opens its file with the same.
@usableFromInline
struct StoreOpening<State: StateType, Database: DatabaseType>: Sendable {
  /// What lies outside the database and the values, and what a new file starts with.
  let initial: State
  let database: StatePath<State, Database>
  let values: [PersistedValue<State>]
  /// Those that have not run when the file is opened to write to it.
  let migrations: [DataMigration]
  /// Where every commit is sent too, or what is followed; nil for a file alone.
  let archive: (any Archive)?
  private(set) var configuration: PersistenceConfiguration
  /// Compiled where the types are known.
  let specialized: SpecializedDatabaseHook<State, Database>
  /// What is stored and how.
  let policy: StoragePolicy

  /// Traps if the values or the tables contain a programming mistake.
  @usableFromInline
  init(
    _ initial: State,
    _ database: StatePath<State, Database>,
    _ values: [PersistedValue<State>],
    _ tables: [TableOption<Database>],
    _ migrations: [DataMigration] = [],
    _ archive: (any Archive)? = nil,
    _ configuration: PersistenceConfiguration,
    _ specialized: SpecializedDatabaseHook<State, Database>
  ) {
    self.initial = initial
    self.database = database
    self.values = values
    self.migrations = migrations
    self.archive = archive
    self.configuration = configuration
    self.specialized = specialized
    policy = StoragePolicy(values, of: initial, beside: database, tables)
  }

  /// The initial state with what a file holds.
  func state(with contents: DatabaseOpening<Database>.Contents) -> State {
    var state = initial
    state[keyPath: database] = contents.database
    for value in values { value.assign(contents.values, to: &state) }
    return state
  }

  /// What opens the file at a path to write to it, and its writer.
  ///
  /// Throws `.unlistedTables` and `.reservedName` for a schema that cannot be stored.
  func prepare(
    at path: String
  ) throws(PersistenceError) -> (DatabaseOpening<Database>, JournalWriter) {
    let path = try StorePath(path, for: .opening)
    do throws(UnlistedTables) {
      try Database.checkSchema()
    } catch {
      throw PersistenceError(
        .opening,
        path: path.file,
        .unlistedTables(
          database: error.database,
          properties: error.properties,
          lines: error.lines
        )
      )
    }
    try StoragePolicy.checkNames(of: Database.self, at: path)
    let writer = JournalWriter(
      path,
      configuration,
      preparation: MigrationPreparation(migrations, configuration.migrations.policy)
    )
    return (reading(migrations), writer)
  }

  /// The same for an opening that does something else if it cannot lead at once.
  func leading(_ withoutLead: ArchivePolicy.WithoutLead) -> StoreOpening {
    var opening = self
    opening.configuration.archiving.withoutLead = withoutLead
    return opening
  }

  /// How a file is decoded on which migrations have run.
  func reading(_ migrations: [DataMigration]) -> DatabaseOpening<Database> {
    DatabaseOpening(
      initial: initial[keyPath: database],
      policy: policy,
      migrations: migrations
    )
  }
}
