import Dispatch
import StrataCore
import StrataFlux
import TestSupport
import Testing

struct OrderTests {
  let hub = StrataFlux.Dispatcher(name: "order")
  let log = Recorder<String>()

  private func store(_ identifier: String) -> CounterStore {
    CounterStore(identifier) { [log] operation, _, _ in
      log.record(identifier)
      operation.finish()
    }
  }

  @Test func `an action reaches the stores of its type in the order of their registration`() throws
  {
    for identifier in ["c", "a", "b"] { try hub.register(store: store(identifier)) }

    hub.dispatch(CounterAction.increase, mode: .sync)
    hub.dispatch(StrangeAction(), mode: .sync)

    #expect(log.elements == ["c", "a", "b"])
  }

  @Test func `a store that others wait for is pulled forward, before the first of them`() throws {
    try hub.register(store: store("price"), waitingFor: ["country", "city"])
    try hub.register(store: store("weather"))
    try hub.register(store: store("city"), waitingFor: ["country"])
    try hub.register(store: store("country"))

    hub.dispatch(CounterAction.increase, mode: .sync)

    #expect(log.elements == ["country", "city", "price", "weather"])
  }

  @Test(arguments: DispatchMode.allCases)
  func `a store starts when those it waits for have finished, others at once`(
    mode: DispatchMode
  ) throws {
    let hub = StrataFlux.Dispatcher(mainThread: .queue(.global()))
    let held = HeldOperations()
    let slow = CounterStore("slow") { [log] operation, _, _ in
      log.record("slow")
      held.add(operation)
    }
    try hub.register(store: slow)
    try hub.register(store: store("waiting"), waitingFor: ["slow"])
    let last = Latch()
    try hub.register(
      store: CounterStore("free") { [log] operation, _, _ in
        log.record("free")
        last.open()
        operation.finish()
      }
    )

    let finished = Latch()
    let done = inBackground {
      hub.dispatch(CounterAction.increase, mode: mode) { finished.open() }
    }
    #expect(held.waitForNext() && last.wait())
    #expect(log.elements == ["slow", "free"])
    #expect(hub.activeDispatches.first?.waitingFor.prefix(2) == ["slow", "waiting"])
    held.finish(0)

    #expect(done.wait() && finished.wait())
    #expect(log.elements == ["slow", "free", "waiting"])
  }

  @Test func `a wait reaches through a store that does not answer the action`() throws {
    let held = HeldOperations()
    try hub.register(store: CounterStore("first") { operation, _, _ in held.add(operation) })
    try hub.register(
      store: FluxStore(identifier: "between", reducer: SilentReducer()),
      waitingFor: ["first"]
    )
    try hub.register(store: store("last"), waitingFor: ["between"])
    let passed = Latch()
    try hub.register(
      store: CounterStore("free") { operation, _, _ in
        passed.open()
        operation.finish()
      }
    )
    let done = Latch()

    hub.dispatch(CounterAction.increase) { done.open() }
    #expect(held.waitForNext() && passed.wait())
    #expect(log.elements == [])
    held.finish(0)

    #expect(done.wait())
    #expect(log.elements == ["last"])
  }

  @Test func `a store that waits for one that failed is not reached, others are`() throws {
    try hub.register(store: CounterStore("bad") { _, _, _ in throw TestError() })
    try hub.register(store: store("waiting"), waitingFor: ["bad"])
    try hub.register(store: store("free"))

    let transaction = hub.dispatch(CounterAction.increase, mode: .sync)

    #expect(log.elements == ["free"])
    guard case .failed(let failures)? = transaction.error else {
      Issue.record("\(String(describing: transaction.error))")
      return
    }
    #expect(failures.map(\.store) == ["bad", "waiting"])
    #expect(failures.first?.error is TestError)
    let last = failures.last?.error as? OperationError
    guard case .dependencyFailed(let cause)? = last else {
      Issue.record("\(String(describing: last))")
      return
    }
    #expect(cause is TestError)
  }

  @Test func `a circle is refused at registration, with its path, and changes nothing`() throws {
    try hub.register(store: store("price"), waitingFor: ["city"])
    try hub.register(store: store("city"), waitingFor: ["country"])

    #expect(throws: RegistrationError.circularWait(path: ["country", "price", "city", "country"])) {
      try hub.register(store: store("country"), waitingFor: ["weather", "price"])
    }
    #expect(throws: RegistrationError.circularWait(path: ["self", "self"])) {
      try hub.register(store: store("self"), waitingFor: ["self"])
    }
    #expect(hub.identifiers == ["price", "city"])
    try hub.register(store: store("country"))
    hub.dispatch(CounterAction.increase, mode: .sync)
    #expect(log.elements == ["country", "city", "price"])
  }

  @Test func `names that nobody bears are told`() throws {
    try hub.register(store: store("price"), waitingFor: ["city", "misspelt"])
    #expect(hub.unmetWaits == ["price": ["city", "misspelt"]])

    try hub.register(store: store("city"))
    #expect(hub.unmetWaits == ["price": ["misspelt"]])

    try hub.unregister(identifier: "price")
    #expect(hub.unmetWaits == [:])
  }

  @Test func `a store that two wait for runs once, before both`() throws {
    try hub.register(store: store("top"), waitingFor: ["left", "right"])
    try hub.register(store: store("left"), waitingFor: ["shared"])
    try hub.register(store: store("right"), waitingFor: ["shared"])
    try hub.register(store: store("shared"))

    hub.dispatch(CounterAction.increase, mode: .sync)

    #expect(log.elements == ["shared", "left", "right", "top"])
  }

  @Test func `a chain of three hundred waits does not nest`() throws {
    for number in 0..<300 {
      try hub.register(store: store("\(number)"), waitingFor: ["\(number + 1)"])
    }

    hub.dispatch(CounterAction.increase, mode: .sync)

    #expect(log.elements == (0..<300).reversed().map(String.init))
  }
}

private enum SilentAction: FluxAction { case nothing }
private final class SilentReducer: Reducer<Counter, SilentAction>, @unchecked Sendable {}
