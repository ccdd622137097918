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
