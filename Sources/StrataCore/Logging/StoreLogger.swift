/// Receives what happens in a store, as values that can be encoded.
///
/// ```swift
/// struct PrintingLogger: StoreLogger {
///   func didCommit(_ log: CommitLog) { print(log) }
/// }
///
/// let store = AppStore(initialState: AppState(), logger: PrintingLogger())
/// ```
///
/// Commits and activities are logged in their order, one at a time, outside every lock of the store,
/// before their delivery to subscribers. The rest is logged where it happens. Every requirement has a
/// default that does nothing. A store without a logger spends nothing on logging.
public protocol StoreLogger: Sendable {
  /// A commit has made a version.
  func didCommit(_ log: CommitLog)

  /// An activity was sent.
  func didSendActivity(_ log: ActivityLog)

  /// An action is about to run.
  func willDispatch(_ log: DispatchLog)

  /// A dispatcher was created.
  func didCreateDispatcher(_ log: DispatcherLog)

  /// A dispatcher is about to be released.
  func didDestroyDispatcher(_ log: DispatcherLog)

  /// More than 1,000 versions wait for subscribers, and a committer has waited 100 ms in vain for them to
  /// catch up.
  ///
  /// Called once until they have, on the thread of the committer, which then goes on.
  func subscribersAreBehind(_ log: BehindLog)

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
  /// Does nothing.
  public func subscribersAreBehind(_ log: BehindLog) {}
  /// The continuous clock's time.
  public func now() -> ContinuousClock.Instant { .now }
}

/// What a logger receives about a commit.
public struct CommitLog: Sendable, Equatable, Encodable {
  /// The name of the store.
  public let store: String
  /// The version that the commit made.
  public let version: UInt64
  /// Who made the commit, then the actions that led to it, the innermost first.
  public let traces: [CommitTrace]
  /// How long the caller waited for the edit lock and edited, in nanoseconds.
  public let nanoseconds: Int64
}

/// What a logger receives about an activity.
public struct ActivityLog: Sendable, Equatable, Encodable {
  /// The name of the store.
  public let store: String
  /// The activity as Swift prints it.
  public let activity: String
}

/// What a logger receives about an action.
public struct DispatchLog: Sendable, Equatable, Encodable {
  /// The name of the store.
  public let store: String
  /// The type of the dispatcher.
  public let dispatcher: String
  /// The action, then the actions that led to it, the innermost first.
  public let actions: [ActionMetadata]
}

/// What a logger receives about a dispatcher.
public struct DispatcherLog: Sendable, Equatable, Encodable {
  /// The name of the store.
  public let store: String
  /// The type of the dispatcher.
  public let dispatcher: String
}

/// What a logger receives about subscribers that are slower than commits.
public struct BehindLog: Sendable, Equatable, Encodable {
  /// The name of the store.
  public let store: String
  /// How many deliveries wait for a subscriber to return.
  public let waiting: Int
}

/// One call of a logger that waits for its turn.
@usableFromInline
struct LogEntry: Sendable {
  @usableFromInline let write: @Sendable () -> Void
}
