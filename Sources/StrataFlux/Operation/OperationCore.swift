import StrataBase

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

/// Runs a job where the dispatch that an operation belongs to runs, after what it does now.
typealias Schedule = @Sendable (@escaping @Sendable () -> Void) -> Void

/// How far an operation has come, apart from what it does.
///
/// Whoever waits for the end holds this, not the operation: an operation that nobody holds can
/// never finish, and says so when it goes.
final class OperationCore: Sendable {
  private struct Standing: Sendable {
    enum Phase: Sendable {
      case new([any StartableOperation])
      case started
      case ended(OperationOutcome)
    }

    var phase = Phase.new([])
    /// Whether a dispatch has taken it; one may have ended before.
    var isTaken = false
    /// Whether another operation depends on it.
    var isAwaited = false
    var waiting: [@Sendable (OperationOutcome) -> Void] = []
  }

  /// One at a time, or two threads could close a circle that neither sees.
  private static let graph = Lock(0)

  private let standing = Lock(Standing())

  var outcome: OperationOutcome? {
    standing.withLock { standing in
      guard case .ended(let outcome) = standing.phase else { return nil }
      return outcome
    }
  }

  private var dependencies: [any StartableOperation] {
    standing.withLock { standing in
      guard case .new(let dependencies) = standing.phase else { return [] }
      return dependencies
    }
  }

  func addDependency(_ other: any StartableOperation) throws(OperationError) {
    try Self.graph.withLock { _ throws(OperationError) in
      if other.core === self { throw .circularDependency }
      // Nothing leads back to what nothing depends on.
      var reached = standing.withLock { $0.isAwaited } ? [other.core] : []
      var seen: Set<ObjectIdentifier> = []
      while let core = reached.popLast() {
        if core === self { throw .circularDependency }
        guard seen.insert(ObjectIdentifier(core)).inserted else { continue }
        reached += core.dependencies.map(\.core)
      }
      try standing.withLock { standing throws(OperationError) in
        guard case .new(let dependencies) = standing.phase else { throw .alreadyStarted }
        standing.phase = .new(dependencies + [other])
      }
      other.core.standing.withLock { $0.isAwaited = true }
    }
  }

  /// What must end first, once; nil when the operation was started before.
  func start() -> [any StartableOperation]? {
    standing.withLock { standing in
      if standing.isTaken { return nil }
      standing.isTaken = true
      // Who built it may have ended it already.
      guard case .new(let dependencies) = standing.phase else { return [] }
      standing.phase = .started
      return dependencies
    }
  }

  /// Ends the operation; only the first time counts.
  func end(_ outcome: OperationOutcome) {
    let waiting = standing.withLock { standing -> [@Sendable (OperationOutcome) -> Void] in
      if case .ended = standing.phase { return [] }
      standing.phase = .ended(outcome)
      defer { standing.waiting = [] }
      return standing.waiting
    }
    for tell in waiting { tell(outcome) }
  }

  /// Ends an operation that can no longer be finished, if it was started.
  func abandon() {
    let isStarted = standing.withLock { standing in
      if case .started = standing.phase { true } else { false }
    }
    if isStarted { end(.failed(OperationError.abandoned)) }
  }

  /// Calls `tell` when the operation ends, at once if it has.
  func whenEnded(_ tell: @escaping @Sendable (OperationOutcome) -> Void) {
    let outcome = standing.withLock { standing -> OperationOutcome? in
      if case .ended(let outcome) = standing.phase { return outcome }
      standing.waiting.append(tell)
      return nil
    }
    if let outcome { tell(outcome) }
  }
}
