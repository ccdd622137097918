import StrataBase
import StrataCore
import StrataFlux
import TestSupport
import Testing

/// Operations that depend on other operations.
struct DependencyTests {
  let hub = StrataFlux.Dispatcher(name: "dependencies")
  let log = Recorder<String>()

  /// Returns the operation that `make` creates for the store.
  private final class Building: Reducer<Counter, CounterAction>, @unchecked Sendable {
    private let make: @Sendable (CounterStore) throws -> CounterOperation

    init(_ make: @escaping @Sendable (CounterStore) throws -> CounterOperation) {
      self.make = make
    }

    override func operation(for action: CounterAction, in store: CounterStore) throws
      -> CounterOperation
    {
      try make(store)
    }
  }

  private static func operation(
    _ name: String,
    in store: CounterStore,
    _ log: Recorder<String>
  ) -> CounterOperation {
    ActionOperation(action: .look, store: store) { operation, _, _ in
      log.record(name)
      // Finished on another thread, so that only the dependency determines the order.
      onAnotherThread { operation.finish() }
    }
  }

  @Test func `a reducer gives out the last link of a chain, and the others run before it`() throws {
    let store = CounterStore(
      identifier: "counter",
      reducer: Building { [log] store in
        let links = ["a", "b", "c"].map { Self.operation($0, in: store, log) }
        try links[1].addDependency(links[0])
        try links[2].addDependency(links[1])
        return links[2]
      }
    )
    try hub.register(store: store)

    let transaction = hub.dispatch(CounterAction.look, mode: .sync)

    #expect(log.elements == ["a", "b", "c"])
    #expect(transaction.error == nil)
  }

  @Test func `an operation that two others depend on runs once`() throws {
    let store = CounterStore(
      identifier: "counter",
      reducer: Building { [log] store in
        let links = ["top", "left", "right", "shared"].map { Self.operation($0, in: store, log) }
        try links[0].addDependency(links[1])
        try links[0].addDependency(links[2])
        try links[1].addDependency(links[3])
        try links[2].addDependency(links[3])
        return links[0]
      }
    )
    try hub.register(store: store)

    hub.dispatch(CounterAction.look, mode: .sync)

    #expect(log.elements.first == "shared")
    #expect(log.elements.last == "top")
    #expect(log.elements.count == 4)
  }

  @Test func `it may depend on one of another store, under way already`() throws {
    let held = HeldOperations()
    let first = CounterStore("first") { operation, _, _ in held.add(operation) }
    let other = CounterStore(identifier: "other", reducer: CounterReducer())
    let awaited = CounterOperation(action: .look, store: other) { operation, _, _ in
      held.add(operation)
    }
    let store = CounterStore(
      identifier: "second",
      reducer: Building { [log] store in
        let operation = Self.operation("second", in: store, log)
        try operation.addDependency(awaited)
        return operation
      }
    )
    try hub.register(store: first)
    try hub.register(store: store)
    let done = Latch()

    hub.dispatch(CounterAction.look) { done.open() }
    #expect(held.waitForNext() && held.waitForNext())
    #expect(log.elements == [])
    held.finish(0)
    held.finish(1)

    #expect(done.wait())
    #expect(log.elements == ["second"])
  }

  @Test func `when a dependency fails, what waits for it fails without running`() throws {
    let store = CounterStore(
      identifier: "counter",
      reducer: Building { [log] store in
        let failing = CounterOperation(action: .look, store: store) { _, _, _ in throw TestError() }
        let last = Self.operation("last", in: store, log)
        try last.addDependency(failing)
        return last
      }
    )
    try hub.register(store: store)

    let transaction = hub.dispatch(CounterAction.look, mode: .sync)

    #expect(log.elements == [])
    guard case .failed(let failures)? = transaction.error,
      case OperationError.dependencyFailed(let cause)? = failures.first?.error as? OperationError
    else {
      Issue.record("\(String(describing: transaction.error))")
      return
    }
    #expect(cause is TestError)
  }

  @Test func `how an operation ended first is how it ended, for those who ask later`() throws {
    let store = CounterStore(identifier: "counter", reducer: CounterReducer())
    let finished = CounterOperation(action: .look, store: store) { operation, _, _ in
      operation.finish()
      operation.fail(TestError())
    }
    let giving = CounterStore(identifier: "giving", reducer: Building { _ in finished })
    let asking = CounterStore(
      identifier: "asking",
      reducer: Building { [log] store in
        let operation = Self.operation("asking", in: store, log)
        try operation.addDependency(finished)
        return operation
      }
    )
    try hub.register(store: giving)
    try hub.register(store: asking)

    hub.dispatch(CounterAction.look, to: "giving", mode: .sync)
    let transaction = hub.dispatch(CounterAction.look, to: "asking", mode: .sync)

    #expect(transaction.error == nil)
    #expect(log.elements == ["asking"])
  }

