public import StrataCore
public import StrataJournal
public import StrataMigrating
public import StrataStorage

extension Persistence {
  /// Copies a store as it was at a point of its history, and opens the copy.
  ///
  /// ```swift
  /// let persistence = try await Persistence.fork(
  ///   of: "bug.strata", at: .revision(41), to: directory + "/app.strata",
  ///   initialState: AppState(), database: \.db)
  /// let store = AppStore(persistence)      // the state before commit 42: make it here, and look
  /// ```
  ///
  /// Today's bug report becomes tomorrow's failing test. The store is not changed, and nothing is
  /// overwritten. O(file), several times over. The other arguments are those of `open`: with `migrations`,
  /// a state from before a migration is brought up as a launch would have brought it up. A migration that had run at
  /// the point does not run again, also if it was taken back later.
  ///
  /// Throws what `StoreBackup.fork` and `open` throw.
  public static func fork(
    of store: String,
    at point: HistoryPoint,
    to path: String,
    initialState: State,
    database: StatePath<State, Database>,
    values: [PersistedValue<State>] = [],
    tables: [TableOption<Database>] = [],
    migrations: [DataMigration] = [],
    configuration: PersistenceConfiguration = PersistenceConfiguration()
  ) async throws(PersistenceError) -> Persistence {
    try await StoreBackup.fork(store, at: point, to: path)
    return try await open(
      at: path,
      initialState: initialState,
      database: database,
      values: values,
      tables: tables,
      migrations: migrations,
      configuration: configuration
    )
  }
}
