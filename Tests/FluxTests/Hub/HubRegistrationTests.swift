import StrataCore
import StrataFlux
import StrataFluxRecorder
import TestSupport
import Testing

struct HubRegistrationTests {
  let hub = StrataFlux.Dispatcher(name: "registration")
  let a = CounterStore(identifier: "a", reducer: CounterReducer())
  let b = CounterStore(identifier: "b", reducer: CounterReducer())

  @Test func `a store registered twice is refused and runs once`() throws {
    try hub.register(store: a)

    #expect(throws: RegistrationError.identifierTaken("a")) { try hub.register(store: a) }
    hub.dispatch(CounterAction.increase, mode: .sync)
    #expect(a.state.count == 1)
  }

  @Test func `another store of a taken identifier is refused`() throws {
    let other = CounterStore(identifier: "a", reducer: CounterReducer())
    try hub.register(store: a)

    #expect(throws: RegistrationError.identifierTaken("a")) { try hub.register(store: other) }
    #expect(hub.store(with: "a") === a)
  }

  @Test func `a store is found by its identifier and type, and nothing else is`() throws {
    try hub.register(store: a)

    #expect(hub.store(with: "a") === a)
    #expect(hub.store(with: "a", as: CounterStore.self) === a)
    #expect(hub.store(with: "a", as: FluxStore<Counter, StrangeAction>.self) == nil)
    #expect(hub.store(with: "unknown") == nil)
  }

  @Test func `an unregistered store is reached no more, and can be registered again`() throws {
    try hub.register(store: a)
    try hub.unregister(store: a)

    hub.dispatch(CounterAction.increase, mode: .sync)
    #expect(a.state.count == 0)
    #expect(throws: RegistrationError.notRegistered("a")) { try hub.unregister(store: a) }
    #expect(throws: RegistrationError.notRegistered("a")) { try hub.unregister(identifier: "a") }

    try hub.register(store: a)
    hub.dispatch(CounterAction.increase, mode: .sync)
    #expect(a.state.count == 1)
  }

  @Test func `unregistering a stranger of the same identifier is refused`() throws {
    try hub.register(store: a)
    let stranger = CounterStore(identifier: "a", reducer: CounterReducer())

    #expect(throws: RegistrationError.notRegistered("a")) { try hub.unregister(store: stranger) }
    #expect(hub.identifiers == ["a"])
  }

  @Test func `an action may go to one store`() throws {
    try hub.register(store: a)
    try hub.register(store: b)

    hub.dispatch(CounterAction.increase, to: "b", mode: .sync)

    #expect(a.state.count == 0)
    #expect(b.state.count == 1)
  }

  @Test func `an unknown identifier is an error of the dispatch, and then runs`() async throws {
    let done = Latch()

    let transaction = hub.dispatch(CounterAction.increase, to: "gone", mode: .sync) { done.open() }

    #expect(await done.isOpen())
    guard case .unknownStore("gone")? = transaction.error else {
      Issue.record("\(String(describing: transaction.error))")
      return
    }
    await #expect(throws: DispatchError.self) {
      try await hub.dispatch(CounterAction.increase, to: "gone")
    }
  }

  @Test func `a store unregistered before the turn of a dispatch is not reached`() throws {
    let held = HeldOperations()
    let first = CounterStore("first") { operation, _, _ in held.add(operation) }
    try hub.register(store: first)
    try hub.register(store: a)
    let done = Latch()

    hub.dispatch(CounterAction.look, to: "first", mode: .serial)
    hub.dispatch(CounterAction.increase, to: "a", mode: .serial) { done.open() }
    #expect(held.waitForNext())
    try hub.unregister(store: a)
    held.finish(0)

    #expect(done.wait())
    #expect(a.state.count == 0)
  }

  @Test func `an operation under way survives the unregistering of its store`() throws {
    let held = HeldOperations()
    let first = CounterStore("first") { operation, _, _ in held.add(operation) }
    try hub.register(store: first)
    let done = Latch()

    let transaction = hub.dispatch(CounterAction.look) { done.open() }
    #expect(held.waitForNext())
    try hub.unregister(store: first)
    held.finish(0)

    #expect(done.wait())
    #expect(transaction.error == nil)
  }

  @Test func `an action that no store answers is done at once`() async throws {
    try hub.register(store: a)
    let done = Latch()

    let transaction = hub.dispatch(StrangeAction(), mode: .sync) { done.open() }
    try await hub.dispatch(StrangeAction())

    #expect(await done.isOpen())
    #expect(transaction.error == nil)
    #expect(hub.activeDispatches.isEmpty)
  }

  @Test func `then runs once, however many stores answer`() throws {
    try hub.register(store: a)
    try hub.register(store: b)
    let calls = Recorder<Int>()

    hub.dispatch(CounterAction.increase, mode: .sync) { [a, b] in
      calls.record(a.state.count + b.state.count)
    }

    #expect(calls.elements == [2])
  }

  @Test func `a hub lets go of what is unregistered and done`() throws {
    weak var gone: CounterStore?
    do {
      let store = CounterStore(identifier: "short", reducer: CounterReducer())
      gone = store
      try hub.register(store: store)
      hub.dispatch(CounterAction.increase, mode: .sync)
      try hub.unregister(store: store)
    }
    #expect(gone == nil)
  }

  @Test func `every error says what happened and what to do`() {
    let errors: [any Error] = [
      RegistrationError.identifierTaken("a"), RegistrationError.notRegistered("a"),
      RegistrationError.emptyGroup,
      RegistrationError.circularWait(path: ["a", "b", "a"]),
      DispatchError.unknownStore("a"), DispatchError.locked, DispatchError.travelling,
      DispatchError.branchFailed(TestError()), DispatchError.cancelled,
      DispatchError.failed([]), OperationError.abandoned, OperationError.cancelled,
      OperationError.alreadyRun, OperationError.alreadyStarted, OperationError.circularDependency,
      OperationError.dependencyFailed(TestError()), RecorderError.noSuchEntry(1),
      RecorderError.noSuchPosition(4, last: 3),
      RecorderError.notReplayable(entries: [1], store: "a"),
      RecorderError.replayFailed(entry: 1, store: "a", TestError()),
      RecorderError.refused(store: "a", TestError()),
      RecorderError.notCodable(store: "a", type: "T"), RecorderError.unreadable("It is text."),
    ]
    #expect(Set(errors.map { "\($0)" }).count == errors.count)
    #expect("\(RegistrationError.circularWait(path: ["a", "b", "a"]))".contains("a → b → a"))
  }
}
