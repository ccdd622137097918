import StrataBase

/// One dispatch of one action, from the call until every store is done.
///
/// A handle to look at it, to wait for it and to cancel it; it goes on without being held.
public final class DispatchTransaction: Sendable {
  /// What middleware knows the dispatch by: the dispatcher's name and a number that counts up.
  public let id: String
  /// What was dispatched.
  public let action: any FluxAction
  /// Where it runs.
  public let mode: DispatchMode

  /// Counts up over all dispatches of its dispatcher.
  let number: UInt64
  let route: DispatchRoute
  let progress = Lock(DispatchProgress())
  let ending: Lock<DispatchEnding>

  init(
    _ number: UInt64,
    of dispatcher: String,
    action: any FluxAction,
    mode: DispatchMode,
    route: DispatchRoute,
    then: (@Sendable () -> Void)?
  ) {
    self.number = number
    id = "\(dispatcher)-\(number)"
    self.action = action
    self.mode = mode
    self.route = route
    ending = Lock(DispatchEnding(then: then))
  }
}

/// Who waits for the end of a dispatch.
struct DispatchEnding: Sendable {
  /// Until it is called: it may hold whoever holds the dispatch.
  var then: (@Sendable () -> Void)?
  var isOver = false
  var calls: [@Sendable () -> Void] = []
}

/// What a dispatch was given by its dispatcher.
struct DispatchRoute: Sendable {
  let hub: HubIdentity
  /// Where steps are taken; nil: on the thread that waits in `runHere`.
  let executor: DispatchExecutor?
  /// Tells whom the action reaches, when its turn comes.
  let open: @Sendable (any FluxAction) throws(DispatchError) -> OpenDispatch
  /// Called when all is done and `then` has returned.
  let didEnd: @Sendable (DispatchTransaction) -> Void
}

/// Whom an action reaches, and who looks on.
struct OpenDispatch: Sendable {
  let seats: [DispatchProgress.Seat]
  let middleware: [any Middleware]
}

extension DispatchTransaction {
  /// Whether every store is done, in whatever way, and `then` has returned.
  ///
  /// O(1).
  public var isFinished: Bool { ending.withLock { $0.isOver } }

  /// Why the action did not reach its stores, or which of them failed; nil while nothing has.
  ///
  /// O(stores reached).
  public var error: DispatchError? {
    progress.withLock { progress in
      if let refusal = progress.refusal { return refusal }
      let failures = progress.failures
      return failures.isEmpty ? nil : .failed(failures)
    }
  }

  /// The identifiers of the stores that have not answered yet, in the order in which the action
  /// reaches them.
  ///
  /// O(stores reached).
  public var waitingFor: [String] {
    progress.withLock { progress in
      progress.seats.filter { $0.standing.outcome == nil }.map(\.store.identifier)
    }
  }

  /// Ends what has not ended: operations under way, and those that they depend on, fail with
  /// ``OperationError/cancelled``; stores not reached yet are not.
  ///
  /// Commits made stay. An operation goes on doing what it does until it looks at
  /// ``ActionOperation/isFinished``; what waits for the dispatch goes on at once.
  /// O(stores reached + operations under way).
  public func cancel() {
    let underWay = progress.withLockSignalling { $0.cancel() }
    for core in underWay { core.end(.failed(OperationError.cancelled)) }
    goOn()
  }

  /// Returns when every store is done.
  ///
  /// When the waiting task is cancelled, so is the dispatch, and this returns at once, even where
  /// nobody runs the dispatch.
  ///
  /// - Throws: What ``error`` says then; `CancellationError` when the task was cancelled first.
  public func finished() async throws {
    let waiter = DispatchWaiter()
    whenFinished { waiter.goOn() }
    await withTaskCancellationHandler {
      await withCheckedContinuation { waiter.wait($0) }
    } onCancel: {
      cancel()
      waiter.goOn()
    }
    if let error {
      if Task.isCancelled { throw CancellationError() }
      throw error
    }
    if !isFinished { throw CancellationError() }
  }

  private func whenFinished(_ call: @escaping @Sendable () -> Void) {
    let isOver = ending.withLock { ending in
      if !ending.isOver { ending.calls.append(call) }
      return ending.isOver
    }
    if isOver { call() }
  }
}
