import StrataBase
public import StrataCore
import StrataEntityStore
public import StrataNormalization
import StrataStorage

/// Undo and redo of what one dispatcher committed to a database.
///
/// ```swift
/// let editor = Editor(targetStore: store)
/// let undo = UndoStack(of: editor, database: \.db)
/// editor.rename("42", to: "Ada")
/// try undo.undo()                        // as before; a commit named "undo rename"
/// try undo.redo()
/// ```
///
/// It remembers the commits of that dispatcher object from its making on, also those of its actions and
/// mutations; commits of others and of dispatchers detached from it are not its own. An undo puts back
/// what the entities of a commit were before it, and touches nothing else; it is a commit like any
/// other, which is journaled and can be read in the history. What is not in the database is not undone.
///
/// An entity that someone else has changed since is never overwritten by surprise: then `undo` and
/// `redo` throw ``UndoError``, unless told to overwrite.
///
/// It needs no file. It holds the dispatcher, and so the store. A commit costs O(entities changed) more.
public final class UndoStack<State: StateType, Activity: Sendable, Database: DatabaseType>:
  Sendable
{
  private let store: Store<State, Activity>
  /// Held so that no other object comes to have its identity.
  private let dispatcher: any DispatcherType
  private let database: StatePath<State, Database>
  private let steps: Lock<UndoSteps>

  /// Begins to remember.
  ///
  /// - Parameters:
  ///   - dispatcher: whose commits; the store itself is one too.
  ///   - database: where the database is in the state.
  ///   - limit: how many commits are remembered; the oldest are forgotten.
  public init<Dispatcher: DispatcherType>(
    of dispatcher: Dispatcher,
    database: StatePath<State, Database>,
    limit: Int = 100
  ) where Dispatcher.State == State, Dispatcher.Activity == Activity {
    if limit < 1 { fatalError("UndoStack(limit: \(limit)) remembers nothing: give at least 1.") }
    self.dispatcher = dispatcher
    self.database = database
    store = dispatcher.targetStore
    steps = Lock(UndoSteps(limit: limit))
    let changes = store.databaseHook(database).key
    store.hook(
      where: { (_: UndoHook<State, Activity, Database>) in false },
      orInstall: { UndoHook(self, changes: changes, origin: ObjectIdentifier(dispatcher)) }
    )
  }

  /// Whether there is a commit to undo.
  public var canUndo: Bool { steps.withLock { !$0.done.isEmpty } }

  /// Whether there is an undone commit to do again.
  public var canRedo: Bool { steps.withLock { !$0.undone.isEmpty } }

  /// The name of the commit that `undo` would undo; empty for one without a name.
  public var undoName: String? { steps.withLock { $0.done.last?.name } }

  /// The name of the commit that `redo` would do again; empty for one without a name.
  public var redoName: String? { steps.withLock { $0.undone.last?.name } }

  /// Forgets everything.
  public func removeAll() { steps.withLock { $0.removeAll() } }
}

/// What to do about entities that were changed since by someone else.
public enum UndoConflict: Sendable {
  /// Nothing: throw ``UndoError``.
  case refuse
  /// Put them back as well; what was done to them since is lost to the store, though not to history.
  case overwrite
}

extension UndoStack {
  /// Puts the entities of the last commit back to what they were before it.
  ///
  /// False when there is nothing to undo. O(entities of that commit).
  ///
  /// Throws ``UndoError`` when someone else has changed one of them since, and what a rule of the
  /// database says against it; then nothing has happened.
  @discardableResult
  public func undo(
    _ conflict: UndoConflict = .refuse,
    fileID: StaticString = #fileID,
    function: StaticString = #function,
    line: UInt = #line
  ) throws -> Bool {
    guard let name = undoName else { return false }
    let trace = CommitTrace(
      name: name.isEmpty ? "undo" : "undo \(name)",
      fileID: fileID,
      function: function,
      line: line
    )
    return try move(.undo, conflict, trace)
  }

  /// Does the commit that was undone last once more, as far as its entities go.
  ///
  /// False when there is nothing to redo: any further commit of the dispatcher forgets what was
  /// undone. O(entities of that commit).
  ///
  /// Throws as `undo` does.
  @discardableResult
  public func redo(
    _ conflict: UndoConflict = .refuse,
    fileID: StaticString = #fileID,
    function: StaticString = #function,
    line: UInt = #line
  ) throws -> Bool {
    guard let name = redoName else { return false }
    let trace = CommitTrace(
      name: name.isEmpty ? "redo" : "redo \(name)",
      fileID: fileID,
      function: function,
      line: line
    )
    return try move(.redo, conflict, trace)
  }

  private func move(
    _ direction: UndoSteps.Direction,
    _ conflict: UndoConflict,
    _ trace: CommitTrace
  ) throws -> Bool {
    let step = try store.commit(trace, scope: database) {
      (database: inout Database, attachments: inout CommitAttachments) throws -> UndoStep? in
      if store.isOnDetour { throw UndoError.onDetour }
      guard let step = steps.withLock({ $0.next(direction) }) else { return nil }
      let (from, to) =
        direction == .undo ? (step.after, step.before) : (step.before, step.after)
      let changed = database.departures(from: from)
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
    // The hook has done it, unless there was nothing to change.
    steps.withLock { $0.move(step.id, direction) }
    return true
  }

  fileprivate func note(_ edit: Edit<State>, _ changes: ChangeSet, _ origin: ObjectIdentifier) {
    if let move = edit.attachments[UndoMove.key], move.stack == ObjectIdentifier(self) {
      steps.withLock { $0.move(move.step, move.direction) }
    } else if edit.origin == origin {
      let before = changes.inverse(over: edit.previous[keyPath: database])
      steps.withLock { $0.push(edit.trace.name, before: before, after: changes) }
    }
  }
}

/// Tells a stack of commits, under the edit lock; the store keeps it, and it does not keep the stack.
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
    stack.note(edit, changes, origin)
  }
}
