/// What a store does about one action, from start to ``finish()``.
///
/// ```swift
/// ActionOperation(action: action, store: store) { operation, action, store in
///   store.updateState { $0.count += 1 }
///   operation.finish()
/// }
/// ```
///
/// The block may return long before the work is done: the operation is under way until someone
/// calls ``finish()`` or ``fail(_:)``, from any thread. Each operation runs once and ends once:
///
/// - A second `finish()` does nothing.
/// - What the block throws fails it; commits made before stay.
/// - One that its block leaves unfinished, and that nothing holds any more, fails with
///   ``OperationError/abandoned``: nobody could finish it. One that something holds and never
///   finishes stays under way; ``Dispatcher/underWay`` names it and
///   ``DispatchTransaction/cancel()`` ends it.
public final class ActionOperation<State: StateType, Action: FluxAction>: Sendable {
  /// The work: what to do, about which action, on which store.
  public typealias Block =
    @Sendable (ActionOperation<State, Action>, Action, FluxStore<State, Action>) throws -> Void

  /// What happened.
  public let action: Action
  /// The store that answers it.
  public let store: FluxStore<State, Action>

  let core = OperationCore()
  private let block: Block

  /// Creates an operation; the dispatcher runs it when its reducer gives it out.
  public init(action: Action, store: FluxStore<State, Action>, block: @escaping Block) {
    self.action = action
    self.store = store
    self.block = block
  }

  deinit { core.abandon() }
}

extension ActionOperation {
  /// Ends the operation: its store's observers are told, and whoever waits for it goes on.
  ///
  /// Does nothing when it has ended already.
  public func finish() { core.end(.finished) }

  /// Ends the operation with an error, which the dispatch reports.
  ///
  /// Commits made before stay, and observers are told of them. Does nothing when it has ended
  /// already.
  public func fail(_ error: any Error) { core.end(.failed(error)) }

  /// Whether the operation has ended, in whatever way, also by being cancelled.
  ///
  /// Long work looks here now and then. O(1).
  public var isFinished: Bool { core.outcome != nil }

  /// Lets this operation start only after `other` has finished.
  ///
  /// To be called before the operation is given out. `other` may be one of another store; one that
  /// was not started by then is started first, so a reducer builds a chain and gives out its last
  /// link. When `other` fails, this one fails without running. O(1) while nothing
  /// depends on this operation, else O(operations that `other` depends on).
  ///
  /// - Throws: ``OperationError/circularDependency``, ``OperationError/alreadyStarted``.
  public func addDependency<OtherState, OtherAction>(
    _ other: ActionOperation<OtherState, OtherAction>
  ) throws(OperationError) {
    try core.addDependency(other)
  }
}

extension ActionOperation: StartableOperation {
  func perform() {
    // Cancelled while it waited.
    guard core.outcome == nil else { return }
    do {
      try block(self, action, store)
    } catch {
      fail(error)
    }
  }
}
