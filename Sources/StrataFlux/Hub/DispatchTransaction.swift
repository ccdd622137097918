import Dispatch
import StrataBase
import StrataCore

/// One dispatch of one action, from the call until every store is done.
///
/// Use it to inspect the dispatch, to wait for it and to cancel it. The dispatch continues when the
/// transaction is released.
public final class DispatchTransaction: Sendable {
  /// The identifier that middleware receives: the dispatcher's name and an increasing number.
  public let id: String
  /// The dispatched action.
  public let action: any FluxAction
  /// The mode of the dispatch.
  public let mode: DispatchMode
  /// The place in the source that dispatched the action: `Module/File.swift:12 function()`.
  ///
  /// O(1).
  public var place: String { trace.place }

  /// Increases over all dispatches of its dispatcher.
  let number: UInt64
  private let trace: CommitTrace
  private let route: Route
  /// The context of the caller, which the commits of the dispatch carry.
  private let context = CommitContext.current
  private let progress = Lock(DispatchProgress())
  private let completion: Lock<Completion>

  /// How the dispatch is connected to its dispatcher.
  struct Route: Sendable {
    let hub: Dispatcher.Identity
    /// Where steps run; nil: on the thread that waits in `runHere`.
    let executor: DispatchExecutor?
    /// Finds the stores that the action reaches, when the dispatch starts.
    let open: @Sendable (DispatchTransaction) throws(DispatchError) -> Recipients
    /// Whether the caller belongs to a serial dispatch that has not ended.
    let isInsideSerial: @Sendable () -> Bool
    /// Called when all is done and `then` has returned.
    let didEnd: @Sendable (DispatchTransaction) -> Void
  }

  /// The stores that an action reaches, and the middleware that observes it.
  struct Recipients: Sendable {
    let participants: [DispatchProgress.Participant]
    let middleware: [any Middleware]
  }

  /// The functions that run at the end of the dispatch.
  private struct Completion: Sendable {
    /// Released after its call: it can hold the object that holds the dispatch.
    var then: (@Sendable () -> Void)?
    var isFinished = false
    var handlers: [@Sendable () -> Void] = []
  }

  init(
    _ number: UInt64,
    of dispatcher: String,
    action: any FluxAction,
    mode: DispatchMode,
    trace: CommitTrace,
    route: Route,
    then: (@Sendable () -> Void)?
  ) {
    self.number = number
    id = "\(dispatcher)-\(number)"
    self.action = action
    self.mode = mode
    self.trace = trace
    self.route = route
    completion = Lock(Completion(then: then))
  }
}

extension DispatchTransaction {
  /// Whether every store has finished or failed, and `then` has returned.
  ///
  /// O(1).
  public var isFinished: Bool { completion.withLock { $0.isFinished } }

  /// Why the action did not reach its stores, or which stores failed so far; nil if none did.
  ///
  /// O(stores reached).
  public var error: DispatchError? {
    progress.withLock { $0.error }
  }

  /// The identifiers of the stores that are not done yet, in the order in which the action reaches
  /// them.
  ///
  /// O(stores reached).
  public var waitingFor: [String] {
    progress.withLock { progress in
      progress.participants.filter { $0.status.outcome == nil }.map(\.store.identifier)
    }
  }

  /// Cancels the dispatch: running operations and their dependencies fail with
  /// ``OperationError/cancelled``, and stores that have not started are not reached.
  ///
  /// Commits already made remain. The code of an operation runs until it checks
  /// ``ActionOperation/isFinished``; everything that waits for the dispatch continues at once.
  /// O(stores reached + running operations).
  public func cancel() {
    let running = progress.withLockSignalling { $0.cancel() }
    for operation in running { operation.end(.failed(OperationError.cancelled)) }
    resume()
  }

  /// Returns when every store is done.
  ///
  /// When the waiting task is cancelled, the dispatch is cancelled and this returns at once, even if
  /// no executor runs the dispatch.
  ///
  /// - Throws: The ``error`` at the end; `CancellationError` if the task was cancelled first;
  ///   ``DispatchError/insideSerial`` where it would never return.
  public func finished() async throws {
    if mode == .serial, !isFinished, route.isInsideSerial() { throw DispatchError.insideSerial }
    let waiter = Waiter()
    whenFinished { waiter.resume() }
    await withTaskCancellationHandler {
      await withCheckedContinuation { waiter.wait($0) }
    } onCancel: {
      cancel()
      waiter.resume()
    }
    if let error {
      if Task.isCancelled { throw CancellationError() }
      throw error
    }
    if !isFinished { throw CancellationError() }
  }

  private func whenFinished(_ handler: @escaping @Sendable () -> Void) {
    let isFinished = completion.withLock { completion in
      if !completion.isFinished { completion.handlers.append(handler) }
      return completion.isFinished
    }
    if isFinished { handler() }
  }

