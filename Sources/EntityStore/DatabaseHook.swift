public import StrataCore
public import StrataNormalization

/// Computes the `ChangeSet` of every commit of a store, once, for everyone who needs it.
///
/// Under the edit lock it compares the database before and after, attaches the change set to the
/// commit, and seals the tables so that the next commit starts from here. O(entities touched).
public final class DatabaseHook<State: StateType, Database: DatabaseType>: CommitHook {
  /// Where the database is in the state.
  public let path: StatePath<State, Database>
  /// Under which the change set travels with a commit.
  public let key = CommitAttachmentKey<ChangeSet>()
  private let schema = Database.schema

  init(path: StatePath<State, Database>) { self.path = path }

  /// True: subscribers to entities see what is shown.
  public var followsDetours: Bool { true }

  /// Starts the recording in every table of the current value.
  public func didInstall(in state: inout State) { state[keyPath: path].seal(schema) }

  /// Attaches the change set.
  public func editDidEnd(_ edit: inout Edit<State>) {
    edit.attachments[key] = ChangeSet(
      from: edit.previous[keyPath: path],
      to: edit.state[keyPath: path],
      schema: schema
    )
    edit.state[keyPath: path].seal(schema)
  }
}

extension Store {
  /// The hook that computes the change sets of the database at `path`; installed on first use.
  @discardableResult
  public func databaseHook<Database: DatabaseType>(
    _ path: StatePath<State, Database>
  ) -> DatabaseHook<State, Database> {
    hook(where: { $0.path == path }, orInstall: { DatabaseHook(path: path) })
  }
}
