import Dispatch
import StrataBase
import StrataFlux
import TestSupport

/// The store of the seed's example.
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

/// As the seed has it: every action is an operation that updates the state and finishes.
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
        throw Refusal()
      }
      operation.finish()
    }
  }
}

/// Runs what it is given, so that a test decides what an operation does.
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

/// The same store by a pure function.
final class PureCounterReducer: Reducer<Counter, CounterAction>, @unchecked Sendable {
  override func reduce(_ state: inout Counter, _ action: CounterAction) throws {
    switch action {
    case .increase: state.count += 1
    case .decrease: state.count -= 1
    case .add(let number): state.count += number
    case .look: break
    case .fail:
      state.count += 1
      throw Refusal()
    }
  }
}

/// An action of which no store here knows.
struct StrangeAction: FluxAction {}

extension CounterStore {
  convenience init(_ identifier: String, script: @escaping ScriptedReducer.Script) {
    self.init(identifier: identifier, reducer: ScriptedReducer(script))
  }
}

/// Any object that observes.
final class Observer: Sendable {}

/// Operations that were started and that a test finishes when it likes.
final class Held: Sendable {
  private let operations = Lock<[CounterOperation?]>([])
  private let arrived = Gate()

  func keep(_ operation: CounterOperation) {
    operations.withLock { $0.append(operation) }
    arrived.open()
  }

  /// Whether another operation came.
  func waitForNext() -> Bool { arrived.wait() }

  var count: Int { operations.withLock { $0.count } }

  /// Finishes one and lets go of it: it holds its store, whose reducer may hold this.
  func finish(_ place: Int) {
    let operation = operations.withLock { operations in
      defer { operations[place] = nil }
      return operations[place]
    }
    operation?.finish()
  }

  func letGo() {
    let operations = operations.withLock { operations in
      defer { operations = [] }
      return operations
    }
    withExtendedLifetime(operations) {}
  }
}

/// Stands for a main loop that runs when a test likes.
final class Loop: Sendable {
  private let jobs = Lock<[@Sendable () -> Void]>([])

  var executor: DispatchExecutor {
    DispatchExecutor { [self] job in jobs.withLock { $0.append(job) } }
  }

  /// Runs what has come, and lets go of it: it holds its dispatcher, which holds this.
  func run() {
    let jobs = jobs.withLock { jobs in
      defer { jobs = [] }
      return jobs
    }
    for job in jobs { job() }
  }
}

/// Runs `body` on another thread, which is there even while all of the test runner's wait.
func elsewhere(_ body: @escaping @Sendable () -> Void) { elsewhereQueue.async(execute: body) }

private let elsewhereQueue = DispatchQueue(label: "elsewhere")