  @Test func `a circle of operations is refused`() throws {
    let store = CounterStore(identifier: "counter", reducer: CounterReducer())
    let links = (0..<3).map { Self.operation("\($0)", in: store, log) }
    try links[0].addDependency(links[1])
    try links[1].addDependency(links[2])

    for (waiting, awaited) in [(links[2], links[0]), (links[0], links[0])] {
      let error = #expect(throws: OperationError.self) { try waiting.addDependency(awaited) }
      guard case .circularDependency? = error else {
        Issue.record("\(String(describing: error))")
        return
      }
    }
  }

  @Test func `a dependency comes too late once the operation has started`() throws {
    let late = Lock<OperationError?>(nil)
    let store = CounterStore("counter") { operation, action, store in
      do throws(OperationError) {
        try operation.addDependency(CounterOperation(action: action, store: store) { _, _, _ in })
      } catch {
        late.withLock { $0 = error }
      }
      operation.finish()
    }
    try hub.register(store: store)

    hub.dispatch(CounterAction.look, mode: .sync)

    guard case .alreadyStarted? = late.withLock({ $0 }) else {
      Issue.record("\(String(describing: late.withLock { $0 }))")
      return
    }
  }

  @Test func `a chain of ten thousand operations does not overflow the stack`() throws {
    let count = Lock(0)
    let store = CounterStore(
      identifier: "counter",
      reducer: Building { store in
        var last: CounterOperation?
        for _ in 0..<10_000 {
          let next = CounterOperation(action: .look, store: store) { operation, _, _ in
            count.withLock { $0 += 1 }
            operation.finish()
          }
          if let last { try next.addDependency(last) }
          last = next
        }
        return try #require(last)
      }
    )
    try hub.register(store: store)

    hub.dispatch(CounterAction.look, mode: .sync)

    #expect(count.withLock { $0 } == 10_000)
  }

  @Test func `a failure passes along ten thousand operations, and is named by its beginning`()
    throws
  {
    let store = CounterStore(
      identifier: "counter",
      reducer: Building { store in
        var last = CounterOperation(action: .look, store: store) { _, _, _ in throw TestError() }
        for _ in 0..<10_000 {
          let next = CounterOperation(action: .look, store: store) { operation, _, store in
            store.updateState { $0.count += 1 }
            operation.finish()
          }
          try next.addDependency(last)
          last = next
        }
        return last
      }
    )
    try hub.register(store: store)

    let transaction = hub.dispatch(CounterAction.look, mode: .sync)

    #expect(store.state.count == 0)
    guard case .failed(let failures)? = transaction.error,
      case OperationError.dependencyFailed(let cause)? = failures.first?.error as? OperationError
    else {
      Issue.record("\(String(describing: transaction.error))")
      return
    }
    #expect(cause is TestError)
  }

  @Test func `cancelling ends what an operation depends on, too`() throws {
    let held = HeldOperations()
    let under = Lock<CounterOperation?>(nil)
    let store = CounterStore(
      identifier: "counter",
      reducer: Building { [log] store in
        let first = CounterOperation(action: .look, store: store) { operation, _, _ in
          under.withLock { $0 = operation }
          held.add(operation)
        }
        let links = ["second", "third"].map { Self.operation($0, in: store, log) }
        try links[0].addDependency(first)
        try links[1].addDependency(links[0])
        return links[1]
      }
    )
    try hub.register(store: store)
    let done = Latch()

    let transaction = hub.dispatch(CounterAction.look) { done.open() }
    #expect(held.waitForNext())
    transaction.cancel()
    #expect(done.wait())

    #expect(under.withLock { $0?.isFinished } == true)
    held.finish(0)
    #expect(log.elements == [])
    under.withLock { $0 = nil }
  }

  @Test func `a long chain whose last link was ended early does not overflow the stack`() throws {
    let held = HeldOperations()
    let last = Lock<CounterOperation?>(nil)
    let ran = Latch()
    let store = CounterStore(
      identifier: "counter",
      reducer: Building { store in
        var link = CounterOperation(action: .look, store: store) { operation, _, _ in
          held.add(operation)
        }
        for number in 1...10_000 {
          let next = CounterOperation(action: .look, store: store) { operation, _, _ in
            if number == 9_999 { ran.open() }
            operation.finish()
          }
          try next.addDependency(link)
          link = next
        }
        last.withLock { $0 = link }
        return link
      }
    )
    try hub.register(store: store)
    let done = Latch()

    hub.dispatch(CounterAction.look) { done.open() }
    #expect(held.waitForNext())
    let ended = last.withLock { last in
      defer { last = nil }
      return last
    }
    ended?.finish()
    #expect(done.wait())
    held.finish(0)

    #expect(ran.wait())
  }
}
