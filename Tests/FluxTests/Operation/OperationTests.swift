import Dispatch
import StrataBase
import StrataCore
import StrataFlux
import TestSupport
import Testing

struct OperationTests {
  let hub = StrataFlux.Dispatcher(name: "operations")

  private func failures(_ transaction: DispatchTransaction) -> [StoreFailure] {
    if case .failed(let failures)? = transaction.error { failures } else { [] }
  }

  @Test func `what a block throws fails the operation, and commits before it stay`() throws {
    let store = CounterStore(identifier: "counter", reducer: CounterReducer())
    try hub.register(store: store)
    let observer = Observer()
    let notified = Recorder<Int>()
    store.register(observer: observer) { state, _ in notified.record(state.count) }

    let transaction = hub.dispatch(CounterAction.fail, mode: .sync)

    #expect(failures(transaction).map(\.store) == ["counter"])
    #expect(failures(transaction).first?.error is TestError)
    #expect(store.state.count == 1)
    #expect(notified.elements == [1])
    withExtendedLifetime(observer) {}
  }

  @Test(arguments: [DispatchMode.async, .serial])
  func `the asynchronous form throws what failed, and the next dispatch goes on`(
    mode: DispatchMode
  ) async throws {
    let store = CounterStore(identifier: "counter", reducer: CounterReducer())
    try hub.register(store: store)

    await #expect(throws: DispatchError.self) {
      try await hub.dispatch(CounterAction.fail, mode: mode)
    }
    try await hub.dispatch(CounterAction.increase, mode: mode)

