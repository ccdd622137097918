public import StrataCore
public import StrataEntityStore
package import StrataJournal
public import StrataNormalization
public import StrataStorage

/// What a program opens a store with, wherever its file is: `open`, `openBlocking` and `follow` pass it on, and a
/// follower that leads opens its file with the same.
@usableFromInline
package final class StoreOpening<State: StateType, Database: DatabaseType>: Sendable {
  /// What lies outside the database and the values, and what a new file starts with.
  package let initial: State
  package let database: StatePath<State, Database>
  package let values: [PersistedValue<State>]
  /// What changes the file before it is read.
  package let preparation: (any FilePreparation)?
  private let steps: [any OpeningStep]
  package let configuration: PersistenceConfiguration
  /// Compiled where the types are known.
  package let specialized: SpecializedDatabaseHook<State, Database>
  /// What is stored and how.
  package let policy: StoragePolicy

  /// Traps if the values, the tables or the steps contain a programming mistake.
  @usableFromInline
  package init(
    _ initial: State,
    _ database: StatePath<State, Database>,
    _ values: [PersistedValue<State>],
    _ tables: [TableOption<Database>],
    _ configuration: PersistenceConfiguration,
    _ steps: [any OpeningStep],
    _ specialized: SpecializedDatabaseHook<State, Database>
  ) {
    self.initial = initial
    self.database = database
    self.values = values
    if let other = steps.first(where: { !($0 is any ProductStep) }) {
      preconditionFailure("\(type(of: other)) is not a step that a product of Strata brings.")
    }
    self.steps = steps
    preparation = steps.only()
    self.configuration = configuration
    self.specialized = specialized
    policy = StoragePolicy(values, of: initial, beside: database, tables)
  }

  /// The initial state with what a file holds.
  package func state(with contents: DatabaseOpening<Database>.Contents) -> State {
    var state = initial
    state[keyPath: database] = contents.database
    for value in values { value.assign(contents.values, to: &state) }
    return state
  }

  /// What opens the file at a path to write to it, and its writer.
  ///
  /// Throws `.unlistedTables` and `.reservedName` for a schema that cannot be stored.
  package func prepare(
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
      preparation: preparation
    )
    return (reading, writer)
  }

  /// The only step of a kind; nil if there is none.
  ///
  /// Several trap.
  func step<Step>(_ kind: Step.Type = Step.self) -> Step? { steps.only() }

  /// How a file is decoded.
  package var reading: DatabaseOpening<Database> {
    DatabaseOpening(
      initial: initial[keyPath: database],
      policy: policy,
      preparation: preparation
    )
  }
}

extension [any OpeningStep] {
  fileprivate func only<Step>() -> Step? {
    let found = compactMap { $0 as? Step }
    precondition(found.count < 2, "An opening has at most one step of a kind, and not \(found).")
    return found.first
  }
}
