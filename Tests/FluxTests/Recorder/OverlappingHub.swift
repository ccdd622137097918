import StrataBase
import StrataCore
import StrataFlux
import StrataFluxRecorder
import TestSupport

/// The added numbers, in the order of the commits.
struct Numbers: InitialStateType, Equatable, Codable {
  var all: [Int] = []
}

struct AddNumber: FluxAction, Codable {
  let number: Int
}

typealias NumbersStore = FluxStore<Numbers, AddNumber>

/// A recorded hub whose dispatches commit when they start and finish when the test calls `finish`.
final class OverlappingHub {
  let hub = StrataFlux.Dispatcher(name: "overlapping")
  let store = NumbersStore(identifier: "numbers", reducer: AddingReducer())
  let recorder: RecorderMiddleware
  private let holding = HoldingReducer()
  private var done: [Int: Latch] = [:]

  init(limit: Int = 100) throws {
    recorder = RecorderMiddleware(limit: limit)
    try hub.register(store: store)
    // It receives every action after the other store.
    try hub.register(store: NumbersStore(identifier: "holding", reducer: holding))
    hub.register(middleware: recorder)
  }

  var numbers: [Int] { store.state.all }

  /// The number of each entry.
  var entries: [Int] { recorder.entries.compactMap { ($0.action as? AddNumber)?.number } }

  /// Dispatches, and returns when the number is committed; false after a timeout.
  func start(_ number: Int) -> Bool {
    let latch = Latch()
    done[number] = latch
    hub.dispatch(AddNumber(number: number)) { latch.open() }
    return holding.arrived.wait()
  }

  /// Finishes the dispatch of a number, and returns when it is done; false after a timeout.
  func finish(_ number: Int) -> Bool {
    holding.finish(number)
    return done[number]?.wait() ?? false
  }
}

/// Adds by a pure function, so that the change can be recomputed after an import.
final class AddingReducer: Reducer<Numbers, AddNumber>, @unchecked Sendable {
  override func reduce(_ state: inout Numbers, _ action: AddNumber) {
    state.all.append(action.number)
  }
}

/// Changes nothing, and finishes when the test calls `finish`.
private final class HoldingReducer: Reducer<Numbers, AddNumber>, @unchecked Sendable {
  let arrived = Latch()
  private let held = Lock<[Int: ActionOperation<Numbers, AddNumber>]>([:])

  override func operation(for action: AddNumber, in store: NumbersStore) throws
    -> ActionOperation<Numbers, AddNumber>
  {
    ActionOperation(action: action, store: store) { [held, arrived] operation, action, _ in
      held.withLock { $0[action.number] = operation }
      arrived.open()
    }
  }

  func finish(_ number: Int) { held.withLock { $0.removeValue(forKey: number) }?.finish() }
}
