public import StrataCore
import StrataNormalization
public import StrataStorage

/// Opens a store on a file, runs `body` with it, and flushes and closes on every path.
///
/// ```swift
/// try await withPersistence(
///   at: "app.strata", initialState: AppState(), database: \.db, store: AppStore.init
/// ) { store in
///   store.commit { $0.db.users.insert(User(id: "42", name: "Ada")) }
/// }
/// ```
///
/// Throws what opening throws, else what `body` throws, else what closing throws.
@inlinable
public func withPersistence<State, Activity, Database, S: Store<State, Activity>, R>(
  at path: String,
  initialState: State,
  database: StatePath<State, Database>,
  values: [PersistedValue<State>] = [],
  tables: [TableOption<Database>] = [],
  configuration: PersistenceConfiguration = PersistenceConfiguration(),
  with steps: [any OpeningStep] = [],
  isolation: isolated (any Actor)? = #isolation,
  store makeStore: (Persistence<State, Database>) -> S,
  _ body: (S) async throws -> R
) async throws -> R {
  try await withPersistence(
    at: path,
    initialState: initialState,
    database: database,
    values: values,
    tables: tables,
    configuration: configuration,
    with: steps,
    isolation: isolation,
    store: makeStore
  ) { store, _ in try await body(store) }
}

/// Opens a store on a file, runs `body` with it and with its persistence, and flushes and closes on every
/// path.
///
/// ```swift
/// try await withPersistence(
///   at: "app.strata", initialState: AppState(), database: \.db, store: AppStore.init
/// ) { store, persistence in
///   print(persistence.report)
///   store.commit { $0.db.users.insert(User(id: "42", name: "Ada")) }
///   try await persistence.flush()
/// }
/// ```
///
/// Where the compiler says that the closure "expects 1 argument, but 2 were used", there is another error in the closure:
/// it then looks for a form that fits, and there is one without the persistence. Write `{ store in` for a moment to see it.
///
/// Throws what opening throws, else what `body` throws, else what closing throws.
@inlinable
public func withPersistence<State, Activity, Database, S: Store<State, Activity>, R>(
  at path: String,
  initialState: State,
  database: StatePath<State, Database>,
  values: [PersistedValue<State>] = [],
  tables: [TableOption<Database>] = [],
  configuration: PersistenceConfiguration = PersistenceConfiguration(),
  with steps: [any OpeningStep] = [],
  isolation: isolated (any Actor)? = #isolation,
  store makeStore: (Persistence<State, Database>) -> S,
  _ body: (S, Persistence<State, Database>) async throws -> R
) async throws -> R {
  let persistence = try await Persistence.open(
    at: path,
    initialState: initialState,
    database: database,
    values: values,
    tables: tables,
    configuration: configuration,
    with: steps
  )
  let result: R
  do {
    result = try await body(makeStore(persistence), persistence)
  } catch {
    // The error of the body explains more than an error of closing after it.
    do { try await persistence.close() } catch _ {}
    throw error
  }
  try await persistence.close()
  return result
}

/// A step now.
@available(
  *,
  unavailable,
  message: "import StrataMigrations, and pass the migrations: with: [.migrations([…])]"
)
public func withPersistence<State, Activity, Database, S: Store<State, Activity>, R>(
  at path: String,
  initialState: State,
  database: StatePath<State, Database>,
  values: [PersistedValue<State>] = [],
  tables: [TableOption<Database>] = [],
  migrations: [Any],
  configuration: PersistenceConfiguration = PersistenceConfiguration(),
  store makeStore: (Persistence<State, Database>) -> S,
  _ body: (S) async throws -> R
) async throws -> R { preconditionFailure("unavailable") }
