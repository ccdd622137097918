import Dispatch
import Foundation
import StrataCore
import StrataFlux
import TestSupport
import Testing

struct ModeTests {
  let hub = StrataFlux.Dispatcher(name: "modes")

  @Test func `sync runs on the calling thread and returns when all is done`() throws {
    let threads = Recorder<ObjectIdentifier>()
    let store = CounterStore("counter") { operation, _, store in
      threads.record(ObjectIdentifier(Thread.current))
      store.updateState { $0.count += 1 }
      operation.finish()
    }
    try hub.register(store: store)

    let transaction = hub.dispatch(CounterAction.increase, mode: .sync)

    #expect(transaction.isFinished)
    #expect(threads.elements == [ObjectIdentifier(Thread.current)])
    #expect(store.state.count == 1)
  }

  @Test(.timeLimit(.minutes(5)))
  func `a serial dispatch awaited inside a serial one throws, and the hub goes on`() async throws {
    let errors = Recorder<String>()
    let hub = hub
    let store = CounterStore("counter") { [weak hub] operation, action, store in
      guard case .increase = action, let hub else {
        store.updateState { $0.count += 10 }
        return operation.finish()
      }
      Task {
        for wait in [
          { try await hub.dispatch(CounterAction.decrease, mode: .serial) },
          { try await hub.dispatch(CounterAction.decrease, mode: .serial).finished() },
        ] as [@Sendable () async throws -> Void] {
          do {
            try await wait()
            errors.record("none")
          } catch {
            errors.record("\(error)")
          }
        }
        try await hub.dispatch(CounterAction.decrease, mode: .async)
        operation.finish()
      }
    }
    try hub.register(store: store)

    try await hub.dispatch(CounterAction.increase, mode: .serial)
    try await hub.dispatch(CounterAction.look, mode: .serial)

    #expect(errors.elements == Array(repeating: "\(DispatchError.insideSerial)", count: 2))
    // The second one was dispatched, and ran behind the outer one.
    #expect(store.state.count == 30)
  }

  @Test func `sync waits for an operation that another thread finishes`() throws {
    let store = CounterStore("counter") { operation, _, store in
      onAnotherThread {
        store.updateState { $0.count += 1 }
        operation.finish()
      }
    }
    try hub.register(store: store)

    hub.dispatch(CounterAction.increase, mode: .sync)

    #expect(store.state.count == 1)
  }

  @Test func `async dispatches overlap`() throws {
    let held = HeldOperations()
    try hub.register(store: CounterStore("counter") { operation, _, _ in held.add(operation) })

    let first = hub.dispatch(CounterAction.increase)
    let second = hub.dispatch(CounterAction.increase)

    #expect(held.waitForNext() && held.waitForNext())
    #expect(hub.activeDispatches.map(\.id) == [first.id, second.id])
    held.releaseAll()
  }

  @Test func `a serial dispatch starts when the one before it is finished`() throws {
    let held = HeldOperations()
    try hub.register(store: CounterStore("counter") { operation, _, _ in held.add(operation) })
    let done = Latch()

    hub.dispatch(CounterAction.increase, mode: .serial)
    hub.dispatch(CounterAction.decrease, mode: .serial) { done.open() }
    #expect(held.waitForNext())
    #expect(held.count == 1)
    held.finish(0)
    #expect(held.waitForNext())
    held.finish(1)

    #expect(done.wait())
  }

  @Test func `a serial dispatch starts after the then of the one before it`() throws {
    let log = Recorder<String>()
    let store = CounterStore("counter") { operation, action, _ in
      log.record("\(action)")
      operation.finish()
    }
    try hub.register(store: store)
    let done = Latch()

    hub.dispatch(CounterAction.increase, mode: .serial) { log.record("then") }
    hub.dispatch(CounterAction.decrease, mode: .serial) { done.open() }

    #expect(done.wait())
    #expect(log.elements == ["increase", "then", "decrease"])
  }

  @Test func `a thousand serial dispatches from one thread run in their order`() throws {
    let log = Recorder<CounterAction>()
    let store = CounterStore("counter") { operation, action, _ in
      log.record(action)
      // Finished on another thread, so that only the queue determines the order.
      onAnotherThread { operation.finish() }
    }
    try hub.register(store: store)
    let done = Latch()

    for number in 1...1000 {
      hub.dispatch(CounterAction.add(number), mode: .serial) { if number == 1000 { done.open() } }
    }

    #expect(done.wait())
    #expect(log.elements == (1...1000).map { .add($0) })
  }