    #expect(store.state.count == 2)
  }

  @Test func `what a reducer throws fails the dispatch and leaves the state alone`() throws {
    final class Throwing: Reducer<Counter, CounterAction>, @unchecked Sendable {
      override func operation(for action: CounterAction, in store: CounterStore) throws
        -> CounterOperation
      {
        throw TestError()
      }
    }
    let store = CounterStore(identifier: "counter", reducer: Throwing())
    try hub.register(store: store)

    let transaction = hub.dispatch(CounterAction.increase, mode: .sync)

    #expect(failures(transaction).first?.error is TestError)
    #expect(store.changes.version == 0)
  }

  @Test func `a pure reducer that throws half-way leaves the state as it was`() throws {
    let store = CounterStore(identifier: "counter", reducer: PureCounterReducer())
    try hub.register(store: store)

    let transaction = hub.dispatch(CounterAction.fail, mode: .sync)

    #expect(failures(transaction).first?.error is TestError)
    #expect(store.changes.version == 0)
    #expect(store.state.count == 0)
  }

  @Test func `an operation may fail later`() async throws {
    try hub.register(
      store: CounterStore("counter") { operation, _, _ in
        Task { operation.fail(TestError()) }
      }
    )

    await #expect(throws: DispatchError.self) { try await hub.dispatch(CounterAction.look) }
  }

  @Test func `a second finish does nothing`() throws {
    let store = CounterStore("counter") { operation, _, store in
      store.updateState { $0.count += 1 }
      operation.finish()
      operation.finish()
      operation.fail(TestError())
    }
    try hub.register(store: store)
    let observer = Observer()
    let notified = Recorder<Int>()
    store.register(observer: observer) { state, _ in notified.record(state.count) }
    let thens = Recorder<Int>()

    let transaction = hub.dispatch(CounterAction.look, mode: .sync) { thens.record(1) }

    #expect(notified.elements == [1])
    #expect(thens.elements == [1])
    #expect(transaction.error == nil)
    withExtendedLifetime(observer) {}
  }

  @Test(arguments: DispatchMode.allCases)
  func `an operation that nobody can finish any more fails, and nothing hangs`(
    mode: DispatchMode
  ) throws {
    let hub = StrataFlux.Dispatcher(mainThread: .queue(.global()))
    try hub.register(store: CounterStore("counter") { _, _, _ in })
    let done = Latch()
    let dispatched = Recorder<DispatchTransaction>()

    // On another thread: a `.sync` dispatch would block this one forever.
    let returned = inBackground {
      dispatched.record(hub.dispatch(CounterAction.look, mode: mode) { done.open() })
    }

    #expect(done.wait() && returned.wait())
    guard let transaction = dispatched.elements.first,
      case OperationError.abandoned? = failures(transaction).first?.error as? OperationError
    else {
      Issue.record("\(dispatched.elements.map(\.error))")
      for stuck in hub.activeDispatches { stuck.cancel() }
      return
    }
  }

  @Test func `one that is held and never finished is named, and cancelling it lets others go`()
    throws
  {
    let held = HeldOperations()
    let store = CounterStore("counter") { operation, action, _ in
      if action == .look { held.add(operation) } else { operation.finish() }
    }
    try hub.register(store: store)
    let ended = Latch()
    let done = Latch()

    hub.dispatch(CounterAction.look, mode: .serial) { ended.open() }
    hub.dispatch(CounterAction.increase, mode: .serial) { done.open() }
    #expect(held.waitForNext())
    let stuck = try #require(hub.activeDispatches.first)
    #expect(stuck.waitingFor == ["counter"])
    #expect(stuck.action as? CounterAction == .look)
    stuck.cancel()

    #expect(ended.wait() && done.wait())
    guard case OperationError.cancelled? = failures(stuck).first?.error as? OperationError else {
      Issue.record("\(String(describing: stuck.error))")
      return
    }
    held.finish(0)
  }

  @Test func `cancelling from another thread frees a thread that dispatches in sync`() throws {
    let held = HeldOperations()
    try hub.register(store: CounterStore("counter") { operation, _, _ in held.add(operation) })

    let returned = inBackground { [hub] in hub.dispatch(CounterAction.look, mode: .sync) }
    #expect(held.waitForNext())
    hub.activeDispatches.first?.cancel()

    #expect(returned.wait())
    held.releaseAll()
  }

  @Test func `cancelling a task that waits cancels the dispatch`() async throws {
    let held = HeldOperations()
    try hub.register(store: CounterStore("counter") { operation, _, _ in held.add(operation) })
    let waiting = Task { [hub] in try await hub.dispatch(CounterAction.look, mode: .serial) }

    waiting.cancel()

    await #expect(throws: CancellationError.self) { try await waiting.value }
    held.releaseAll()
  }

  @Test func `a serial dispatch cancelled before its turn is not run, and those after it are`()
    throws
  {
    let held = HeldOperations()
    let log = Recorder<CounterAction>()
    let store = CounterStore("counter") { operation, action, _ in
      log.record(action)
      if action == .look { held.add(operation) } else { operation.finish() }
    }
    try hub.register(store: store)
    let done = Latch()

    hub.dispatch(CounterAction.look, mode: .serial)
    let second = hub.dispatch(CounterAction.increase, mode: .serial)
    hub.dispatch(CounterAction.decrease, mode: .serial) { done.open() }
    #expect(held.waitForNext())
    second.cancel()
    held.finish(0)

    #expect(done.wait())
    #expect(log.elements == [.look, .decrease])
    guard case .cancelled? = second.error else {
      Issue.record("\(String(describing: second.error))")
      return
    }
  }

  @Test func `an operation given out twice is refused the second time`() throws {
    final class Reusing: Reducer<Counter, CounterAction>, @unchecked Sendable {
      let operation = Lock<CounterOperation?>(nil)

      override func operation(for action: CounterAction, in store: CounterStore) throws
        -> CounterOperation
      {
        self.operation.withLock { operation in
          let kept =
            operation
            ?? ActionOperation(action: action, store: store) { operation, _, store in
              store.updateState { $0.count += 1 }
              operation.finish()
            }
          operation = kept
          return kept
        }
      }
    }
    let reducer = Reusing()
    let store = CounterStore(identifier: "counter", reducer: reducer)
    try hub.register(store: store)

    hub.dispatch(CounterAction.look, mode: .sync)
    let second = hub.dispatch(CounterAction.look, mode: .sync)

    #expect(store.state.count == 1)
    guard case OperationError.alreadyRun? = failures(second).first?.error as? OperationError else {
      Issue.record("\(String(describing: second.error))")
      return
    }
    reducer.operation.withLock { $0 = nil }
  }

  @Test func `an operation finished before it is given out is finished`() throws {
    final class Early: Reducer<Counter, CounterAction>, @unchecked Sendable {
      override func operation(for action: CounterAction, in store: CounterStore)
        -> CounterOperation
      {
        let operation = CounterOperation(action: action, store: store) { _, _, store in
          store.updateState { $0.count += 1 }
        }
        if action == .fail { operation.fail(TestError()) } else { operation.finish() }
        return operation
      }
    }
    let store = CounterStore(identifier: "early", reducer: Early())
    try hub.register(store: store)

    #expect(hub.dispatch(CounterAction.look, mode: .sync).error == nil)
    guard
      case .failed(let failures)? = hub.dispatch(CounterAction.fail, mode: .sync).error,
      failures.first?.error is TestError
    else {
      Issue.record("Another failure.")
      return
    }
    #expect(store.state.count == 0)
  }
}
