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
/// else: those that the closure of the commit changed, and those that the rules of the database changed with it. It is a commit
/// like any other: it is journaled and appears in the history. State outside the database is not undone.
///
/// Middleware runs on an undo as on every commit. What only middleware has written, as a time or a counter, is neither restored
/// nor checked.
///
/// Each commit is undone by itself, unless it is in a ``group(_:_:)`` or the stack has an ``UndoGrouping``. A commit that several
/// dispatchers made together is in the stack of each, and one undo takes it from all of them. What the rules change with it is
/// for the other stacks a change by another dispatcher.
///
/// By default an undo never overwrites a later change by another dispatcher: `undo` and `redo` then
/// throw ``UndoError``. A change that the other has undone is none. Neither does it touch through the rules what it has not
/// changed itself: the undo of a folder does not remove the notes that another has put in since.
///
/// It works with or without persistence. It holds the dispatcher, and so the store; the store does not hold it. Recording a
/// commit costs O(entities changed); where the store has middleware, each commit compares the database once more.
public final class UndoStack<State: StateType, Activity: Sendable, Database: DatabaseType>:
  Sendable
{
  private let store: Store<State, Activity>
  /// Held so that its identity cannot pass to another object.
  private let dispatcher: any DispatcherType
  private let database: StatePath<State, Database>
  private let hook: UndoHook<State, Activity, Database>
  private let history: Lock<UndoHistory>
  /// The undo or redo in progress, under the edit lock.
  private let pending = Lock<PendingMove?>(nil)

  /// `from` is what the entities of the step are before: the opposite direction brings that back.
  private typealias PendingMove = (
    direction: UndoHistory.Direction, step: UndoStep, conflict: UndoConflict, from: ChangeSet
  )

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
    let changes = store.databaseHook(database)
    hook = store.hook(where: { $0.path == database }, orInstall: { UndoHook(changes) })
    hook.add(self)
  }

  deinit { hook.remove(ObjectIdentifier(self)) }

  /// The dispatcher whose commits are recorded.
  var origin: ObjectIdentifier { ObjectIdentifier(dispatcher) }

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
  /// Throws ``UndoError`` when another dispatcher has changed one of the entities since, when a rule would change other
  /// entities with them, and inside a ``group(_:_:)``; and `RuleViolation` when a rule of the database refuses the undo. The
  /// store is then unchanged.
  @discardableResult
  public func undo(
    _ conflict: UndoConflict = .refuse,
    context: CommitContext? = nil,
    fileID: StaticString = #fileID,
    function: StaticString = #function,
    line: UInt = #line
  ) throws -> Bool {
    try checkGroup()
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
    try checkGroup()
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
  /// overwrites that. What the dispatcher commits meanwhile on other threads belongs to it too. An undo or a redo inside it throws
  /// ``UndoError/insideGroup``.
  public func group<R, E: Error>(
    _ name: String = "",
    _ body: () throws(E) -> R
  ) throws(E) -> R {
    history.withLock { $0.beginGroup(name) }
    defer { history.withLock { $0.endGroup() } }
    return try body()
  }

  /// The same for a closure that suspends: what the dispatcher commits until it ends is one step.
  public func group<R, E: Error>(
    _ name: String = "",
    isolation: isolated (any Actor)? = #isolation,
    _ body: () async throws(E) -> R
  ) async throws(E) -> R {
    history.withLock { $0.beginGroup(name) }
    defer { history.withLock { $0.endGroup() } }
    return try await body()
  }

  private func checkGroup() throws {
    if history.withLock({ $0.isGrouping }) { throw UndoError.insideGroup }
  }

  private func move(
    _ direction: UndoHistory.Direction,
    _ conflict: UndoConflict,
    _ trace: CommitTrace
  ) throws -> Bool {
    let move = try store.commit(trace, scope: database) {
      (database: inout Database, attachments: inout CommitAttachments) throws -> PendingMove? in
      if store.isPreviewing { throw UndoError.previewing }
      try checkGroup()
      let next = history.withLock { history in
        history.next(direction).map { ($0, history.changedByOthers(since: $0)) }
      }
      guard let (step, changed) = next else { return nil }
      if conflict == .refuse, !changed.isEmpty {
        throw UndoError.changedSince(step.name, entities: changed)
      }
      let (from, to) = direction == .undo ? (step.after, step.before) : (step.before, step.after)
      let move: PendingMove = (direction, step, conflict, from.current(in: database))
      pending.withLock { $0 = move }
      database.apply(to)
      attachments[UndoMove.key] = UndoMove(direction, step, of: self)
      return move
    }
    guard let move else { return false }
    // The hook has recorded it already, unless the commit changed nothing.
    if pending.withLock({ $0?.step.id == move.step.id ? $0.take() : nil }) != nil {
      history.withLock {
        $0.move(move.step.id, direction, commit: nil, from: move.from, to: ChangeSet())
      }
      hook.pass(UndoMove(direction, move.step, of: self), from: move.from)
    }
    return true
  }

  /// Refuses an undo or a redo after which the rules go on: they would change what others have added since.
  func check(_ byRules: ChangeSet) throws {
    guard !byRules.isEmpty, let move = pending.withLock({ $0 }), move.conflict == .refuse else {
      return
    }
    throw UndoError.changedSince(move.step.name, entities: byRules.entities)
  }

  func record(
    _ edit: Edit<State>,
    _ commit: UndoHook<State, Activity, Database>.Commit,
    isShared: Bool
  ) {
    let (number, changes) = (commit.number, commit.changes)
    let move = edit.attachments[UndoMove.key]
    if let move, move.stack == ObjectIdentifier(self) {
      guard let own = pending.withLock({ $0.take() }) else { return }
      // With `.overwrite` the step takes in what the rules took.
      let more = changes.restricted(to: [commit.byRules])
      let from = own.from.merging(more.inverted(in: edit.previous[keyPath: database]))
      history.withLock {
        $0.move(own.step.id, own.direction, commit: number, from: from, to: more)
      }
      return
    }
    history.withLock { history in
      if move == nil, edit.isMade(by: origin) {
        history.push(
          edit.trace.name,
          before: changes.inverted(in: edit.previous[keyPath: database]),
          after: changes,
          commit: number,
          isShared: isShared
        )
      } else {
        history.note(changes, byRules: commit.byRules, commit: number, move: move) {
          $0.current(in: edit.previous[keyPath: database])
        }
      }
    }
  }

  /// Another stack has undone or redone a step without a change; `from` is what its entities are.
  func follow(_ move: UndoMove, from: ChangeSet) {
    history.withLock {
      $0.note(ChangeSet(), byRules: ChangeSet(), commit: nil, move: move) {
        from.restricted(to: [$0])
      }
    }
  }
}

/// Why an undo or a redo was refused; the store is unchanged.
public enum UndoError: Error, Sendable, Equatable, CustomStringConvertible {
  /// Another dispatcher changed entities of the commit after it, or the rules would change such entities with it.
  case changedSince(String, entities: [String])
  /// A ``UndoStack/group(_:_:)`` of the stack is open, whose step is not complete.
  case insideGroup
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
    case .insideGroup: "A group of the stack is open. Undo and redo when its closure has ended."
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

  /// A commit is undone with the one before if both have one name and it follows within the window.
  ///
  /// It changes only entities that the other has changed: as the letters that are typed into a field. Commits without a name,
  /// and those that several dispatchers made together, are undone by themselves.
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
  /// Restore them too, and let the rules take along what others have added.
  ///
  /// The step takes in what it has overwritten, so the opposite direction brings that back.
  case overwrite
}
