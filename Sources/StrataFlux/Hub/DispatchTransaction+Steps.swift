import Dispatch
import StrataBase

extension DispatchTransaction {
  /// Takes all steps here, waiting for operations that finish elsewhere.
  func runHere() {
    while let step = progress.withLock(when: { $0.next != nil || $0.isClosed }, { $0.take() }) {
      take(step)
    }
  }

  /// Has steps taken in the executor's place, if there are any and nobody takes them.
  func goOn() {
    guard let executor = route.executor else { return }
    guard progress.withLock({ $0.beginDriving() }) else { return }
    executor.run { [self] in
      while let step = progress.withLock({ $0.take() }) { take(step) }
    }
  }

  private func take(_ step: DispatchProgress.Step) {
    switch step {
    case .open: open()
    case .run(let job): DispatchContext.$dispatch.withValue(mark) { job() }
    case .start(let place): DispatchContext.$dispatch.withValue(mark) { start(place) }
    case .tell(let place): DispatchContext.$dispatch.withValue(mark) { tell(place) }
    case .close: close()
    }
  }

  private var mark: DispatchMark { DispatchMark(hub: route.hub, transaction: id) }

  private func open() {
    do throws(DispatchError) {
      if progress.withLock({ $0.isCancelled }) { throw .cancelled }
      let dispatch = try route.open(action)
      progress.withLockSignalling { $0.open(dispatch.seats, dispatch.middleware) }
    } catch {
      progress.withLockSignalling { $0.refuse(error) }
    }
  }

  private func start(_ place: Int) {
    let (store, middleware) = progress.withLock { ($0.seats[place].store, $0.middleware) }
    for middleware in middleware {
      middleware.willDispatch(transaction: id, action: action, in: store)
    }
    do {
      try begin(store.answer(to: action), at: place)
    } catch {
      end(place, .failed(error))
    }
  }

  private func begin(_ answer: StoreAnswer, at place: Int) {
    let started = StrataFlux.start(answer.operation)
    let cores = started.map(\.operation.core)
    guard progress.withLock({ $0.hold(cores, answer, at: place) }) else {
      // Cancelled meanwhile, by which it has ended for the dispatch.
      for core in cores { core.end(.failed(OperationError.cancelled)) }
      return
    }
    guard !started.isEmpty else { return end(place, .failed(OperationError.alreadyRun)) }
    answer.operation.core.whenEnded { [self] outcome in end(place, outcome) }
    perform(started) { [self] job in
      let isTaken = progress.withLockSignalling { $0.add(job) }
      // The dispatch may be over, as someone ended its operation while others of the chain wait.
      if isTaken { goOn() } else { (route.executor ?? .queue(.global())).run(job) }
    }
  }

  private func end(_ place: Int, _ outcome: OperationOutcome) {
    progress.withLockSignalling { $0.end(place, outcome) }
    goOn()
  }

  private func tell(_ place: Int) {
    let (tellObservers, store, middleware) = progress.withLock {
      ($0.takeTelling(at: place), $0.seats[place].store, $0.middleware)
    }
    tellObservers?()
    for middleware in middleware {
      middleware.didDispatch(transaction: id, action: action, in: store)
    }
  }

  private func close() {
    let middleware = progress.withLock { $0.middleware }
    DispatchContext.$dispatch.withValue(mark) {
      for middleware in middleware { middleware.didFinish(transaction: id, action: action) }
    }
    let then = ending.withLock { ending in
      defer { ending.then = nil }
      return ending.then
    }
    // Inside another dispatch what it does belongs to that one, as it waits for it.
    let around = route.executor == nil ? DispatchContext.dispatch : nil
    if let then { DispatchContext.$dispatch.withValue(around ?? mark) { then() } }
    route.didEnd(self)
    let left = progress.withLock { $0.letGo() }
    withExtendedLifetime(left) {}
    let calls = ending.withLock { ending in
      ending.isOver = true
      defer { ending.calls = [] }
      return ending.calls
    }
    for call in calls { call() }
  }
}

/// The dispatch that the running code belongs to.
enum DispatchContext {
  /// Handed on to tasks that an operation creates, not to the blocks of a dispatch queue.
  @TaskLocal static var dispatch: DispatchMark?
}

/// Which dispatch of which hub: two hubs may bear one name.
struct DispatchMark: Sendable {
  let hub: HubIdentity
  let transaction: String
}
