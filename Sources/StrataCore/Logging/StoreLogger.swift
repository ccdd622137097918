/// Is told what happens in a store, as values that can be encoded.
///
/// ```swift
/// struct PrintingLogger: StoreLogger {
///   func didCommit(_ log: CommitLog) { print(log) }
/// }
///
/// let store = AppStore(initialState: AppState(), logger: PrintingLogger())
/// ```
///
/// Commits and activities are told in their order, one at a time, outside every lock of the store,
/// before the subscribers hear of them; the rest is told where it happens. Every requirement has a
/// default that does nothing. A store without a logger spends nothing on it.
public protocol StoreLogger: Sendable {
  /// A commit has made a version.
  func didCommit(_ log: CommitLog)

  /// An activity was sent.
  func didSendActivity(_ log: ActivityLog)

  /// An action is about to run.
  func willDispatch(_ log: DispatchLog)

  /// A dispatcher was created.
  func didCreateDispatcher(_ log: DispatcherLog)

  /// A dispatcher is going.
  func didDestroyDispatcher(_ log: DispatcherLog)

  /// The time that durations are measured with.
  func now() -> ContinuousClock.Instant
}

extension StoreLogger {
  /// Does nothing.
  public func didCommit(_ log: CommitLog) {}
  /// Does nothing.
  public func didSendActivity(_ log: ActivityLog) {}
  /// Does nothing.
  public func willDispatch(_ log: DispatchLog) {}
  /// Does nothing.
  public func didCreateDispatcher(_ log: DispatcherLog) {}
  /// Does nothing.
  public func didDestroyDispatcher(_ log: DispatcherLog) {}
  /// The continuous clock's time.
  public func now() -> ContinuousClock.Instant { .now }
}