  @Test func `ten thousand serial dispatches wait in line, and one of them is cancelled`() throws {
    let store = CounterStore(identifier: "counter", reducer: PureCounterReducer())
    try hub.register(store: store)
    let held = HeldOperations()
    let holding = CounterStore("holding") { operation, _, _ in held.add(operation) }
    try hub.register(store: holding)
    let done = Latch()

    // They queue behind the first, and one is removed from the middle.
    hub.dispatch(CounterAction.look, to: "holding", mode: .serial)
    #expect(held.waitForNext())
    let others = (1...10_000).map { number in
      hub.dispatch(CounterAction.increase, to: "counter", mode: .serial) {
        if number == 10_000 { done.open() }
      }
    }
    #expect(hub.activeDispatches.map(\.id).suffix(10_000) == others.map(\.id)[...])
    others[5_000].cancel()
    held.finish(0)

    #expect(done.wait())
    #expect(store.state.count == 9_999)
    #expect(hub.activeDispatches.allSatisfy { $0 === others.last })
  }

  @Test func `mainThread runs where its executor runs it, and the call returns before`() throws {
    let loop = ManualExecutor()
    let hub = StrataFlux.Dispatcher(mainThread: loop.executor)
    let store = CounterStore(identifier: "counter", reducer: CounterReducer())
    try hub.register(store: store)

    let transaction = hub.dispatch(CounterAction.increase, mode: .mainThread)
    #expect(!transaction.isFinished)
    #expect(store.state.count == 0)
    loop.run()

    #expect(transaction.isFinished)
    #expect(store.state.count == 1)
  }

  @Test func `every store of a mainThread dispatch runs on its executor`() throws {
    let queue = DispatchQueue(label: "stands for the main thread")
    let key = DispatchSpecificKey<Bool>()
    queue.setSpecific(key: key, value: true)
    let hub = StrataFlux.Dispatcher(mainThread: .queue(queue))
    let places = Recorder<Bool?>()
    try hub.register(
      store: CounterStore("first") { operation, _, _ in
        onAnotherThread { operation.finish() }
      }
    )
    try hub.register(
      store: CounterStore("second") { operation, _, _ in
        places.record(DispatchQueue.getSpecific(key: key))
        operation.finish()
      },
      waitingFor: ["first"]
    )
    let done = Latch()

    hub.dispatch(CounterAction.increase, mode: .mainThread) {
      places.record(DispatchQueue.getSpecific(key: key))
      done.open()
    }

    #expect(done.wait())
    #expect(places.elements == [true, true])
  }

  @Test func `a program without a main loop is not held up, and may run it itself`() async {
    await #expect(processExitsWith: .success) {
      let hub = StrataFlux.Dispatcher.default
      let store = CounterStore(identifier: "counter", reducer: CounterReducer())
      try hub.register(store: store)

      // These jobs never run.
      hub.mainThread = DispatchExecutor { _ in }
      let unheard = hub.dispatch(CounterAction.increase, mode: .mainThread)
      #expect(!unheard.isFinished && store.state.count == 0)

      hub.mainThread = .callingThread
      hub.dispatch(CounterAction.increase, mode: .mainThread)
      #expect(store.state.count == 1)
    }
  }

  @Test func `waiting for a mainThread dispatch that nobody runs ends with the task`() async {
    let loop = ManualExecutor()
    let hub = StrataFlux.Dispatcher(mainThread: loop.executor)
    let waiting = Task { try await hub.dispatch(CounterAction.increase, mode: .mainThread) }
    let ended = Latch()
    // A dispatch that waits forever would continue here and end without an error. The timeout is
    // long, because the test's own task can have to wait for other tests.
    let patience = inBackground {
      if (1...2).contains(where: { _ in ended.wait() }) { return }
      loop.run()
    }

    waiting.cancel()

    await #expect(throws: CancellationError.self) { try await waiting.value }
    ended.open()
    withExtendedLifetime(patience) {}
    loop.run()
    #expect(hub.activeDispatches.isEmpty)
  }

  @Test func `an awaited dispatch in the mode sync runs in the task that calls it`() async throws {
    let hub = StrataFlux.Dispatcher()
    let seen = Recorder<String>()
    let store = CounterStore("store") { operation, _, store in
      seen.record(Caller.name)
      store.updateState { $0.count += 1 }
      operation.finish()
    }
    try hub.register(store: store)
    for mode in [DispatchMode.sync, .async] {
      try await Caller.$name.withValue("caller") {
        try await hub.dispatch(CounterAction.increase, mode: mode)
      }
    }
    // A dispatch queue does not know the task.
    #expect(seen.elements == ["caller", ""])
    #expect(store.state.count == 2)
  }

  @Test func `an awaited dispatch in the mode sync does not block a thread that it waits for`()
    async throws
  {
    let hub = StrataFlux.Dispatcher()
    let store = CounterStore("store") { operation, _, store in
      Task {
        store.updateState { $0.count += 1 }
        operation.finish()
      }
    }
    try hub.register(store: store)
    try await withThrowingTaskGroup { group in
      for _ in 0..<64 {
        group.addTask { try await hub.dispatch(CounterAction.increase, mode: .sync) }
      }
      try await group.waitForAll()
    }
    #expect(store.state.count == 64)
  }
}

private enum Caller {
  @TaskLocal static var name = ""
}
