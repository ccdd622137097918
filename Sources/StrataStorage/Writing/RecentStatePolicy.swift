/// How many of the last states a store keeps in memory, for `state(at:)` and `revert`.
///
/// The store keeps the present state and the changes that lead back from it, so each earlier state costs the
/// entities that its commit replaced. Reading a state undoes the changes since, one by one. A state is kept
/// as long as all three limits allow it, and the present one always.
public struct RecentStatePolicy: Sendable, Equatable {
  /// The number of states.
  public var count: Int
  /// The age of the oldest, by the clock of the configuration; checked with each commit.
  public var age: Duration
  /// How many changed entities lie between the oldest state and the present one: what bounds the memory
  /// when commits are large.
  public var changes: Int

  /// Creates a policy; the defaults keep a few megabytes at most for entities of usual size.
  public init(count: Int = 64, age: Duration = .seconds(600), changes: Int = 10_000) {
    self.count = count
    self.age = age
    self.changes = changes
  }

  /// Keeps no state: each is read from the file.
  public static let none = RecentStatePolicy(count: 0)
}
