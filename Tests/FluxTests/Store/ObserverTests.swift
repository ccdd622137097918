import StrataCore
import StrataFlux
import TestSupport
import Testing

struct ObserverTests {
  let hub = StrataFlux.Dispatcher(name: "observers")
  let store = CounterStore(identifier: "counter", reducer: CounterReducer())
  let log = Recorder<String>()

  init() throws { try hub.register(store: store) }

  @Test func `observers are told once for an action, however many commits it made`() throws {
    let many = CounterStore("many") { operation, _, store in
      for _ in 0..<3 { store.updateState { $0.count += 1 } }
      operation.finish()
    }
    try hub.register(store: many)
    let observer = Observer()
    many.register(observer: observer) { [log] state, _ in log.record("\(state.count)") }

    hub.dispatch(CounterAction.look, to: "many", mode: .sync)

    #expect(log.elements == ["3"])
    withExtendedLifetime(observer) {}
  }

  @Test func `an action that changes nothing tells nobody`() {
    let observer = Observer()
    store.register(observer: observer) { [log] _, _ in log.record("notified") }

    hub.dispatch(CounterAction.look, mode: .sync)

    #expect(log.elements == [])
    withExtendedLifetime(observer) {}
  }

  @Test func `a reducer may keep observers from being told`() throws {
    final class Quiet: CounterReducer, @unchecked Sendable {
      override func shouldNotifyObservers(for action: CounterAction, in store: CounterStore) -> Bool
      {
        action != .increase
      }
    }
    let quiet = CounterStore(identifier: "quiet", reducer: Quiet())
    try hub.register(store: quiet)
    let observer = Observer()
    quiet.register(observer: observer) { [log] state, _ in log.record("\(state.count)") }

    hub.dispatch(CounterAction.increase, mode: .sync)
    hub.dispatch(CounterAction.add(5), mode: .sync)

    #expect(log.elements == ["6"])
    withExtendedLifetime(observer) {}
  }

  @Test func `callbacks run in the order of registration, whatever they look at`() {
    let observer = Observer()
    store.register(observer: observer, of: \.count) { [log] _, _ in log.record("a") }
    store.register(observer: observer) { [log] _, _ in log.record("b") }
    store.register(observer: observer, of: \.count) { [log] _, _ in log.record("c") }

    hub.dispatch(CounterAction.increase, mode: .sync)

    #expect(log.elements == ["a", "b", "c"])
    withExtendedLifetime(observer) {}
  }

  @Test func `an observer of a property is told when that property changed`() throws {
    struct Two: InitialStateType {
      var left = 0
      var right = 0
    }
    enum TwoAction: FluxAction { case left, right, sameLeft }
    final class TwoReducer: Reducer<Two, TwoAction>, @unchecked Sendable {
      override func reduce(_ state: inout Two, _ action: TwoAction) {
        switch action {
        case .left: state.left += 1
        case .right: state.right += 1
        case .sameLeft: state.left += 0
        }
      }
    }
    let two = FluxStore(identifier: "two", reducer: TwoReducer())
    try hub.register(store: two)
    let observer = Observer()
    two.register(observer: observer, of: \.left) { [log] value, _ in log.record("left \(value)") }
    two.register(observer: observer, of: \.right) { [log] value, _ in log.record("right \(value)") }

    for action in [TwoAction.left, .sameLeft, .right] { hub.dispatch(action, mode: .sync) }

    #expect(log.elements == ["left 1", "right 1"])
    withExtendedLifetime(observer) {}
  }

  @Test func `an unregistered observer is told no more, others are`() {
    let (first, second) = (Observer(), Observer())
    store.register(observer: first) { [log] _, _ in log.record("first") }
    store.register(observer: first, of: \.count) { [log] _, _ in log.record("first") }
    store.register(observer: second) { [log] _, _ in log.record("second") }
    store.unregister(observer: first)

    hub.dispatch(CounterAction.increase, mode: .sync)

    #expect(log.elements == ["second"])
    withExtendedLifetime((first, second)) {}
  }

  @Test func `the callback of an observer that is gone goes too`() {
    weak var captured: Observer?
    do {
      let observer = Observer()
      let kept = Observer()
      captured = kept
      store.register(observer: observer) { [log] _, _ in
        withExtendedLifetime(kept) { log.record("notified") }
      }
    }
    #expect(captured != nil)

    hub.dispatch(CounterAction.increase, mode: .sync)

    #expect(log.elements == [])
    #expect(captured == nil)
  }

  @Test func `callbacks of observers that are gone do not pile up`() {
    for _ in 0..<1000 {
      // They observe a property that never changes, so they are never notified.
      store.register(observer: Observer(), of: \.description) { _, _ in }
    }
    #expect(store.callbackCount <= 32)
  }

  @Test func `an observer may unregister in its deinit, while it is looked at`() {
    final class Leaving: Sendable {
      let store: CounterStore
      init(_ store: CounterStore) { self.store = store }
      deinit { store.unregister(observer: self) }
    }
    for _ in 0..<100 { store.register(observer: Leaving(store)) { _, _ in } }
    hub.dispatch(CounterAction.increase, mode: .sync)
    #expect(store.state.count == 1)
  }

  @Test func `an observer registered in a callback is told from the next action on`() {
    let (first, second) = (Observer(), Observer())
    store.register(observer: first) { [log, weak store] _, action in
      guard action == .increase else { return }
      store?.register(observer: second) { _, _ in log.record("second") }
    }

    hub.dispatch(CounterAction.increase, mode: .sync)
    #expect(log.elements == [])
    hub.dispatch(CounterAction.decrease, mode: .sync)
    #expect(log.elements == ["second"])
    withExtendedLifetime((first, second)) {}
  }

  @Test func `observers of all stores are told after every store has answered`() throws {
    let second = CounterStore(identifier: "second", reducer: CounterReducer())
    try hub.register(store: second)
    let observer = Observer()
    store.register(observer: observer) { [log, weak second] state, _ in
      log.record("\(state.count) \(second?.state.count ?? 0)")
    }
    second.register(observer: observer) { [log, weak store] state, _ in
      log.record("\(store?.state.count ?? 0) \(state.count)")
    }

    hub.dispatch(CounterAction.increase, mode: .sync)

    #expect(log.elements == ["1 1", "1 1"])
    withExtendedLifetime(observer) {}
  }

  @Test @MainActor func `an observer of the main queue runs on the main actor`() async {
    let observer = Observer()
    let (stream, seen) = AsyncStream.makeStream(of: Int.self)
    store.register(observer: observer, queue: .main) { @MainActor state, _ in
      MainActor.assertIsolated()
      seen.yield(state.count)
    }
    store.register(observer: observer, of: \.count, queue: .main) { @MainActor count, _ in
      seen.yield(count)
      seen.finish()
    }

    hub.dispatch(CounterAction.increase, mode: .serial, then: nil)

    var counts: [Int] = []
    for await count in stream { counts.append(count) }
    #expect(counts == [1, 1])
    withExtendedLifetime(observer) {}
  }
}

extension Counter {
  /// No action changes it.
  fileprivate var description: String { "counter" }
}
