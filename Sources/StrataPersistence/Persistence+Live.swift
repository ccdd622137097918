import StrataBase
public import StrataStorage

extension Persistence {
  /// This store in this process, for a page that shows it:
  /// `StateInspector.serve(persistence.live)` of the product `StrataInspector`.
  ///
  /// O(1). Nothing is counted until the page asks, and commits cost the same.
  public var live: LiveStore {
    LiveStore(
      path: path,
      status: { [weak self] in self?.status },
      subscribers: { [weak self] in self?.connection.withLock { $0 }.subscribers }
    )
  }
}
