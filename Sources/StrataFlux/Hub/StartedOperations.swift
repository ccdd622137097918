import StrataBase

/// An operation and its dependencies, directly or through others, that were not started before.
struct StartedOperations: Sendable {
  private struct Element: Sendable {
    let operation: any StartableOperation
    let dependencies: [any StartableOperation]
  }

  private let elements: [Element]

  /// Marks the operation and its dependencies as started; empty if the operation itself was started
  /// before.
  ///
  /// Iterative, so a long chain cannot overflow the stack. Nothing runs before ``perform(on:)``.
  init(_ operation: any StartableOperation) {
    var elements: [Element] = []
    if let dependencies = operation.progress.start() {
      elements.append(Element(operation: operation, dependencies: dependencies))
    }
    var index = 0
    while index < elements.count {
      for dependency in elements[index].dependencies {
        guard let others = dependency.progress.start() else { continue }
        elements.append(Element(operation: dependency, dependencies: others))
      }
      index += 1
    }
    self.elements = elements
  }

  var all: [OperationProgress] { elements.map(\.operation.progress) }

  /// Performs the operations without dependencies here, and each of the others on the executor when
  /// its dependencies have finished.
  ///
  /// Each operation is held until it has been performed, and not longer.
  func perform(on executor: DispatchExecutor) {
    // First: an operation performed here can finish at once.
    for waiting in elements where !waiting.dependencies.isEmpty {
      perform(waiting.operation, after: waiting.dependencies.map(\.progress), executor)
    }
    for ready in elements where ready.dependencies.isEmpty { ready.operation.perform() }
  }

  private func perform(
    _ operation: any StartableOperation,
    after dependencies: [OperationProgress],
    _ executor: DispatchExecutor
  ) {
    let missing = Lock(dependencies.count)
    for dependency in dependencies {
      dependency.whenEnded { _ in
        let isLast = missing.withLock { missing in
          missing -= 1
          return missing == 0
        }
        guard isLast, operation.progress.outcome == nil else { return }
        executor.run { operation.perform(after: dependencies) }
      }
    }
  }
}

extension StartableOperation {
  /// Does the work, unless one of the dependencies failed.
  fileprivate func perform(after dependencies: [OperationProgress]) {
    if let failure = dependencies.lazy.compactMap({ $0.outcome?.error }).first {
      progress.end(.failed(OperationError.waiting(for: failure)))
    } else {
      perform()
    }
  }
}
