/// A commit as a logger is told of it.
public struct CommitLog: Sendable, Equatable, Encodable {
  /// The name of the store.
  public let store: String
  /// The version that the commit made.
  public let version: UInt64
  /// Who committed, and the actions that led to it, from the inside out.
  public let traces: [CommitTrace]
  /// How long the committer waited for its turn and edited, in nanoseconds.
  public let nanoseconds: Int64
}

/// An activity as a logger is told of it.
public struct ActivityLog: Sendable, Equatable, Encodable {
  /// The name of the store.
  public let store: String
  /// The activity as Swift prints it.
  public let activity: String
}

/// An action as a logger is told of it.
public struct DispatchLog: Sendable, Equatable, Encodable {
  /// The name of the store.
  public let store: String
  /// The type of the dispatcher.
  public let dispatcher: String
  /// The action, and the actions that led to it, from the inside out.
  public let actions: [ActionMetadata]
}

/// A dispatcher as a logger is told of it.
public struct DispatcherLog: Sendable, Equatable, Encodable {
  /// The name of the store.
  public let store: String
  /// The type of the dispatcher.
  public let dispatcher: String
}
