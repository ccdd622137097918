import StrataBase
public import StrataCore
public import StrataNormalization

/// Undo and redo of the commits that one dispatcher makes to a database.
///
/// ```swift
/// let editor = Editor(targetStore: store)
/// let undo = UndoStack(of: editor, database: \.db)
/// editor.rename("42", to: "Ada")
/// try undo.undo()                        // as before; a commit named "undo rename"
/// try undo.redo()
/// ```
///
/// It records the commits of that dispatcher object from its creation on, including those of the
/// dispatcher's actions and mutations, and those it makes together with other dispatchers:
/// `commit(with:)`. It does not record commits of other dispatchers alone, nor of dispatchers detached
/// from this one. An undo restores the entities of a commit as they were before it and changes nothing
/// else. It is a commit like any other: it is journaled and appears in the history. State outside the
/// database is not undone.
///
/// Each commit is undone by itself, unless it is in a ``group(_:_:)`` or the stack has an ``UndoGrouping``.
///
/// By default an undo never overwrites a later change by another dispatcher: `undo` and `redo` then
/// throw ``UndoError``.
///
/// It works with or without persistence. It holds the dispatcher, and so the store. Recording a
/// commit costs O(entities changed).
public final class UndoStack<State: StateType, Activity: Sendable, Database: DatabaseType>:
  Sendable
{
  private let store: Store<State, Activity>
  /// Held so that its identity cannot pass to another object.
  private let dispatcher: any DispatcherType
  private let database: StatePath<State, Database>
  private let history: Lock<UndoHistory>

  /// Starts recording.
  ///
  /// - Parameters:
  ///   - dispatcher: The dispatcher whose commits are recorded. A store is a dispatcher too.
  ///   - database: The path from the state to the database.
  ///   - limit: The number of steps to keep; the oldest are discarded.
  ///   - grouping: Which commits are undone together with those before them.
  public init<Dispatcher: DispatcherType>(
    of dispatcher: Dispatcher,
    database: StatePath<State, Database>,
    limit: Int = 100,
    grouping: UndoGrouping = .none
  ) where Dispatcher.State == State, Dispatcher.Activity == Activity {
    if limit < 1 {
      fatalError("UndoStack(limit: \(limit)) records nothing: pass a limit of at least 1.")
    }
    self.dispatcher = dispatcher
    self.database = database
    store = dispatcher.targetStore
    history = Lock(UndoHistory(limit: limit, grouping: grouping))
    let changes = store.databaseHook(database).key
    store.hook(
      where: { (_: UndoHook<State, Activity, Database>) in false },
      orInstall: { UndoHook(self, changes: changes, origin: ObjectIdentifier(dispatcher)) }
    )
  }

  /// Whether there is a commit to undo.
  public var canUndo: Bool { history.withLock { !$0.done.isEmpty } }

  /// Whether there is a commit to redo.
  public var canRedo: Bool { history.withLock { !$0.undone.isEmpty } }

  /// The name of the commit that `undo` would undo; empty for one without a name.
  public var undoName: String? { history.withLock { $0.done.last?.name } }

  /// The name of the commit that `redo` would redo; empty for one without a name.
  public var redoName: String? { history.withLock { $0.undone.last?.name } }

  /// Discards all recorded commits.
  public func removeAll() { history.withLock { $0.removeAll() } }
}

extension UndoStack {
  /// Restores the entities of the last commit to what they were before it.
  ///
  /// Returns false when there is nothing to undo. The undo is a commit with a context of its own: who
  /// undoes, not who made the commit. O(entities of that commit).
  ///
  /// Throws ``UndoError`` when another dispatcher has changed one of the entities since, and
  /// `RuleViolation` when a rule of the database refuses the undo. The store is then unchanged.
  @discardableResult
  public func undo(
    _ conflict: UndoConflict = .refuse,
    context: CommitContext? = nil,
    fileID: StaticString = #fileID,
    function: StaticString = #function,
    line: UInt = #line
  ) throws -> Bool {
    guard let name = undoName else { return false }
    let trace = CommitTrace(
      ofCommit: name.isEmpty ? "undo" : "undo \(name)",
      context,
      at: CommitPlace(fileID, function, line)
    )
    return try move(.undo, conflict, trace)
  }

  /// Restores the entities of the commit that was undone last to what they were after it.
  ///
  /// Returns false when there is nothing to redo: a new commit of the dispatcher discards the undone
  /// ones. O(entities of that commit).
  ///
  /// Throws as `undo` does.
  @discardableResult
  public func redo(
    _ conflict: UndoConflict = .refuse,
    context: CommitContext? = nil,
    fileID: StaticString = #fileID,
    function: StaticString = #function,
    line: UInt = #line
  ) throws -> Bool {
    guard let name = redoName else { return false }
    let trace = CommitTrace(
      ofCommit: name.isEmpty ? "redo" : "redo \(name)",
      context,
      at: CommitPlace(fileID, function, line)
    )
    return try move(.redo, conflict, trace)
  }

