import StrataFlux
import TestSupport

/// The state of the seed's example.
struct Counter: InitialStateType, Equatable, Codable {
  var count = 0
}

enum CounterAction: FluxAction, Hashable, Codable {
  case increase
  case decrease
  case add(Int)
  /// Changes nothing.
  case look
  /// Changes the state, then throws.
  case fail
}

typealias CounterStore = FluxStore<Counter, CounterAction>
typealias CounterOperation = ActionOperation<Counter, CounterAction>

/// As in the seed: every action is an operation that updates the state and finishes.
class CounterReducer: Reducer<Counter, CounterAction>, @unchecked Sendable {
  /// How many operations ran.
  let runs = Recorder<CounterAction>()

  override func operation(for action: CounterAction, in store: CounterStore) throws
    -> CounterOperation
  {
    ActionOperation(action: action, store: store) { [runs] operation, action, store in
      runs.record(action)
      switch action {
      case .increase: store.updateState { $0.count += 1 }
      case .decrease: store.updateState { $0.count -= 1 }
      case .add(let number): store.updateState { $0.count += number }
      case .look: break
      case .fail:
        store.updateState { $0.count += 1 }
        throw TestError()
      }
      operation.finish()
    }
  }
}

/// Runs a closure, so that a test defines what an operation does.
final class ScriptedReducer: Reducer<Counter, CounterAction>, @unchecked Sendable {
  typealias Script = @Sendable (CounterOperation, CounterAction, CounterStore) throws -> Void

  private let script: Script

  init(_ script: @escaping Script) { self.script = script }

  override func operation(for action: CounterAction, in store: CounterStore) throws
    -> CounterOperation
  {
    ActionOperation(action: action, store: store, block: script)
  }
}

/// The same changes as a pure function.
final class PureCounterReducer: Reducer<Counter, CounterAction>, @unchecked Sendable {
  override func reduce(_ state: inout Counter, _ action: CounterAction) throws {
    switch action {
    case .increase: state.count += 1
    case .decrease: state.count -= 1
    case .add(let number): state.count += number
    case .look: break
    case .fail:
      state.count += 1
      throw TestError()
    }
  }
}

/// No store here responds to it.
struct StrangeAction: FluxAction {}

extension CounterStore {
  convenience init(_ identifier: String, script: @escaping ScriptedReducer.Script) {
    self.init(identifier: identifier, reducer: ScriptedReducer(script))
  }
}

/// An object to register observers with.
final class Observer: Sendable {}
