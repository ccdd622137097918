import StrataCore
import StrataFlux
import StrataFluxRecorder
import TestSupport
import Testing

/// The behaviors of facebook/flux's FluxStore, ReduceStore, StoreGroup and Container that need no
/// view.
struct FluxUtilsTests {
  private struct Form: InitialStateType, Equatable {
    var name = ""
    var age = 0
  }

  private enum FormAction: FluxAction {
    case fill(String, Int)
    case same
    case boom
    case ignored
  }

  private final class FormReducer: Reducer<Form, FormAction>, @unchecked Sendable {
    override func reduce(_ state: inout Form, _ action: FormAction) {
      switch action {
      case .fill(let name, let age):
        state.name = name
        state.age = age
      case .same: state.age += 0
      case .boom: state = Form()
      case .ignored: break
      }
    }
  }

  private let hub = StrataFlux.Dispatcher(name: "utils")
  private let form = FluxStore(identifier: "form", reducer: FormReducer())
  private let log = Recorder<Form>()

  init() throws { try hub.register(store: form) }

  @Test func `a reduce store responds to actions, and clears`() {
    hub.dispatch(FormAction.fill("Ada", 36), mode: .sync)
    #expect(form.state == Form(name: "Ada", age: 36))
    hub.dispatch(FormAction.boom, mode: .sync)
    #expect(form.state == Form())
  }

  @Test func `one change is told for several fields changed by one action`() {
    let observer = Observer()
    form.register(observer: observer) { [log] state, _ in log.record(state) }

    hub.dispatch(FormAction.fill("Ada", 36), mode: .sync)

    #expect(log.elements == [Form(name: "Ada", age: 36)])
    withExtendedLifetime(observer) {}
  }

  @Test func `nothing is told for an equal state, to who looks at what can be compared`() {
    let observer = Observer()
    form.register(observer: observer, of: \.self) { [log] state, _ in log.record(state) }

    hub.dispatch(FormAction.same, mode: .sync)
    hub.dispatch(FormAction.ignored, mode: .sync)

    #expect(log.elements == [])
    withExtendedLifetime(observer) {}
  }

  @Test func `a reducer that overrides nothing leaves the state alone`() throws {
    let plain = FluxStore(identifier: "plain", reducer: Reducer<Form, FormAction>())
    try hub.register(store: plain)

    let transaction = hub.dispatch(FormAction.fill("Ada", 36), mode: .sync)

    #expect(plain.state == Form())
    #expect(transaction.error == nil)
  }

  @Test func `a group is called once for any number of changed stores, and sees them all`() throws {
    let counters = ["a", "b"].map { CounterStore(identifier: $0, reducer: CounterReducer()) }
    for counter in counters { try hub.register(store: counter) }
    let sums = Recorder<Int>()
    let group = try StoreGroup(["a", "b"], of: hub) {
      sums.record(counters.reduce(0) { $0 + $1.state.count })
    }

    hub.dispatch(CounterAction.increase, mode: .sync)
    hub.dispatch(CounterAction.look, mode: .sync)
    hub.dispatch(FormAction.boom, mode: .sync)
    hub.dispatch(CounterAction.add(5), to: "b", mode: .sync)

    #expect(sums.elements == [2, 7])
    group.cancel()
    hub.dispatch(CounterAction.increase, mode: .sync)
    #expect(sums.elements == [2, 7])
  }

  @Test func `a group is called when the action that changed its stores is done`() throws {
    let held = HeldOperations()
    let fast = CounterStore(identifier: "fast", reducer: CounterReducer())
    let slow = CounterStore("slow") { operation, _, store in
      store.updateState { $0.count += 1 }
      held.add(operation)
    }
    for store in [fast, slow] { try hub.register(store: store) }
    let calls = Recorder<[Int]>()
    let group = try StoreGroup(["fast", "slow"], of: hub) {
      calls.record([fast, slow].map(\.state.count))
    }
    let observer = Observer()
    let (notified, done) = (Latch(), Latch())
    fast.register(observer: observer) { _, _ in notified.open() }
    hub.dispatch(CounterAction.increase) { done.open() }
    #expect(held.waitForNext() && notified.wait())

    hub.dispatch(FormAction.boom, mode: .sync)
    #expect(calls.elements == [])
    held.finish(0)
    #expect(done.wait())

    #expect(calls.elements == [[1, 1]])
    group.cancel()
    withExtendedLifetime(observer) {}
  }

  @Test func `a group that is gone is called no more`() throws {
    let calls = Recorder<Int>()
    do {
      let group = try StoreGroup(["form"], of: hub) { calls.record(1) }
      hub.dispatch(FormAction.fill("Ada", 36), mode: .sync)
      withExtendedLifetime(group) {}
    }
    hub.dispatch(FormAction.fill("Grace", 85), mode: .sync)
    #expect(calls.elements == [1])
  }

  @Test func `a group needs stores, and those of its dispatcher`() throws {
    #expect(throws: RegistrationError.emptyGroup) { try StoreGroup([], of: hub) {} }
    #expect(throws: RegistrationError.notRegistered("onAnotherThread")) {
      try StoreGroup(["form", "onAnotherThread"], of: hub) {}
    }
  }

  @Test func `a group hears of travelling, after all stores have moved`() throws {
    let counters = ["a", "b"].map { CounterStore(identifier: $0, reducer: CounterReducer()) }
    for counter in counters { try hub.register(store: counter) }
    let recorder = RecorderMiddleware()
    hub.register(middleware: recorder)
    hub.dispatch(CounterAction.increase, mode: .sync)
    let sums = Recorder<Int>()
    let group = try StoreGroup(["a", "b"], of: hub) {
      sums.record(counters.reduce(0) { $0 + $1.state.count })
    }

    try recorder.back()

    #expect(sums.elements == [0, 0])
    group.cancel()
  }
}
