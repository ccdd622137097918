import Dispatch
import StrataBase
import StrataCore
import StrataFlux
import StrataFluxRecorder
import TestSupport
import Testing

/// The defects of the Dispatch library of 2017, one test each.
struct OriginalDefectTests {
  let hub = StrataFlux.Dispatcher(name: "defects")

  @Test func `1. serial is serial: no two operations are under way at once`() throws {
    let running = Lock((now: 0, peak: 0))
    let order = Recorder<CounterAction>()
    let store = CounterStore("counter") { operation, action, _ in
      running.withLock { running in
        running.now += 1
        running.peak = max(running.peak, running.now)
      }
      onAnotherThread {
        order.record(action)
        running.withLock { $0.now -= 1 }
        operation.finish()
      }
    }
    try hub.register(store: store)
    let done = Latch()

    for number in 1...8 {
      hub.dispatch(CounterAction.add(number), mode: .serial) { if number == 8 { done.open() } }
    }

    #expect(done.wait())
    #expect(running.withLock { $0.peak } == 1)
    #expect(order.elements == (1...8).map { .add($0) })
  }

  @Test func `2. unregistering a store removes that store and no other`() throws {
    for identifier in ["a", "b", "c"] {
      try hub.register(store: CounterStore(identifier: identifier, reducer: CounterReducer()))
    }

    try hub.unregister(identifier: "b")

    #expect(hub.identifiers == ["a", "c"])
  }

  @Test func `3. observers are held weakly, and unregistering finds them`() throws {
    let store = CounterStore(identifier: "counter", reducer: CounterReducer())
    try hub.register(store: store)
    let notified = Recorder<String>()
    weak var gone: Observer?
    do {
      let observer = Observer()
      gone = observer
      store.register(observer: observer) { _, _ in notified.record("gone") }
    }
    let leaving = Observer()
    store.register(observer: leaving) { _, _ in notified.record("leaving") }
    store.unregister(observer: leaving)

    hub.dispatch(CounterAction.increase, mode: .sync)

    #expect(gone == nil)
    #expect(notified.elements == [])
    #expect(store.callbackCount == 0)
  }

  @Test func `4a. the recorder reaches the initial state, and the first step back changes it`()
    throws
  {
    let recorded = try RecordedHub()
    recorded.dispatch(.increase)

    #expect(try recorded.recorder.back())

    #expect(recorded.counts == [0, 0])
  }

  @Test func `4b. branching from an entry keeps that entry`() throws {
    let recorded = try RecordedHub(travelPolicy: .branch)
    recorded.dispatch(.add(1), .add(10), .add(100))
    try recorded.recorder.jump(to: 2)

    recorded.dispatch(.add(5))

    #expect(
      recorded.recorder.entries.map { $0.action as? CounterAction } == [.add(1), .add(10), .add(5)]
    )
  }

  @Test func `4c. the limit holds, and stepping past either end is safe`() throws {
    let recorded = try RecordedHub(limit: 20)
    for _ in 1...50 { recorded.dispatch(.increase) }
    #expect(recorded.recorder.entries.count == 20)

    for _ in 1...30 { try recorded.recorder.back() }
    #expect(recorded.counts == [30, 30])
    for _ in 1...30 { try recorded.recorder.forward() }
    #expect(recorded.counts == [50, 50])
  }

  @Test func `5. stepping back over an action of one store reverts that store`() throws {
    let recorded = try RecordedHub()
    recorded.dispatch(.add(1), to: "a")
    recorded.dispatch(.add(2), to: "b")

    try recorded.recorder.back()

    #expect(recorded.counts == [1, 0])
  }

  @Test func `6. a recorded state is shown without touching the state twice at once`() throws {
    let recorded = try RecordedHub()
    recorded.dispatch(.increase)
    let seen = Recorder<Int>()
    let subscription = recorded.a.sinkState { [a = recorded.a] changes in
      // Reads the state while another one is being shown.
      seen.record(a.state.count + changes.value.count)
    }

    try recorded.recorder.back()

    #expect(seen.elements == [2, 0])
    subscription.cancel()
  }

  @Test func `7. finish forgotten holds up nobody, finish twice counts once`() throws {
    let thens = Recorder<String>()
    let store = CounterStore("counter") { operation, action, _ in
      if action == .look { return }
      operation.finish()
      operation.finish()
    }
    try hub.register(store: store)
    let done = Latch()

    hub.dispatch(CounterAction.look, mode: .serial) { thens.record("look") }
    hub.dispatch(CounterAction.increase, mode: .serial) {
      thens.record("increase")
      done.open()
    }

    #expect(done.wait())
    #expect(thens.elements == ["look", "increase"])
  }

  @Test func `8. two stores cannot bear one identifier`() throws {
    let (first, second) = (
      CounterStore(identifier: "a", reducer: CounterReducer()),
      CounterStore(identifier: "a", reducer: CounterReducer())
    )
    try hub.register(store: first)

    #expect(throws: RegistrationError.identifierTaken("a")) { try hub.register(store: second) }
    hub.dispatch(CounterAction.increase, mode: .sync)
    #expect(second.state.count == 0)
  }

  @Test func `then runs once for each dispatch, also when no store answers`() throws {
    for identifier in ["a", "b"] {
      try hub.register(store: CounterStore(identifier: identifier, reducer: CounterReducer()))
    }
    let thens = Recorder<String>()

    hub.dispatch(CounterAction.increase, mode: .sync) { thens.record("both") }
    hub.dispatch(StrangeAction(), mode: .sync) { thens.record("none") }

    #expect(thens.elements == ["both", "none"])
  }
}
