public import StrataCore
public import StrataNormalization

/// Completes every commit of a store that changes the database: applies the rules of the schema, and
/// computes the `ChangeSet` once, for all consumers.
///
/// Under the edit lock it compares the database before and after, applies the removal rules, checks
/// uniqueness, and attaches the change set to the commit. Subscriptions, undo and the journal read it
/// there. O(entities changed).
package final class DatabaseHook<State: StateType, Database: DatabaseType>: CommitHook {
  /// The path from the state to the database.
  package let path: StatePath<State, Database>
  /// The key of the change set in the attachments of a commit.
  package let key = CommitAttachmentKey<ChangeSet>(ofDifferences: ())
  /// The key of what the rules of removals changed after the edit, in the attachments of a commit where they did.
  let rules = CommitAttachmentKey<ChangeSet>()
  /// Where the database is in the state; nil if the path leads through a computed property.
  private let offset: Int?
  private let specialized: SpecializedDatabaseHook<State, Database>

  init(
    path: StatePath<State, Database>,
    _ specialized: SpecializedDatabaseHook<State, Database>
  ) {
    do throws(UnlistedTables) { try Database.checkSchema() } catch { fatalError("\(error)") }
    self.path = path
    offset = MemoryLayout<State>.offset(of: path)
    self.specialized = specialized
  }

  /// True: subscribers of entities receive what a preview shows.
  package var followsPreviews: Bool { true }

  /// Applies the rules and attaches the change set.
  ///
  /// Throws `RuleViolation` when the commit breaks a rule.
  package func editDidEnd(_ edit: inout Edit<State>) throws {
    if let changes = edit.attachments[FollowedChanges.key] {
      edit.attachments[key] = changes
      return
    }
    var byRules = ChangeSet()
    if let offset {
      edit.attachments[key] = try specialized.changes(&edit, offset, &byRules)
    } else {
      edit.attachments[key] = try edit.state[keyPath: path].applyRules(
        since: edit.previous[keyPath: path],
        &byRules
      )
    }
    if !byRules.isEmpty { edit.attachments[rules] = byRules }
  }
}

/// The hot part of `DatabaseHook`, specialized for the types of a store.
///
/// The closure is created in the module that opens the store, where the types are known, so the compiler
/// specializes it: several times as fast as generic code.
@usableFromInline
package struct SpecializedDatabaseHook<State: StateType, Database: DatabaseType>: Sendable {
  /// The changes of the database at an offset of the state after its rules were applied.
  ///
  /// One comparison of bytes for a commit that does not write to the database.
  /// Reports what the rules of removals have changed after the edit.
  @usableFromInline
  let changes: @Sendable (inout Edit<State>, Int, _ byRules: inout ChangeSet) throws -> ChangeSet

  @inlinable
  package init() {
    changes = { edit, offset, byRules in
      try edit.withPart(Database.self, at: offset) { (old, new) throws(RuleViolation) in
        BitwiseEquality.areEqual(old, new)
          ? ChangeSet() : try Database.applyRules(from: old, to: new, &byRules)
      }
    }
  }
}

extension Store {
  /// The hook that applies the rules of the database at `path` and computes its change sets;
  /// installed on first use.
  ///
  /// A store with persistence has it already, and so has one created from ``InMemory``. Its rules hold
  /// from then on. Traps for a database whose schema leaves out a table.
  @discardableResult
  package func databaseHook<Database: DatabaseType>(
    _ path: StatePath<State, Database>
  ) -> DatabaseHook<State, Database> {
    databaseHook(path, SpecializedDatabaseHook())
  }

  package func databaseHook<Database: DatabaseType>(
    _ path: StatePath<State, Database>,
    _ specialized: SpecializedDatabaseHook<State, Database>
  ) -> DatabaseHook<State, Database> {
    hook(where: { $0.path == path }, orInstall: { DatabaseHook(path: path, specialized) })
  }
}

/// The changes of a commit that another process has made: its rules were applied there, and are not applied
/// again.
package enum FollowedChanges {
  /// The key among the attachments of a commit.
  package static let key = CommitAttachmentKey<ChangeSet>()
}

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
  /// the schema leaves out, `RuleViolation` for entities that have one key of a unique index, or break a check.
  @inlinable
  public init(initialState: State, database: StatePath<State, Database>) throws {
    try Database.checkSchema()
    try initialState[keyPath: database].checkRules()
    self.initialState = initialState
    self.database = database
    specialized = SpecializedDatabaseHook()
  }

  /// Connects the rules to the store created from it; called by the store's initializer.
  public func attach<Activity: Sendable>(to store: Store<State, Activity>) {
    _ = store.databaseHook(database, specialized)
  }
}
