/// Why an action did not reach its stores, or failed in some of them.
public enum DispatchError: Error, Sendable {
  /// No store with this identifier is registered.
  case unknownStore(String)

  /// The recorder is locked.
  case locked

  /// The recorder shows another time, and its `RecorderMiddleware.TravelPolicy` refuses new
  /// actions.
  case travelling

  /// The recorder's `RecorderMiddleware.TravelPolicy` branches before a new action, and branching
  /// failed.
  case branchFailed(any Error)

  /// The dispatch was cancelled before it started.
  case cancelled

  /// A serial dispatch was awaited inside a serial dispatch of the same hub, which would never end: each
  /// would wait for the other.
  case insideSerial

  /// The operations of these stores failed; those of the other stores finished.
  case failed([StoreFailure])
}

extension DispatchError: CustomStringConvertible {
  /// The problem and the remedy.
  public var description: String {
    switch self {
    case .unknownStore(let identifier):
      "The store \"\(identifier)\" is not registered, so the action was not dispatched. Register it "
        + "first, or dispatch to all stores."
    case .locked:
      "The recorder is locked and drops actions. Call unlock() to dispatch."
    case .travelling:
      "The recorder shows another time. Call returnToPresent() to discard what is shown, or "
        + "branch() to continue from it."
    case .branchFailed(let error):
      "The recorder could not branch before the action: \(error)"
    case .cancelled:
      "The dispatch was cancelled before it started. Dispatch the action again."
    case .insideSerial:
      "A serial dispatch was awaited inside a serial dispatch of the same hub: it would start when the "
        + "outer one has ended. Do not await it, or use the mode .async or .sync."
    case .failed(let failures):
      failures.map { "The store \"\($0.store)\" failed: \($0.error)" }.joined(separator: " ")
    }
  }
}

/// A store whose operation failed, and its error.
public struct StoreFailure: Sendable {
  /// The identifier of the store.
  public let store: String
  /// The error that was thrown, or an ``OperationError``.
  public let error: any Error

  /// Creates a failure.
  package init(store: String, error: any Error) {
    self.store = store
    self.error = error
  }
}
