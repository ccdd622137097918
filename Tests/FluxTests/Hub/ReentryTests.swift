import Dispatch
import StrataCore
import StrataFlux
import TestSupport
import Testing

/// A dispatch inside a dispatch, in each mode and from each place.
struct ReentryTests {
  let log = Recorder<String>()

  /// A hub whose store logs the start and end of each action, and dispatches another inside the
  /// first.
  private func hub(inner mode: DispatchMode, _ done: Latch) throws -> StrataFlux.Dispatcher {
    let hub = StrataFlux.Dispatcher(mainThread: .queue(.global()))
    let store = CounterStore("counter") { [log, unowned hub] operation, action, _ in
      log.record("begin \(action)")
      if action == .increase {
        hub.dispatch(CounterAction.decrease, mode: mode) { done.open() }
      }
      log.record("end \(action)")
      operation.finish()
    }
    try hub.register(store: store)
    return hub
  }

  @Test(arguments: DispatchMode.allCases)
  func `sync inside an operation of any mode runs at once, inside`(outer: DispatchMode) throws {
    let inner = Latch()
    let hub = try hub(inner: .sync, inner)
    let done = Latch()

    hub.dispatch(CounterAction.increase, mode: outer) { done.open() }

    #expect(done.wait() && inner.wait())
    #expect(log.elements == ["begin increase", "begin decrease", "end decrease", "end increase"])
  }

  @Test(arguments: DispatchMode.allCases)
  func `serial inside an operation of any mode does not wait for itself`(
    outer: DispatchMode
  ) throws {
    let inner = Latch()
    let hub = try hub(inner: .serial, inner)
    let done = Latch()

    hub.dispatch(CounterAction.increase, mode: outer) { done.open() }

    #expect(done.wait() && inner.wait())
    #expect(Set(log.elements).count == 4)
  }

  @Test func `serial inside a serial operation runs after it`() throws {
    let inner = Latch()
    let hub = try hub(inner: .serial, inner)
    let done = Latch()

    hub.dispatch(CounterAction.increase, mode: .serial) { done.open() }

    #expect(done.wait() && inner.wait())
    #expect(log.elements == ["begin increase", "end increase", "begin decrease", "end decrease"])
  }

  @Test(
    arguments: DispatchMode.allCases,
    [DispatchMode.async, .mainThread]
  )
  func `async and mainThread inside an operation run on their own`(
    outer: DispatchMode,
    mode: DispatchMode
  ) throws {
    let inner = Latch()
    let hub = try hub(inner: mode, inner)
    let done = Latch()

    hub.dispatch(CounterAction.increase, mode: outer) { done.open() }

    #expect(done.wait() && inner.wait())
    #expect(Set(log.elements).count == 4)
  }

  @Test(arguments: DispatchMode.allCases)
  func `an observer may dispatch, and a later observer is still told each state once`(
    mode: DispatchMode
  ) throws {
    let hub = StrataFlux.Dispatcher(mainThread: .queue(.global()))
    let store = CounterStore(identifier: "counter", reducer: CounterReducer())
    try hub.register(store: store)
    let first = Observer()
    let second = Observer()
    let inner = Latch()
    let notified = Recorder<CounterAction?>()
    store.register(observer: first) { [unowned hub] _, action in
      if action == .increase { hub.dispatch(CounterAction.decrease, mode: mode) { inner.open() } }
    }
    store.register(observer: second) { _, action in notified.record(action) }
    let done = Latch()

    hub.dispatch(CounterAction.increase, mode: .serial) { done.open() }

    #expect(done.wait() && inner.wait())
    #expect(Set(notified.elements) == [.increase, .decrease])
    #expect(notified.elements.count == 2)
    withExtendedLifetime((first, second)) {}
  }

  @Test(arguments: DispatchMode.allCases)
  func `a then may dispatch`(mode: DispatchMode) throws {
    let hub = StrataFlux.Dispatcher(mainThread: .queue(.global()))
    let store = CounterStore(identifier: "counter", reducer: CounterReducer())
    try hub.register(store: store)
    let done = Latch()

    hub.dispatch(CounterAction.increase, mode: .serial) {
      hub.dispatch(CounterAction.increase, mode: mode) { done.open() }
    }

    #expect(done.wait())
    #expect(store.state.count == 2)
  }

  @Test func `middleware may dispatch`() throws {
    final class Echo: Middleware {
      let hub: StrataFlux.Dispatcher
      init(_ hub: StrataFlux.Dispatcher) { self.hub = hub }

      func didDispatch(
        transaction: String,
        action: any FluxAction,
        in store: any FluxStoreType
      ) {
        if action as? CounterAction == .increase {
          hub.dispatch(CounterAction.add(10), mode: .sync)
        }
      }
    }
    let hub = StrataFlux.Dispatcher()
    let store = CounterStore(identifier: "counter", reducer: CounterReducer())
    try hub.register(store: store)
    let echo = Echo(hub)
    hub.register(middleware: echo)

    hub.dispatch(CounterAction.increase, mode: .sync)

    #expect(store.state.count == 11)
    hub.unregister(middleware: echo)
  }

  @Test func `a sync dispatch inside updateState of another store is fine`() throws {
    let hub = StrataFlux.Dispatcher()
    let inner = CounterStore(identifier: "inner", reducer: CounterReducer())
    let outer = CounterStore("outer") { [unowned hub] operation, _, store in
      store.updateState { state in
        hub.dispatch(CounterAction.increase, to: "inner", mode: .sync)
        state.count += 1
      }
      operation.finish()
    }
    try hub.register(store: inner)
    try hub.register(store: outer)

    hub.dispatch(CounterAction.look, to: "outer", mode: .sync)

    #expect(inner.state.count == 1)
    #expect(outer.state.count == 1)
  }
}
