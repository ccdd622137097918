/// The work of a store for one action, from its start to ``finish()``.
///
/// ```swift
/// ActionOperation(action: action, store: store) { operation, action, store in
///   store.updateState { $0.count += 1 }
///   operation.finish()
/// }
/// ```
///
/// The block can return long before the work is done: the operation is in progress until a call of
/// ``finish()`` or ``fail(_:)``, from any thread. Each operation runs once and ends once:
///
/// - A second `finish()` has no effect.
/// - An error thrown by the block fails the operation; commits made before remain.
/// - An operation that its block leaves unfinished, and that no code holds, fails with
///   ``OperationError/abandoned``, because no code could finish it. An operation that is held and
///   never finished stays in progress; ``Dispatcher/activeDispatches`` lists its dispatch and
///   ``DispatchTransaction/cancel()`` ends it.
public final class ActionOperation<State: StateType, Action: FluxAction>: Sendable {
  /// The work: receives the operation, the action and the store.
  public typealias Block =
    @Sendable (ActionOperation<State, Action>, Action, FluxStore<State, Action>) throws -> Void

  /// The action.
  public let action: Action
  /// The store that responds to it.
  public let store: FluxStore<State, Action>

  let progress = OperationProgress()
  private let block: Block

  /// Creates an operation; the dispatcher runs it after the reducer has returned it.
  public init(action: Action, store: FluxStore<State, Action>, block: @escaping Block) {
    self.action = action
    self.store = store
    self.block = block
  }

  deinit { progress.abandon() }
}

extension ActionOperation {
  /// Ends the operation: the observers of its store are notified, and dispatches and operations that
  /// wait for it continue.
  ///
  /// Has no effect if the operation has ended.
  public func finish() { progress.end(.finished) }

  /// Ends the operation with an error, which the dispatch reports.
  ///
  /// Commits made before remain, and observers are notified of them. Has no effect if the operation
  /// has ended.
  public func fail(_ error: any Error) { progress.end(.failed(error)) }

  /// Whether the operation has finished, failed or been cancelled.
  ///
  /// Long work should check it regularly. O(1).
  public var isFinished: Bool { progress.outcome != nil }

  /// Makes this operation start only after `other` has finished.
  ///
  /// Call it before the reducer returns the operation. `other` can belong to another store; if it
  /// was not started by then, it is started first, so a reducer can build a chain and return its
  /// last operation. When `other` fails, this one fails without running. O(1) while no operation
  /// depends on this one, else O(operations that `other` depends on).
  ///
  /// - Throws: ``OperationError/circularDependency``, ``OperationError/alreadyStarted``.
  public func addDependency<OtherState, OtherAction>(
    _ other: ActionOperation<OtherState, OtherAction>
  ) throws(OperationError) {
    try progress.addDependency(other)
  }
}

extension ActionOperation: StartableOperation {
  func perform() {
    // It can have been cancelled while it waited.
    guard progress.outcome == nil else { return }
    do {
      try block(self, action, store)
    } catch {
      fail(error)
    }
  }
}
