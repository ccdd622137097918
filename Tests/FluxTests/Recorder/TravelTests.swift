import StrataCore
import StrataFlux
import StrataFluxRecorder
import TestSupport
import Testing

struct TravelTests {
  @Test func `back goes to the base, one action of all stores at a time`() throws {
    let recorded = try RecordedHub()
    recorded.dispatch(.increase)
    recorded.dispatch(.add(5), to: "a")
    recorded.dispatch(.add(7), to: "b")
    #expect(recorded.counts == [6, 8])

    var seen: [[Int]] = []
    while try recorded.recorder.back() { seen.append(recorded.counts) }

    #expect(seen == [[6, 1], [1, 1], [0, 0]])
    #expect(recorded.recorder.position == 0)
    #expect(recorded.recorder.isTravelling)
  }

  @Test func `forward goes on to the present, where the travel ends`() throws {
    let recorded = try RecordedHub()
    recorded.dispatch(.increase, .add(5))
    try recorded.recorder.jump(to: 0)

    var seen: [[Int]] = []
    while try recorded.recorder.forward() { seen.append(recorded.counts) }

    #expect(seen == [[1, 1], [6, 6]])
    #expect(!recorded.recorder.isTravelling)
  }

  @Test func `the base is the states of the moment when recording began`() throws {
    let hub = StrataFlux.Dispatcher()
    let store = CounterStore(
      identifier: "counter",
      initialState: Counter(count: 40),
      reducer: CounterReducer()
    )
    try hub.register(store: store)
    hub.dispatch(CounterAction.increase, mode: .sync)
    let recorder = RecorderMiddleware()
    hub.register(middleware: recorder)
    hub.dispatch(CounterAction.increase, mode: .sync)

    try recorder.jump(to: 0)

    #expect(store.state.count == 41)
    #expect(recorder.entries.count == 1)
  }

  @Test func `entries tell what was dispatched and which stores it changed`() throws {
    let recorded = try RecordedHub()
    recorded.dispatch(.increase)
    recorded.dispatch(.look, to: "a")
    recorded.dispatch(.add(2), to: "b")
    recorded.a.commit("by hand") { $0.count = 9 }

    let entries = recorded.recorder.entries

    #expect(entries.map(\.id) == [1, 2, 3, 4])
    #expect(entries.map { $0.action as? CounterAction } == [.increase, .look, .add(2), nil])
    #expect(entries.map(\.stores) == [["a", "b"], [], ["b"], ["a"]])
    guard case .commit(let name) = entries[3].origin else {
      Issue.record("\(entries[3].origin)")
      return
    }
    #expect(name.hasPrefix("by hand"))
  }

  @Test func `a jump shows any position or entry, and refuses others`() throws {
    let recorded = try RecordedHub()
    recorded.dispatch(.increase, .add(5), .add(10))

    try recorded.recorder.jump(to: 1)
    #expect(recorded.counts == [1, 1])
    try recorded.recorder.jump(toEntry: 2)
    #expect(recorded.counts == [6, 6])
    for position in [-1, 4] {
      let error = #expect(throws: RecorderError.self) { try recorded.recorder.jump(to: position) }
      guard case .noSuchPosition(position, last: 3)? = error else {
        Issue.record("\(String(describing: error))")
        return
      }
    }
    #expect(throws: RecorderError.self) { try recorded.recorder.jump(toEntry: 9) }
    #expect(recorded.counts == [6, 6])
    #expect(recorded.recorder.position == 2)
  }

  @Test func `a refused first step leaves the present untouched`() throws {
    let recorded = try RecordedHub()
    recorded.dispatch(.increase)
    let version = recorded.a.changes.version

    #expect(throws: RecorderError.self) { try recorded.recorder.jump(to: 7) }
    #expect(try recorded.recorder.forward() == false)

    #expect(!recorded.recorder.isTravelling)
    #expect(recorded.a.changes.version == version)
  }

  @Test func `travelling runs no operation, calls no middleware and records nothing`() throws {
    final class Counting: Middleware {
      let calls = Recorder<String>()
      func willDispatch(transaction: String, action: any FluxAction, in store: any FluxStoreType) {
        calls.record(transaction)
      }
      func didFinish(transaction: String, action: any FluxAction) { calls.record(transaction) }
    }
    let recorded = try RecordedHub()
    let counting = Counting()
    recorded.hub.register(middleware: counting)
    recorded.dispatch(.increase, .add(5))
    let (calls, runs) = (counting.calls.elements, recorded.reducer.runs.elements)
    let entry = try #require(recorded.recorder.entries.first).id

    try recorded.recorder.back()
    try recorded.recorder.skip(entry)
    try recorded.recorder.returnToPresent()

    #expect(counting.calls.elements == calls)
    #expect(recorded.reducer.runs.elements == runs)
    #expect(recorded.recorder.entries.count == 2)
  }

