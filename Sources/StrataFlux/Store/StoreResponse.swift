/// How a store responds to one action.
struct StoreResponse: Sendable {
  let operation: any StartableOperation
  /// Notifies the observers; called when the operation has ended.
  let notifyObservers: @Sendable () -> Void
}
