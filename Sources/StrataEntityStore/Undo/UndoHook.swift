import StrataBase
package import StrataCore
package import StrataNormalization

/// Reports the commits of a store to the undo stacks of a database, under the edit lock.
///
/// A store has one of them for a database, which holds the stacks weakly. It passes on what the closure of a commit and the
/// rules have changed, without what only middleware wrote: that is written again with each commit, also with an undo. So where
/// there is middleware, the database is compared once more, before it runs.
package final class UndoHook<State: StateType, Activity: Sendable, Database: DatabaseType>:
  CommitHook
{
  typealias Stack = UndoStack<State, Activity, Database>
  /// The number of a commit, what its closure and the rules changed, and what the rules changed.
  typealias Commit = (number: Int64, changes: ChangeSet, byRules: ChangeSet)

  private struct Status: Sendable {
    var stacks: [ObjectIdentifier: @Sendable () -> Stack?] = [:]
    /// The number of the last commit; the version of a store does not count those that are made during a preview.
    var commit: Int64 = 0
    /// What the closure of the commit in progress has changed, if there is middleware.
    var closure: ChangeSet?
    /// The same with what the rules changed.
    var changes = ChangeSet()
    /// What the rules changed.
    var byRules = ChangeSet()
  }

  /// The path from the state to the database.
  let path: StatePath<State, Database>
  private let database: DatabaseHook<State, Database>
  private let status = Lock(Status())

  init(_ database: DatabaseHook<State, Database>) {
    self.database = database
    path = database.path
  }

  func add(_ stack: Stack) {
    let identity = ObjectIdentifier(stack)
    status.withLock { $0.stacks[identity] = { [weak stack] in stack } }
  }

  func remove(_ stack: ObjectIdentifier) {
    let removed = status.withLock { $0.stacks.removeValue(forKey: stack) }
    _ = consume removed
  }

  /// How many stacks there are; for tests.
  package var stackCount: Int { status.withLock { $0.stacks.count } }

  private var stacks: [Stack] { status.withLock { Array($0.stacks.values) }.compactMap { $0() } }

  /// Passes on an undo or redo that changed nothing, and so is no commit.
  func pass(_ move: UndoMove, from: ChangeSet) {
    for stack in stacks where ObjectIdentifier(stack) != move.stack {
      stack.follow(move, from: from)
    }
  }

  package func middlewareWillRun(_ edit: Edit<State>) {
    let isWanted = status.withLock { status in
      status.closure = nil
      return !status.stacks.isEmpty
    }
    guard isWanted else { return }
    let closure = ChangeSet(from: edit.previous[keyPath: path], to: edit.state[keyPath: path])
    status.withLock { $0.closure = closure }
  }

  package func editDidEnd(_ edit: inout Edit<State>) throws {
    let (closure, isWanted) = status.withLock { status in
      defer { status.closure = nil }
      return (status.closure, !status.stacks.isEmpty)
    }
    guard isWanted else { return }
    var changes = edit.attachments[database.key] ?? ChangeSet()
    let byRules = edit.attachments[database.rules] ?? ChangeSet()
    if let closure { changes = changes.restricted(to: [closure, byRules]) }
    status.withLock { status in
      status.changes = changes
      status.byRules = byRules
    }
    guard let move = edit.attachments[UndoMove.key] else { return }
    for stack in stacks where ObjectIdentifier(stack) == move.stack { try stack.check(byRules) }
  }

  package func commitDidHappen(_ edit: Edit<State>) {
    let commit = status.withLock { status -> Commit in
      defer {
        status.changes = ChangeSet()
        status.byRules = ChangeSet()
      }
      status.commit += 1
      return (status.commit, status.changes, status.byRules)
    }
    if commit.changes.isEmpty { return }
    let stacks = stacks
    let makers = Set(stacks.map(\.origin).filter(edit.isMade(by:)))
    for stack in stacks { stack.record(edit, commit, isShared: makers.count > 1) }
  }
}

/// Marks the commit that an undo or a redo makes.
package struct UndoMove: Sendable {
  /// The key of the mark among the attachments of the commit.
  package static let key = CommitAttachmentKey<UndoMove>()

  let direction: UndoHistory.Direction
  /// The numbers of the commits of the step.
  let commits: Set<Int64>
  /// Only the identity: the store holds the attachments of its last commit.
  let stack: ObjectIdentifier

  init(_ direction: UndoHistory.Direction, _ step: UndoStep, of stack: AnyObject) {
    self.direction = direction
    commits = step.commits
    self.stack = ObjectIdentifier(stack)
  }
}
