import StrataBase

/// The state of an operation, without its work.
///
/// Code that waits for the end of an operation holds this and not the operation: an operation that
/// no other code holds can never finish, and fails when it is deallocated.
final class OperationProgress: Sendable {
  private struct Status: Sendable {
    enum Phase: Sendable {
      case new(dependencies: [any StartableOperation])
      case started
      case ended(OperationOutcome)
    }

    var phase = Phase.new(dependencies: [])
    /// Whether a dispatch has started it; it can have ended before that.
    var isStarted = false
    /// Whether another operation depends on it.
    var isDependency = false
    var handlers: [@Sendable (OperationOutcome) -> Void] = []
  }

  /// Serializes adding dependencies: otherwise two threads could close a cycle that neither sees.
  private static let graph = Lock(0)

  private let status = Lock(Status())

  var outcome: OperationOutcome? {
    status.withLock { status in
      guard case .ended(let outcome) = status.phase else { return nil }
      return outcome
    }
  }

  private var dependencies: [any StartableOperation] {
    status.withLock { status in
      guard case .new(let dependencies) = status.phase else { return [] }
      return dependencies
    }
  }

  func addDependency(_ other: any StartableOperation) throws(OperationError) {
    try Self.graph.withLock { _ throws(OperationError) in
      if other.progress === self { throw .circularDependency }
      // No path leads back to an operation that no other depends on.
      var reached = status.withLock { $0.isDependency } ? [other.progress] : []
      var seen: Set<ObjectIdentifier> = []
      while let progress = reached.popLast() {
        if progress === self { throw .circularDependency }
        guard seen.insert(ObjectIdentifier(progress)).inserted else { continue }
        reached += progress.dependencies.map(\.progress)
      }
      try status.withLock { status throws(OperationError) in
        guard case .new(let dependencies) = status.phase else { throw .alreadyStarted }
        status.phase = .new(dependencies: dependencies + [other])
      }
      other.progress.status.withLock { $0.isDependency = true }
    }
  }

  /// Starts the operation and returns its dependencies; nil if it was started before.
  func start() -> [any StartableOperation]? {
    status.withLock { status in
      if status.isStarted { return nil }
      status.isStarted = true
      // It can have ended before it was returned by the reducer.
      guard case .new(let dependencies) = status.phase else { return [] }
      status.phase = .started
      return dependencies
    }
  }

  /// Ends the operation; only the first call has an effect.
  func end(_ outcome: OperationOutcome) {
    let handlers = status.withLock { status -> [@Sendable (OperationOutcome) -> Void] in
      if case .ended = status.phase { return [] }
      status.phase = .ended(outcome)
      defer { status.handlers = [] }
      return status.handlers
    }
    for handler in handlers { handler(outcome) }
  }

  /// Fails an operation that was started and can no longer be finished.
  func abandon() {
    let isRunning = status.withLock { status in
      if case .started = status.phase { true } else { false }
    }
    if isRunning { end(.failed(OperationError.abandoned)) }
  }

  /// Calls `handler` when the operation ends, at once if it has ended.
  func whenEnded(_ handler: @escaping @Sendable (OperationOutcome) -> Void) {
    let outcome = status.withLock { status -> OperationOutcome? in
      if case .ended(let outcome) = status.phase { return outcome }
      status.handlers.append(handler)
      return nil
    }
    if let outcome { handler(outcome) }
  }
}

/// How an operation ended.
enum OperationOutcome: Sendable {
  case finished
  case failed(any Error)

  var error: (any Error)? {
    switch self {
    case .finished: nil
    case .failed(let error): error
    }
  }
}

/// An operation of any store, for the code that starts it.
protocol StartableOperation: AnyObject, Sendable {
  var progress: OperationProgress { get }

  /// Does the work; called once, when all dependencies have finished.
  func perform()
}
