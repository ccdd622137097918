public import StrataCore
public import StrataNormalization

/// Completes every commit of a store that changes the database: applies the rules of the schema, and
/// computes the `ChangeSet` once, for all consumers.
///
/// Under the edit lock it compares the database before and after, applies the removal rules, checks
/// uniqueness, and attaches the change set to the commit. Subscriptions, undo and the journal read it
/// there. O(entities changed).
public final class DatabaseHook<State: StateType, Database: DatabaseType>: CommitHook {
  /// The path from the state to the database.
  public let path: StatePath<State, Database>
  /// The key of the change set in the attachments of a commit.
  public let key = CommitAttachmentKey<ChangeSet>(ofDifferences: ())

  init(path: StatePath<State, Database>) {
    do throws(UnlistedTables) { try Database.checkSchema() } catch { fatalError("\(error)") }
    self.path = path
  }

  /// True: subscribers of entities receive what a preview shows.
  public var followsPreviews: Bool { true }

  /// Applies the rules and attaches the change set.
  ///
  /// Throws `RuleViolation` when the commit breaks a rule.
  public func editDidEnd(_ edit: inout Edit<State>) throws {
    edit.attachments[key] = try edit.state[keyPath: path].applyRules(
      since: edit.previous[keyPath: path]
    )
  }
}

extension Store {
  /// The hook that applies the rules of the database at `path` and computes its change sets;
  /// installed on first use.
  ///
  /// A store with persistence has it already, and so has one created from ``InMemory``. Its rules hold
  /// from then on. Traps for a database whose schema leaves out a table.
  @discardableResult
  public func databaseHook<Database: DatabaseType>(
    _ path: StatePath<State, Database>
  ) -> DatabaseHook<State, Database> {
    hook(where: { $0.path == path }, orInstall: { DatabaseHook(path: path) })
  }
}
