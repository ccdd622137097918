import Foundation
import StrataBase
import StrataCore
import StrataFlux
import StrataFluxRecorder
import TestSupport
import Testing

/// What a pure reducer decides again when the entries before an action change, and what it cannot.
struct RecomputeTests {
  /// `add` adds, `decrease` halves; `increase` adds 4 and refuses a state other than 1.
  private final class GuardedReducer: Reducer<Counter, CounterAction>, @unchecked Sendable {
    override func reduce(_ state: inout Counter, _ action: CounterAction) throws {
      switch action {
      case .add(let number): state.count += number
      case .increase:
        guard state.count == 1 else { throw TestError() }
        state.count += 4
      case .decrease: state.count /= 2
      case .look, .fail: break
      }
    }
  }

  private let hub = StrataFlux.Dispatcher()
  private let recorder = RecorderMiddleware()
  private let guarded = CounterStore(
    identifier: "guarded",
    initialState: Counter(count: 1),
    reducer: GuardedReducer()
  )

  init() throws {
    try hub.register(store: guarded)
    hub.register(middleware: recorder)
  }

  private func counts(_ stores: CounterStore...) -> [Int] { stores.map(\.state.count) }

  private func dispatch(_ actions: CounterAction...) {
    for action in actions { hub.dispatch(action, mode: .sync) }
  }

  @Test func `an action that failed because of a skipped one succeeds without it`() throws {
    dispatch(.add(3), .increase)
    #expect(guarded.state.count == 4)
    #expect(recorder.entries[1].error != nil)

    let opaque = try recorder.skip(1)

    #expect(guarded.state.count == 5)
    #expect(opaque == [])
    #expect(recorder.entries.map { $0.error == nil } == [true, true])
    try recorder.unskip(1)
    #expect(guarded.state.count == 4 && !recorder.isTravelling)
    #expect(recorder.entries[1].error != nil)
  }

  @Test func `an action that succeeded because of a skipped one fails without it`() throws {
    guarded.updateState { $0.count = 0 }
    dispatch(.add(1), .increase, .add(10))
    #expect(guarded.state.count == 15)

    try recorder.skip(2)

    #expect(guarded.state.count == 10)
    guard case .failed(let failures)? = recorder.entries[2].error else {
      Issue.record("\(String(describing: recorder.entries[2].error))")
      return
    }
    #expect(failures.map(\.store) == ["guarded"] && failures[0].error is TestError)
  }

  @Test func `an action that changed nothing changes something on another state`() throws {
    dispatch(.add(-1), .decrease, .add(10))
    #expect(guarded.state.count == 10)
    #expect(recorder.entries.map(\.stores) == [["guarded"], [], ["guarded"]])

    try recorder.skip(1)
    try recorder.jump(to: 2)

    #expect(guarded.state.count == 0)
    try recorder.unskip(1)
    try recorder.skip(3)
    #expect(guarded.state.count == 0)
  }

  @Test func `a store that waits for another is reached if the other no longer fails`() throws {
    let waiting = CounterStore(identifier: "waiting", reducer: PureCounterReducer())
    try hub.register(store: waiting, waitingFor: ["guarded"])
    dispatch(.add(3), .increase)
    #expect(counts(guarded, waiting) == [4, 3])

    try recorder.skip(1)

    #expect(counts(guarded, waiting) == [5, 1])
    #expect(recorder.entries[1].error == nil)
    try recorder.returnToPresent()
    dispatch(.add(-3))
    try recorder.skip(3)
    #expect(counts(guarded, waiting) == [4, 3])
  }

  @Test func `a store that waits for another is not reached if the other fails now`() throws {
    let waiting = CounterStore("waiting") { operation, _, store in
      store.updateState { $0.count += 1 }
      operation.finish()
    }
    try hub.register(store: waiting, waitingFor: ["guarded"])
    guarded.updateState { $0.count = 0 }
    dispatch(.add(1), .increase)
    #expect(counts(guarded, waiting) == [5, 2])

    try recorder.skip(2)

    #expect(counts(guarded, waiting) == [0, 0])
    guard case .failed(let failures)? = recorder.entries[2].error else {
      Issue.record("\(String(describing: recorder.entries[2].error))")
      return
    }
    #expect(failures.map(\.store) == ["guarded", "waiting"])
  }

  @Test func `what operations would do on another state is not known, and the entries are named`()
    throws
  {
    let other = CounterStore("other") { operation, action, store in
      if case .add(let number) = action { store.updateState { $0.count += number } }
      if action == .increase, store.state.count > 2 { throw TestError() }
      operation.finish()
    }
    try hub.register(store: other)
    dispatch(.add(3), .look, .add(4), .increase)

    #expect(try recorder.skip(1) == [2, 3, 4])
    #expect(counts(guarded, other) == [5, 4])
  }

