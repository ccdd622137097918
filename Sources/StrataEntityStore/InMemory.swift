public import StrataCore
public import StrataNormalization

/// What a store without a file starts from: the rules of the database, change sets and undo hold as
/// they do with persistence.
///
/// ```swift
/// let store = try AppStore(InMemory(initialState: AppState(), database: \.db))
/// ```
///
/// For tests and previews, and for data that is not kept. One value can start any number of stores.
public struct InMemory<State: StateType, Database: DatabaseType>: StoreSource {
  /// The state a store is created with.
  public let initialState: State
  @usableFromInline let database: StatePath<State, Database>
  @usableFromInline let specialized: SpecializedDatabaseHook<State, Database>

  /// Starts from a state whose database is at a path.
  ///
  /// Throws what opening a file with the same state would refuse: `UnlistedTables` for a table that
  /// the schema leaves out, `RuleViolation` for entities that have one key of a unique index.
  @inlinable
  public init(initialState: State, database: StatePath<State, Database>) throws {
    try Database.checkSchema()
    try initialState[keyPath: database].checkUniqueness()
    self.initialState = initialState
    self.database = database
    specialized = SpecializedDatabaseHook()
  }

  /// Connects the rules to the store created from it; called by the store's initializer.
  public func attach<Activity: Sendable>(to store: Store<State, Activity>) {
    _ = store.databaseHook(database, specialized)
  }
}
