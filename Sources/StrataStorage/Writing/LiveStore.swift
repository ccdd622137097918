package import StrataBase

/// A store in the process that has it open: its file, and what only that process knows.
///
/// `Persistence.live` makes it, and `StateInspector.serve` of the product `StrataInspector` shows it. It keeps
/// neither the store nor its persistence alive.
public struct LiveStore: Sendable {
  /// The resolved path of the file.
  package let path: String
  /// The state of the writer; nil once the persistence is gone.
  package let status: @Sendable () -> PersistenceStatus?
  /// Who follows the store; nil while there is none.
  package let subscribers: @Sendable () -> StoreSubscribers?

  package init(
    path: String,
    status: @escaping @Sendable () -> PersistenceStatus?,
    subscribers: @escaping @Sendable () -> StoreSubscribers?
  ) {
    self.path = path
    self.status = status
    self.subscribers = subscribers
  }
}