  @Test func `sinks and observers are told, after all stores have moved`() throws {
    let recorded = try RecordedHub()
    recorded.dispatch(.increase)
    let seen = Recorder<String>()
    let subscription = recorded.a.sinkState(first: .nextCommit) { [b = recorded.b] changes in
      seen.record("sink \(changes.value.count) \(b.state.count)")
    }
    let observer = Observer()
    recorded.b.register(observer: observer) { [a = recorded.a] state, action in
      seen.record("observer \(a.state.count) \(state.count) \(action == nil)")
    }

    try recorded.recorder.back()

    #expect(seen.elements == ["sink 0 0", "observer 0 0 true"])
    subscription.cancel()
    withExtendedLifetime(observer) {}
  }

  @Test func `a store that a step does not change gets no version`() throws {
    let recorded = try RecordedHub()
    recorded.dispatch(.increase)
    recorded.dispatch(.increase, to: "a")
    let version = recorded.b.changes.version

    try recorded.recorder.back()
    try recorded.recorder.forward()

    #expect(recorded.b.changes.version == version)
  }

  @Test func `a sink may travel on`() throws {
    let recorded = try RecordedHub()
    recorded.dispatch(.increase, .increase)
    let failures = Recorder<String>()
    let subscription = recorded.a.sinkState(first: .nextCommit) {
      [recorder = recorded.recorder] _ in
      do { try recorder.jump(to: 0) } catch { failures.record("\(error)") }
    }

    try recorded.recorder.back()

    #expect(recorded.counts == [0, 0])
    #expect(failures.elements == [])
    subscription.cancel()
  }

  @Test func `returning shows what the stores left, and all entries`() throws {
    let recorded = try RecordedHub()
    recorded.dispatch(.increase, .add(5))
    try recorded.recorder.skip(1)
    try recorded.recorder.back()

    try recorded.recorder.returnToPresent()

    #expect(recorded.counts == [6, 6])
    #expect(recorded.recorder.position == 2)
    #expect(recorded.recorder.entries.allSatisfy { !$0.isSkipped })
    recorded.dispatch(.increase)
    #expect(recorded.counts == [7, 7])
    #expect(recorded.recorder.entries.count == 3)
  }

  @Test func `a store registered later joins, one unregistered leaves`() throws {
    let recorded = try RecordedHub()
    recorded.dispatch(.increase)
    let c = CounterStore(identifier: "c", reducer: CounterReducer())
    try recorded.hub.register(store: c)
    recorded.dispatch(.increase)
    try recorded.hub.unregister(store: recorded.b)
    recorded.dispatch(.increase)

    try recorded.recorder.jump(to: 1)
    #expect([recorded.a.state.count, recorded.b.state.count, c.state.count] == [1, 2, 0])
    try recorded.recorder.returnToPresent()
    #expect([recorded.a.state.count, c.state.count] == [3, 2])
  }

  @Test func `a store unregistered while it shows another time comes back to its own`() throws {
    let recorded = try RecordedHub()
    recorded.dispatch(.increase)
    try recorded.recorder.back()

    try recorded.hub.unregister(store: recorded.b)

    #expect(recorded.counts == [0, 1])
  }

  @Test func `a recorder unregistered while travelling returns first, and lets go`() throws {
    let recorded = try RecordedHub()
    recorded.dispatch(.increase)
    try recorded.recorder.back()

    recorded.hub.unregister(middleware: recorded.recorder)

    #expect(recorded.counts == [1, 1])
    recorded.dispatch(.increase)
    #expect(recorded.counts == [2, 2])
    #expect(recorded.recorder.entries.isEmpty)
  }

  @Test func `a second recorder of one hub traps and says what to do`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let hub = StrataFlux.Dispatcher()
      hub.register(middleware: RecorderMiddleware())
      hub.register(middleware: RecorderMiddleware())
    }
    #expect(result?.standardErrorContent.text.contains("unregister the first before") == true)
  }

  @Test func `observers of a store that did not move are not told`() throws {
    let recorded = try RecordedHub()
    recorded.dispatch(.add(1))
    recorded.dispatch(.add(10), to: "a")
    let observer = Observer()
    let notified = Recorder<String>()
    recorded.a.register(observer: observer) { state, _ in notified.record("a \(state.count)") }
    recorded.b.register(observer: observer) { state, _ in notified.record("b \(state.count)") }

    #expect(try recorded.recorder.forward() == false)
    #expect(notified.elements == [])
    try recorded.recorder.back()
    try recorded.recorder.forward()

    #expect(notified.elements == ["a 1", "a 11"])
    withExtendedLifetime(observer) {}
  }

  @Test func `a store registered again while travelling is recorded once`() throws {
    let recorded = try RecordedHub()
    recorded.dispatch(.add(1))
    try recorded.hub.unregister(store: recorded.b)
    try recorded.recorder.back()
    try recorded.hub.register(store: recorded.b)
    try recorded.recorder.returnToPresent()

    recorded.dispatch(.add(10))
    recorded.dispatch(.add(100))
    try recorded.recorder.skip(2)

    #expect(recorded.counts == [101, 101])
  }
}
