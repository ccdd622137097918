/// What a new subscriber receives at once.
public enum FirstDelivery: Sendable {
  /// The current value, without a previous value to compare it with.
  case current
  /// Nothing until the next commit.
  case nextCommit
}