  @Test func `what a rule of a store refuses is not decided again`() throws {
    final class Refusing: CommitHook {
      typealias State = Counter

      func editDidEnd(_ edit: inout Edit<Counter>) throws {
        if edit.state.count > 100 { throw TestError() }
      }
    }
    guarded.hook(where: { (_: Refusing) in true }, orInstall: { Refusing() })
    dispatch(.add(10), .add(100))
    #expect(guarded.state.count == 11)

    #expect(try recorder.skip(1) == [2])

    #expect(guarded.state.count == 1)
    #expect(recorder.entries[1].error != nil)
  }

  @Test func `what failed or was cancelled says so`() throws {
    let held = HeldOperations()
    let slow = CounterStore("slow") { operation, action, _ in
      if action == .look { held.add(operation) } else { operation.finish() }
    }
    try hub.register(store: slow)
    dispatch(.add(3), .increase)
    let transaction = hub.dispatch(CounterAction.look, mode: .serial)
    #expect(held.waitForNext())
    let done = Latch()
    hub.dispatch(CounterAction.add(1), mode: .serial) { done.open() }
    transaction.cancel()
    #expect(done.wait())

    let errors = recorder.entries.map { $0.error.map { "\($0)" } ?? "" }
    #expect(errors[0] == "" && errors[3] == "")
    #expect(errors[1].contains("\"guarded\" failed: TestError()"))
    #expect(errors[2].contains("\"slow\" failed: The dispatch was cancelled"))
    for _ in 0..<3 { try recorder.import(recorder.export()) }
    #expect(recorder.entries.map { $0.error.map { "\($0)" } ?? "" } == errors)
    held.releaseAll()
  }

  @Test func `entries say when they began and how long they took`() throws {
    // Read when the dispatch starts and ends.
    let clock = SteppingClock(step: .milliseconds(1500))
    let dates = Lock(0.0)
    let recorder = RecorderMiddleware(clock: clock) {
      Date(
        timeIntervalSince1970: dates.withLock { date in
          date += 1
          return date
        }
      )
    }
    let hub = StrataFlux.Dispatcher()
    let store = CounterStore("store") { operation, _, store in
      store.updateState { $0.count += 1 }
      operation.finish()
    }
    try hub.register(store: store)
    hub.register(middleware: recorder)
    hub.dispatch(CounterAction.look, mode: .sync)
    store.commit { $0.count += 1 }

    let entries = recorder.entries
    #expect(entries.map(\.duration) == [.milliseconds(1500), .zero])
    #expect(entries[0].time == Date(timeIntervalSince1970: 1))
    #expect(entries[1].time > entries[0].time)
    try recorder.import(recorder.export())
    #expect(recorder.entries.map(\.duration) == entries.map(\.duration))
    #expect(recorder.entries.map(\.time) == entries.map(\.time))
  }

  @Test func `the state after any entry can be read without travelling`() throws {
    dispatch(.add(1), .add(10))
    let states = try [0, 1, 2].map { try recorder.state(of: guarded, afterEntry: $0).count }
    #expect(states == [1, 2, 12])
    #expect(!recorder.isTravelling)
    #expect(throws: RecorderError.self) { try recorder.state(of: guarded, afterEntry: 3) }
    let unknown = CounterStore(identifier: "unknown", reducer: PureCounterReducer())
    let error = #expect(throws: RecorderError.self) {
      try recorder.state(of: unknown, afterEntry: 1)
    }
    guard case .notRecorded(store: "unknown")? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test func `a released recorder returns its stores, and calls sinks elsewhere`() throws {
    let released = Latch()
    let seen = Recorder<Int>()
    let callers = Recorder<ObjectIdentifier>()
    let store = CounterStore(identifier: "store", reducer: PureCounterReducer())
    let observer = Observer()
    let subscriptions = Recorder<StoreSubscription>()
    do {
      let hub = StrataFlux.Dispatcher()
      try hub.register(store: store)
      let recorder = RecorderMiddleware()
      hub.register(middleware: recorder)
      hub.dispatch(CounterAction.add(5), mode: .sync)
      try recorder.back()
      subscriptions.record(
        store.sinkState(first: .nextCommit) { changes in
          seen.record(changes.value.count)
          callers.record(ObjectIdentifier(Thread.current))
        }
      )
      store.register(observer: observer) { state, _ in
        seen.record(state.count)
        released.open()
      }
    }
    #expect(store.state.count == 5)
    #expect(released.wait())
    #expect(seen.elements == [5, 5])
    #expect(callers.elements.allSatisfy { $0 != ObjectIdentifier(Thread.current) })
    withExtendedLifetime(observer) {}
  }
}