  /// One task that waits for one event, which can come first.
  private final class Waiter: Sendable {
    private enum Status: Sendable {
      case idle
      case waiting(CheckedContinuation<Void, Never>)
      case resumed
    }

    private let status = Lock(Status.idle)

    func wait(_ continuation: CheckedContinuation<Void, Never>) {
      let isResumed = status.withLock { status in
        if case .resumed = status { return true }
        status = .waiting(continuation)
        return false
      }
      if isResumed { continuation.resume() }
    }

    /// Resumes the task; only the first call has an effect.
    func resume() {
      let before = status.withLock { status in
        defer { status = .resumed }
        return status
      }
      if case .waiting(let continuation) = before { continuation.resume() }
    }
  }
}

extension DispatchTransaction {
  /// Performs all steps on this thread, and waits for operations that finish on other threads.
  func runHere() {
    while let step = progress.withLock(when: { $0.next != nil || $0.isClosed }, { $0.takeStep() }) {
      perform(step)
    }
  }

  /// Performs the available steps on the executor, unless another thread is performing them.
  func resume() {
    guard let executor = route.executor else { return }
    guard progress.withLock({ $0.startRunning() }) else { return }
    executor.run { [self] in
      while let step = progress.withLock({ $0.takeStep() }) { perform(step) }
    }
  }

  private func perform(_ step: DispatchProgress.Step) {
    CommitContext.with(only: context) { performInContext(step) }
  }

  private func performInContext(_ step: DispatchProgress.Step) {
    switch step {
    case .open: open()
    case .run(let job): DispatchID.$current.withValue(dispatchID) { job() }
    case .start(let index): DispatchID.$current.withValue(dispatchID) { start(index) }
    case .notify(let index): DispatchID.$current.withValue(dispatchID) { notify(index) }
    case .close: close()
    }
  }

  package var dispatchID: DispatchID { DispatchID(hub: route.hub, transaction: id) }

  private func open() {
    do throws(DispatchError) {
      if progress.withLock({ $0.isCancelled }) { throw .cancelled }
      let recipients = try route.open(self)
      progress.withLockSignalling { $0.open(recipients.participants, recipients.middleware) }
    } catch {
      progress.withLockSignalling { $0.refuse(error) }
    }
  }

  private func start(_ index: Int) {
    let (store, middleware) = progress.withLock { ($0.participants[index].store, $0.middleware) }
    for middleware in middleware {
      middleware.willDispatch(transaction: id, action: action, in: store)
    }
    do {
      try start(store.respond(to: action), at: index)
    } catch {
      end(index, .failed(error))
    }
  }

  private func start(_ response: StoreResponse, at index: Int) {
    let started = StartedOperations(response.operation)
    let wasRecorded = progress.withLock {
      $0.didStart(started.all, notifyObservers: response.notifyObservers, at: index)
    }
    guard wasRecorded else {
      // The dispatch was cancelled meanwhile, which ended this participant.
      for operation in started.all { operation.end(.failed(OperationError.cancelled)) }
      return
    }
    guard !started.all.isEmpty else { return end(index, .failed(OperationError.alreadyRun)) }
    response.operation.progress.whenEnded { [self] outcome in end(index, outcome) }
    let executor = DispatchExecutor { [self] job in
      let isAdded = progress.withLockSignalling { $0.add(job) }
      // The dispatch can be over: its operation was ended while others of the chain still wait.
      if isAdded { return resume() }
      (route.executor ?? .queue(.global())).run { [context] in
        CommitContext.with(only: context, job)
      }
    }
    started.perform(on: executor)
  }

  private func end(_ index: Int, _ outcome: OperationOutcome) {
    progress.withLockSignalling { $0.end(index, outcome) }
    resume()
  }

  private func notify(_ index: Int) {
    let (notifyObservers, store, middleware) = progress.withLock {
      ($0.takeNotification(at: index), $0.participants[index].store, $0.middleware)
    }
    notifyObservers?()
    for middleware in middleware {
      middleware.didDispatch(transaction: id, action: action, in: store)
    }
  }

  private func close() {
    let middleware = progress.withLock { $0.middleware }
    DispatchID.$current.withValue(dispatchID) {
      for middleware in middleware { middleware.didFinish(transaction: id, action: action) }
    }
    middleware.recorder?.didEnd(self)
    let then = completion.withLock { completion in
      defer { completion.then = nil }
      return completion.then
    }
    // A nested `.sync` dispatch: the outer one waits for it, so what `then` does belongs to the outer.
    let outer = mode == .sync ? DispatchID.current : nil
    if let then { DispatchID.$current.withValue(outer ?? dispatchID) { then() } }
    route.didEnd(self)
    let released = progress.withLock { $0.release() }
    withExtendedLifetime(released) {}
    let handlers = completion.withLock { completion in
      completion.isFinished = true
      defer { completion.handlers = [] }
      return completion.handlers
    }
    for handler in handlers { handler() }
  }
}
