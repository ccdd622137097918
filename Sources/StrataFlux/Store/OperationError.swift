/// Why an ``ActionOperation`` ended without finishing, or refused a call.
///
/// Errors thrown by a reducer or by the block of an operation are never wrapped in it.
public enum OperationError: Error {
  /// No code holds the operation, so it can no longer be finished.
  case abandoned

  /// The dispatch was cancelled.
  case cancelled

  /// A reducer returned the operation a second time; each operation runs once.
  case alreadyRun

  /// A dependency was added after the operation was started.
  case alreadyStarted

  /// The operation would wait for itself, directly or through others.
  case circularDependency

  /// A dependency failed with this error: another operation, directly or through others, or the
  /// operation of a store that it waits for.
  case dependencyFailed(any Error)
}

extension OperationError {
  /// The error of an operation whose dependency failed; it holds the first error of the chain, so it
  /// does not nest.
  package static func waiting(for error: any Error) -> OperationError {
    if case dependencyFailed(let cause)? = error as? OperationError {
      return dependencyFailed(cause)
    }
    return .dependencyFailed(error)
  }
}

extension OperationError: CustomStringConvertible {
  /// The problem and the remedy.
  public var description: String {
    switch self {
    case .abandoned:
      "The operation was released before finish() was called. Call finish() on every path, or hold "
        + "the operation until its work is done."
    case .cancelled:
      "The dispatch was cancelled before the operation finished. Dispatch the action again."
    case .alreadyRun:
      "A reducer returned the same operation twice. Create a new ActionOperation in each call of "
        + "operation(for:in:)."
    case .alreadyStarted:
      "addDependency(_:) was called after the operation had started. Add dependencies in "
        + "operation(for:in:)."
    case .circularDependency:
      "addDependency(_:) would make the operation wait for itself. Remove one of the dependencies."
    case .dependencyFailed(let error):
      "The operation did not run because a dependency failed: \(error)"
    }
  }
}
