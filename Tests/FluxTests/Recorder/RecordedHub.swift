import StrataCore
import StrataFlux
import StrataFluxRecorder
import TestSupport

/// Two counters in one hub, with a recorder: `a` uses operations, `b` a pure reducer.
struct RecordedHub {
  let hub = StrataFlux.Dispatcher(name: "recorded")
  let reducer = CounterReducer()
  let a: CounterStore
  let b = CounterStore(identifier: "b", reducer: PureCounterReducer())
  let recorder: RecorderMiddleware

  init(limit: Int = 100, travelPolicy: RecorderMiddleware.TravelPolicy = .refuse) throws {
    a = CounterStore(identifier: "a", reducer: reducer)
    recorder = RecorderMiddleware(limit: limit, travelPolicy: travelPolicy)
    try hub.register(store: a)
    try hub.register(store: b)
    hub.register(middleware: recorder)
  }

  /// The counts of both stores.
  var counts: [Int] { [a.state.count, b.state.count] }

  /// Dispatches to one store, or to both.
  func dispatch(_ actions: CounterAction..., to identifier: String? = nil) {
    for action in actions { hub.dispatch(action, to: identifier, mode: .sync) }
  }
}

/// The added numbers, in the order of the commits.
struct Numbers: InitialStateType, Equatable, Codable {
  var all: [Int] = []
}

struct AddNumber: FluxAction, Codable {
  let number: Int
}

typealias NumbersStore = FluxStore<Numbers, AddNumber>
