import StrataCore
import StrataFlux
import StrataFluxRecorder
import TestSupport
import Testing

private struct Scale: RuledStateType, InitialStateType { var weight = 0 }

private typealias ScaleStore = FluxStore<Scale, CounterAction>

/// A store of a hub whose state is ruled.
@Suite struct RuledStoreTests {
  struct Overload: Error, Equatable {}

  private let store = ScaleStore(identifier: "scale", reducer: Reducer())
  private let refused = Recorder<RefusedCommit>()

  init() {
    store.refusedCommitHandler = { [refused] in refused.record($0) }
    store.add(middleware: .modify { if $0.state.weight > 10 { throw Overload() } })
  }

  private func expectRefusal() throws {
    #expect(throws: Overload()) { try store.updateState { $0.weight = 11 } }
    #expect(store.changes.version == 0)
    #expect(refused.elements.isEmpty)
    let weight = try store.updateState("weigh") { state in
      state.weight = 4
      return state.weight
    }
    #expect(weight == 4)
    #expect(store.changes.traces.first?.name == "weigh")
  }

  @Test func `an update of the state throws where its closure cannot`() throws {
    try expectRefusal()
  }

  @Test func `with a recorder it throws too, and what is not refused is recorded`() throws {
    let hub = StrataFlux.Dispatcher(name: "scales")
    let recorder = RecorderMiddleware()
    try hub.register(store: store)
    hub.register(middleware: recorder)
    try expectRefusal()
    #expect(recorder.entries.count == 1)
  }
}
