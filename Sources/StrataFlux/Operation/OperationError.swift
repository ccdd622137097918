/// Why an ``ActionOperation`` ended without finishing, or refused what was asked of it.
///
/// What a reducer or an operation's block throws is never wrapped in it.
public enum OperationError: Error {
  /// Nothing holds the operation any more, so nobody can finish it.
  case abandoned

  /// The dispatch was cancelled.
  case cancelled

  /// The operation was given out by a reducer a second time; each runs once.
  case alreadyRun

  /// A dependency was added after the operation was started.
  case alreadyStarted

  /// The operation would wait for itself, directly or through others.
  case circularDependency

  /// What had to finish first failed with this error: another operation, directly or through
  /// others, or that of a store waited for.
  case dependencyFailed(any Error)
}

extension OperationError {
  /// Of what waits for what failed; however long the chain, it names its beginning.
  static func waiting(for error: any Error) -> OperationError {
    if case dependencyFailed(let cause)? = error as? OperationError {
      return dependencyFailed(cause)
    }
    return .dependencyFailed(error)
  }
}

extension OperationError: CustomStringConvertible {
  /// What happened and what to do about it.
  public var description: String {
    switch self {
    case .abandoned:
      "An operation ended without finish() and nothing holds it any more. Call finish() on every "
        + "path, or keep the operation until its work is done."
    case .cancelled:
      "The dispatch was cancelled before the operation finished. Dispatch the action again."
    case .alreadyRun:
      "An operation was given out twice. Make a new ActionOperation in each operation(for:in:)."
    case .alreadyStarted:
      "addDependency(_:) was called on an operation that has started. Add dependencies in "
        + "operation(for:in:)."
    case .circularDependency:
      "addDependency(_:) was refused: the operation would wait for itself. Remove one of the "
        + "dependencies."
    case .dependencyFailed(let error):
      "It did not run, as what it waits for failed: \(error)"
    }
  }
}
