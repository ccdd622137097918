import StrataBase

/// An operation of any store, as those see it who start it.
protocol StartableOperation: AnyObject, Sendable {
  var core: OperationCore { get }

  /// Does the work; called once, when all dependencies have finished.
  func perform()
}

/// An operation that has been started, and what it waits for.
struct StartedOperation: Sendable {
  let operation: any StartableOperation
  let dependencies: [any StartableOperation]
}

/// Starts an operation with whatever it depends on that was not started yet; empty when the
/// operation itself was.
///
/// Without recursion, however long the chain. Nothing runs before ``perform(_:_:)``.
func start(_ operation: any StartableOperation) -> [StartedOperation] {
  guard let dependencies = operation.core.start() else { return [] }
  var started = [StartedOperation(operation: operation, dependencies: dependencies)]
  var place = 0
  while place < started.count {
    for dependency in started[place].dependencies {
      guard let others = dependency.core.start() else { continue }
      started.append(StartedOperation(operation: dependency, dependencies: others))
    }
    place += 1
  }
  return started
}

/// Runs the operations that wait for nothing, after all others know what they wait for.
///
/// Each is held until it has been performed, and by nobody here afterwards.
func perform(_ started: [StartedOperation], _ schedule: @escaping Schedule) {
  for waiting in started where !waiting.dependencies.isEmpty {
    perform(waiting.operation, after: waiting.dependencies.map(\.core), schedule)
  }
  for ready in started where ready.dependencies.isEmpty { ready.operation.perform() }
}

private func perform(
  _ operation: any StartableOperation,
  after cores: [OperationCore],
  _ schedule: @escaping Schedule
) {
  let missing = Lock(cores.count)
  for core in cores {
    core.whenEnded { _ in
      let isLast = missing.withLock { missing in
        missing -= 1
        return missing == 0
      }
      guard isLast, operation.core.outcome == nil else { return }
      schedule { operation.perform(after: cores) }
    }
  }
}

extension StartableOperation {
  /// Does the work, unless one of those that it waited for failed.
  fileprivate func perform(after cores: [OperationCore]) {
    if let failure = cores.lazy.compactMap({ $0.outcome?.error }).first {
      core.end(.failed(OperationError.waiting(for: failure)))
    } else {
      perform()
    }
  }
}
