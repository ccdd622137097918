public import StrataCore
public import StrataJournal
public import StrataMaintaining
import StrataNormalization
public import StrataPersistence
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
  /// overwritten. O(file), several times over. The other arguments are those of `open`: with the step
  /// `.migrations`, a state from before a migration is brought up as a launch would have brought it up. A migration that had run at
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
    configuration: PersistenceConfiguration = PersistenceConfiguration(),
    with steps: [any OpeningStep] = []
  ) async throws(PersistenceError) -> Persistence {
    try await StoreBackup.fork(store, at: point, to: path)
    return try await open(
      at: path,
      initialState: initialState,
      database: database,
      values: values,
      tables: tables,
      configuration: configuration,
      with: steps
    )
  }
}

extension Persistence {
  /// Writes the last commits into a small store for a bug report, with the entities that they touch and those
  /// that these refer to, and with some fields replaced.
  ///
  /// ```swift
  /// try await persistence.bundle(last: 50, redacting: [.init("users", "email")], to: "bug.strata")
  /// ```
  ///
  /// Commits made before the call count. See `StoreBundle.write` for what is in it, what it costs and what it
  /// throws.
  @discardableResult
  public func bundle(
    last: Int,
    redacting fields: [StoreBundle.Field] = [],
    contexts: StoreBundle.Contexts = .omit,
    to path: String
  ) async throws(PersistenceError) -> StoreBundle.Report {
    try await writePending(for: nil)
    // What is read is not trimmed meanwhile.
    let pin = reader.pins.pin(0)
    defer { withExtendedLifetime(pin) {} }
    return try await StoreBundle.write(
      of: self.path,
      last: last,
      redacting: fields,
      contexts: contexts,
      to: path
    )
  }
}
