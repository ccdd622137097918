public import StrataCore
public import StrataNormalization

/// Completes every commit of a store that changes the database: applies the rules of the schema, and
/// computes the `ChangeSet` once, for everyone who needs it.
///
/// Under the edit lock it compares the database before and after, carries out what removal does to
/// references, judges uniqueness, and attaches the change set to the commit. O(entities changed).
public final class DatabaseHook<State: StateType, Database: DatabaseType>: CommitHook {
  /// Where the database is in the state.
  public let path: StatePath<State, Database>
  /// Under which the change set travels with a commit.
  public let key = CommitAttachmentKey<ChangeSet>()

  init(path: StatePath<State, Database>) { self.path = path }

  /// True: subscribers to entities see what is shown.
  public var followsDetours: Bool { true }

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
  /// A store with persistence has it already. A store that lives in memory alone asks for it once,
  /// when it is created, and its rules hold from there on.
  @discardableResult
  public func databaseHook<Database: DatabaseType>(
    _ path: StatePath<State, Database>
  ) -> DatabaseHook<State, Database> {
    hook(where: { $0.path == path }, orInstall: { DatabaseHook(path: path) })
  }
}