  /// Records the commits that the closure makes as one step, which `undo` and `redo` take as a whole.
  ///
  /// ```swift
  /// try undo.group("replace all") {
  ///   for id in ids { try editor.replace(in: id) }
  /// }
  /// ```
  ///
  /// The name is that of the step; without one it has the name of its first commit. The commits stay commits of
  /// their own in the history, and if the closure throws, those before the error stay. A group inside a group belongs to
  /// the outer one. Where another dispatcher has changed one of the entities in between, a new step begins, so that no undo
  /// overwrites that. What the dispatcher commits meanwhile on other threads belongs to it too.
  public func group<R, E: Error>(
    _ name: String = "",
    _ body: () throws(E) -> R
  ) throws(E) -> R {
    history.withLock { $0.beginGroup(name) }
    defer { history.withLock { $0.endGroup() } }
    return try body()
  }

  private func move(
    _ direction: UndoHistory.Direction,
    _ conflict: UndoConflict,
    _ trace: CommitTrace
  ) throws -> Bool {
    let step = try store.commit(trace, scope: database) {
      (database: inout Database, attachments: inout CommitAttachments) throws -> UndoStep? in
      if store.isPreviewing { throw UndoError.previewing }
      guard let step = history.withLock({ $0.next(direction) }) else { return nil }
      let (from, to) =
        direction == .undo ? (step.after, step.before) : (step.before, step.after)
      let changed = database.entitiesChanged(since: from)
      if conflict == .refuse, !changed.isEmpty {
        throw UndoError.changedSince(step.name, entities: changed)
      }
      database.apply(to)
      attachments[UndoMove.key] = UndoMove(
        direction: direction,
        step: step.id,
        stack: ObjectIdentifier(self)
      )
      return step
    }
    guard let step else { return false }
    // The hook has recorded it already, unless the commit changed nothing.
    history.withLock { $0.move(step.id, direction) }
    return true
  }

  fileprivate func record(_ edit: Edit<State>, _ changes: ChangeSet, _ origin: ObjectIdentifier) {
    if let move = edit.attachments[UndoMove.key], move.stack == ObjectIdentifier(self) {
      history.withLock { $0.move(move.step, move.direction) }
    } else if edit.isMade(by: origin) {
      let before = changes.inverted(in: edit.previous[keyPath: database])
      history.withLock { $0.push(edit.trace.name, before: before, after: changes) }
    }
  }
}

/// Reports commits to a stack, under the edit lock.
///
/// The store holds the hook; the hook holds the stack weakly.
private final class UndoHook<State: StateType, Activity: Sendable, Database: DatabaseType>:
  CommitHook
{
  private struct Reference: Sendable {
    weak var stack: UndoStack<State, Activity, Database>?
  }

  private let reference: Lock<Reference>
  private let changes: CommitAttachmentKey<ChangeSet>
  private let origin: ObjectIdentifier

  init(
    _ stack: UndoStack<State, Activity, Database>,
    changes: CommitAttachmentKey<ChangeSet>,
    origin: ObjectIdentifier
  ) {
    reference = Lock(Reference(stack: stack))
    self.changes = changes
    self.origin = origin
  }

  func commitDidHappen(_ edit: Edit<State>) {
    guard let changes = edit.attachments[changes], !changes.isEmpty,
      let stack = reference.withLock({ $0.stack })
    else { return }
    stack.record(edit, changes, origin)
  }
}

/// Marks the commit that an undo or a redo makes.
package struct UndoMove: Sendable {
  /// The key of the mark among the attachments of the commit.
  package static let key = CommitAttachmentKey<UndoMove>()

  let direction: UndoHistory.Direction
  let step: Int
  /// Only the identity: the store holds the attachments of its last commit.
  let stack: ObjectIdentifier
}

/// Why an undo or a redo was refused; the store is unchanged.
public enum UndoError: Error, Sendable, Equatable, CustomStringConvertible {
  /// Another dispatcher changed entities of the commit after it.
  case changedSince(String, entities: [String])
  /// The store shows a state that is not kept.
  case previewing

  /// What prevents it and what to do.
  public var description: String {
    switch self {
    case .changedSince(let name, let entities):
      """
      The commit "\(name)" cannot be undone or redone: others have changed \
      \(entities.prefix(5).joined(separator: ", "))\(entities.count > 5 ? " and more" : "") since. \
      Undo those changes first, or pass .overwrite to discard them.
      """
    case .previewing:
      """
      The store shows a state of another time, and commits made there are not kept. Return to the \
      present first.
      """
    }
  }
}

/// Which commits of an ``UndoStack`` are undone together, besides those of a group.
///
/// ```swift
/// let undo = UndoStack(of: editor, database: \.db, grouping: .sameName(within: .seconds(1)))
/// ```
public struct UndoGrouping: Sendable {
  let window: Duration?
  let now: @Sendable () -> ContinuousClock.Instant

  /// Each commit is undone by itself.
  public static let none = UndoGrouping(window: nil, now: { .now })

  /// A commit is undone with the one before if both have one name, it follows within the window, and it changes
  /// only entities that the other has changed: as the letters that are typed into a field.
  ///
  /// After an undo or a redo, the next commit starts a step of its own.
  ///
  /// - Parameters:
  ///   - window: How long after a commit the next one joins it.
  ///   - now: The time of a commit.
  public static func sameName(
    within window: Duration,
    now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
  ) -> UndoGrouping {
    UndoGrouping(window: window, now: now)
  }
}

/// What to do about entities that another dispatcher has changed since the commit.
public enum UndoConflict: Sendable {
  /// Throw ``UndoError`` and change nothing.
  case refuse
  /// Restore them too.
  ///
  /// The later changes are lost to the store; the history of a persisted store still has them.
  case overwrite
}
