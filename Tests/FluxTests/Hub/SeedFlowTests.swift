import StrataCore
import StrataFlux
import TestSupport
import Testing

/// The examples of the seed's text, step by step.
struct SeedFlowTests {
  let hub = StrataFlux.Dispatcher(name: "seed")
  let counter = CounterStore(identifier: "counter", reducer: CounterReducer())

  init() throws { try hub.register(store: counter) }

  @Test func `an action reaches the reducer, whose operation changes the state`() {
    hub.dispatch(CounterAction.increase, mode: .sync)

    #expect(counter.state == Counter(count: 1))
  }

  @Test func `an asynchronous dispatch returns before and says when it is done`() {
    let done = Latch()

    hub.dispatch(CounterAction.increase) { done.open() }

    #expect(done.wait())
    #expect(counter.state.count == 1)
  }

  @Test func `what then dispatches comes right after`() {
    let log = Recorder<Int>()
    let observer = Observer()
    counter.register(observer: observer) { state, _ in log.record(state.count) }
    let done = Latch()

    hub.dispatch(CounterAction.add(5)) { [hub] in
      hub.dispatch(CounterAction.decrease) { done.open() }
    }

    #expect(done.wait())
    #expect(log.elements == [5, 4])
    withExtendedLifetime(observer) {}
  }

  @Test func `two serial dispatches have the same effect`() {
    let log = Recorder<Int>()
    let observer = Observer()
    counter.register(observer: observer) { state, _ in log.record(state.count) }
    let done = Latch()

    hub.dispatch(CounterAction.add(5), mode: .serial)
    hub.dispatch(CounterAction.decrease, mode: .serial) { done.open() }

    #expect(done.wait())
    #expect(log.elements == [5, 4])
    withExtendedLifetime(observer) {}
  }

  @Test(arguments: DispatchMode.allCases)
  func `the asynchronous form returns when all stores are done`(mode: DispatchMode) async throws {
    let second = CounterStore(identifier: "second", reducer: PureCounterReducer())
    try hub.register(store: second)

    try await hub.dispatch(CounterAction.increase, mode: mode)

    #expect(counter.state.count == 1)
    #expect(second.state.count == 1)
  }

  @Test func `observers are given the state and the action`() {
    let observer = Observer()
    let seen = Recorder<(Int, CounterAction?)>()
    counter.register(observer: observer) { state, action in seen.record((state.count, action)) }

    hub.dispatch(CounterAction.increase, mode: .sync)

    #expect(seen.elements.map(\.0) == [1])
    #expect(seen.elements.map(\.1) == [.increase])
    withExtendedLifetime(observer) {}
  }

  @Test func `the default hub names its stores in one place`() throws {
    let store = CounterStore(identifier: "seed flow", reducer: CounterReducer())
    try StrataFlux.Dispatcher.default.register(store: store)
    defer { try? StrataFlux.Dispatcher.default.unregister(store: store) }

    StrataFlux.Dispatcher.default.dispatch(CounterAction.increase, mode: .sync)

    #expect(StrataFlux.Dispatcher.default.seedFlow === store)
    #expect(store.state.count == 1)
  }
}

extension StrataFlux.Dispatcher {
  fileprivate var seedFlow: CounterStore? { store(with: "seed flow", as: CounterStore.self) }
}

/// "Redux can be seen as a special use-case": one store, and a state that is replaced.
struct ReduxTests {
  private struct AppState: InitialStateType, Equatable {
    let count: Int
    let name: String

    init() { self.init(count: 0, name: "") }
    init(count: Int, name: String) {
      self.count = count
      self.name = name
    }
  }

  private enum AppAction: FluxAction {
    case increase
    case rename(String)
  }

  private final class AppReducer: Reducer<AppState, AppAction>, @unchecked Sendable {
    override func reduce(_ state: inout AppState, _ action: AppAction) {
      state =
        switch action {
        case .increase: AppState(count: state.count + 1, name: state.name)
        case .rename(let name): AppState(count: state.count, name: name)
        }
    }
  }

  @Test func `one store with a pure reducer over an immutable state is redux`() throws {
    let hub = StrataFlux.Dispatcher()
    let store = FluxStore(identifier: "app", reducer: AppReducer())
    try hub.register(store: store)
    let states = Recorder<AppState>()
    let subscription = store.sinkState(first: .nextCommit) { states.record($0.value) }

    hub.dispatch(AppAction.increase, mode: .sync)
    hub.dispatch(AppAction.rename("Ada"), mode: .sync)

    #expect(states.elements == [AppState(count: 1, name: ""), AppState(count: 1, name: "Ada")])
    subscription.cancel()
  }
}
