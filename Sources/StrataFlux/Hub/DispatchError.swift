/// Why an action did not reach its stores, or not all of them answered it.
public enum DispatchError: Error, Sendable {
  /// No store of this identifier is registered, any more or yet.
  case unknownStore(String)

  /// A recorder is locked.
  case locked

  /// A recorder shows another time, and its rule refuses new actions there.
  case travelling

  /// What a recorder shows could not be made the present, which its rule asks for first.
  case presentRefused(any Error)

  /// It was cancelled before its turn had come.
  case cancelled

  /// The operations of these stores failed; those of the others are done.
  case failed([StoreFailure])
}

/// A store whose operation failed, and why.
public struct StoreFailure: Sendable {
  /// The identifier of the store.
  public let store: String
  /// What was thrown, or an ``OperationError``.
  public let error: any Error
}

extension DispatchError: CustomStringConvertible {
  /// What happened and what to do about it.
  public var description: String {
    switch self {
    case .unknownStore(let identifier):
      "The action was meant for a store \"\(identifier)\", which is not registered. Register it "
        + "first, or dispatch to all stores."
    case .locked:
      "The recorder is locked: actions are dropped. Unlock it to dispatch."
    case .travelling:
      "The recorder shows another time. Call returnToPresent() to go back to where it is live, or "
        + "branch() to go on from here."
    case .presentRefused(let error):
      "What the recorder shows could not be made the present: \(error)"
    case .cancelled:
      "The dispatch was cancelled before its turn had come. Dispatch the action again."
    case .failed(let failures):
      failures.map { "The store \"\($0.store)\" failed: \($0.error)" }.joined(separator: " ")
    }
  }
}
