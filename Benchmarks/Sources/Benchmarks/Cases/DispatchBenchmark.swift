import Strata
import StrataFlux

/// A dispatch through the hub while many observers observe a property that it does not change.
struct DispatchBenchmark: Benchmark {
  let observers: Int

  let name = "dispatch"

  func run(_ plan: Plan) async throws -> [Line] {
    let quiet = try Hub()
    let observed = try Hub()
    let watchers = (0..<observers).map { _ in Watcher() }
    for watcher in watchers {
      observed.store.register(observer: watcher, of: \.other) { other, _ in consumeResult(other) }
    }
    let repetitions = plan.repetitions(5_000)
    let pairs = await plan.rounds.alternate(
      ours: { observed.dispatch(repetitions) },
      peer: { quiet.dispatch(repetitions) }
    )
    withExtendedLifetime(watchers) {}
    return [
      Line(
        id: "memory.dispatch",
        section: .inMemory,
        work: "dispatch through the hub, \(grouped(observers)) observers of another property",
        peer: "without observers",
        comparison: .cost,
        goal: 2,
        pairs: pairs
      )
    ]
  }
}

private struct Wide: InitialStateType {
  var touched = 0
  var other = 0
}

private enum WideAction: FluxAction {
  case touch
}

private final class WideReducer: Reducer<Wide, WideAction>, @unchecked Sendable {
  override func reduce(_ state: inout Wide, _ action: WideAction) { state.touched += 1 }
}

private final class Watcher: Sendable {}

/// One dispatcher with one store.
private struct Hub: Sendable {
  let dispatcher = StrataFlux.Dispatcher(name: "benchmark")
  let store = FluxStore(identifier: "wide", reducer: WideReducer())

  init() throws { try dispatcher.register(store: store) }

  func dispatch(_ repetitions: Int) -> Double {
    nanoseconds(per: repetitions) {
      for _ in 0..<repetitions { dispatcher.dispatch(WideAction.touch, mode: .sync) }
    }
  }
}
