import StrataCore
import StrataFlux
import TestSupport
import Testing

/// Who and why of a dispatch, in the commits of its stores.
struct ContextTests {
  let hub = StrataFlux.Dispatcher(name: "contexts")
  let ann = CommitContext(user: "ann")

  @Test(arguments: [DispatchMode.sync, .async, .serial])
  func `the commits of a dispatch carry the context of its caller`(_ mode: DispatchMode)
    async throws
  {
    let store = CounterStore("counter") { operation, _, store in
      store.updateState { $0.count += 1 }
      operation.finish()
    }
    try hub.register(store: store)
    try await CommitContext.with(ann) {
      try await hub.dispatch(CounterAction.increase, mode: mode)
    }
    #expect(store.state.count == 1)
    #expect(store.changes.context == ann)
    try await hub.dispatch(CounterAction.increase, mode: mode)
    #expect(store.changes.context == nil)
  }

  @Test func `a dispatch that another one starts has the context of that one`() async throws {
    // The hub holds the store.
    let store = CounterStore("counter") { [weak hub] operation, action, store in
      store.updateState { $0.count += 1 }
      if store.state.count == 1 { hub?.dispatch(action, mode: .serial) }
      operation.finish()
    }
    try hub.register(store: store)
    try await CommitContext.with(ann) { try await hub.dispatch(CounterAction.increase) }
    while store.state.count < 2 { await Task.yield() }
    #expect(store.changes.context == ann)
  }
}
