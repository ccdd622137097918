import Dispatch
import StrataBase
import StrataCore
import StrataFlux
import TestSupport
import Testing

/// Notifications while observers are removed and other actions run.
struct NotificationTests {
  let hub = StrataFlux.Dispatcher(name: "notifications")
  let store = CounterStore(identifier: "counter", reducer: CounterReducer())
  let log = Recorder<String>()

  init() throws { try hub.register(store: store) }

  @Test func `an observer unregistered by another one's callback is not told any more`() {
    let (first, second) = (Observer(), Observer())
    store.register(observer: first) { [weak store, log] _, _ in
      log.record("first")
      store?.unregister(observer: second)
    }
    store.register(observer: second) { [log] _, _ in log.record("second") }

    hub.dispatch(CounterAction.increase, mode: .sync)

    #expect(log.elements == ["first"])
    withExtendedLifetime((first, second)) {}
  }

  @Test func `an observer that goes in another one's callback is not told any more`() {
    let first = Observer()
    let second = Lock<Observer?>(Observer())
    store.register(observer: first) { [log] _, _ in
      log.record("first")
      let gone = second.withLock { second in
        defer { second = nil }
        return second
      }
      withExtendedLifetime(gone) {}
    }
    second.withLock { $0 }.map { store.register(observer: $0) { [log] _, _ in log.record("2") } }

    hub.dispatch(CounterAction.increase, mode: .sync)

    #expect(log.elements == ["first"])
    withExtendedLifetime(first) {}
  }

  @Test func `an observer that is gone when its queue comes to it is not told`() {
    let queue = DispatchQueue(label: "waiting", attributes: .initiallyInactive)
    let stays = Observer()
    do {
      let goes = Observer()
      store.register(observer: goes, queue: .dispatch(queue)) { [log] _, _ in log.record("gone") }
      store.register(observer: stays, queue: .dispatch(queue)) { [log] _, _ in log.record("here") }
      hub.dispatch(CounterAction.increase, mode: .sync)
      withExtendedLifetime(goes) {}
    }
    queue.activate()
    queue.sync {}

    #expect(log.elements == ["here"])
    withExtendedLifetime(stays) {}
  }

  @Test func `an observer on a queue is given what is committed when it runs`() {
    let queue = DispatchQueue(label: "waiting", attributes: .initiallyInactive)
    let observer = Observer()
    store.register(observer: observer, queue: .dispatch(queue)) { [log] state, _ in
      log.record("\(state.count)")
    }
    store.register(observer: observer, of: \.count, queue: .dispatch(queue)) { [log] count, _ in
      log.record("\(count)")
    }
    hub.dispatch(CounterAction.increase, mode: .sync)
    store.commit { $0.count += 1 }
    queue.activate()
    queue.sync {}

    #expect(log.elements == ["2", "2"])
    withExtendedLifetime(observer) {}
  }

  @Test func `of two actions that overlap the later state is told last`() throws {
    /// Decides slowly about the first action.
    final class Slow: CounterReducer, @unchecked Sendable {
      let (asked, go) = (Latch(), Latch())

      override func shouldNotifyObservers(for action: CounterAction, in store: CounterStore)
        -> Bool
      {
        guard action == .add(1) else { return true }
        asked.open()
        return go.wait()
      }
    }
    let reducer = Slow()
    let slow = CounterStore(identifier: "slow", reducer: reducer)
    try hub.register(store: slow)
    let observer = Observer()
    slow.register(observer: observer) { [log] state, _ in log.record("\(state.count)") }
    let done = Latch()
    hub.dispatch(CounterAction.add(1), to: "slow") { done.open() }
    #expect(reducer.asked.wait())
    hub.dispatch(CounterAction.add(10), to: "slow", mode: .sync)
    reducer.go.open()
    #expect(done.wait())

    #expect(log.elements == ["11", "11"])
    withExtendedLifetime(observer) {}
  }
}
