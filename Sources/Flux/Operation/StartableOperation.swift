/// An operation of any store, as those see it who start it.
protocol StartableOperation: AnyObject, Sendable {
  var core: OperationCore { get }

  /// Does the work; called once, when all dependencies have finished.
  func perform()
}

/// Goes on with an operation that has been started, and starts whatever it depends on that was not
/// started yet.
///
/// Without recursion, however long the chain. An operation is held until it has been performed,
/// and by nobody here afterwards.
func begin(
  _ operation: any StartableOperation,
  after dependencies: [any StartableOperation],
  _ schedule: @escaping Schedule
) {
  var started = [(operation, dependencies)]
  while let (operation, dependencies) = started.popLast() {
    guard !dependencies.isEmpty else {
      operation.perform()
      continue
    }
    let cores = dependencies.map(\.core)
    for dependency in dependencies {
      if let others = dependency.core.start() { started.append((dependency, others)) }
    }
    perform(operation, after: cores, schedule)
  }
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
      guard isLast else { return }
      let failure = cores.lazy.compactMap { $0.outcome?.error }.first
      if let failure {
        operation.core.end(.failed(OperationError.dependencyFailed(failure)))
      } else {
        schedule { operation.perform() }
      }
    }
  }
}
