/// What deltas state about the contexts of their commits.
///
/// A context may name people and hold what they typed. Deltas that were written before keep theirs.
///
/// Where tables are redacted or sealed, the arguments of recorded calls are left out, because they may hold
/// what the file must not. A redaction of contexts sees the arguments, so it lets them through.
public struct CommitContexts: Sendable {
  /// Changes a context on its way into the file; nil for one that is not stored.
  package let redaction: (@Sendable (any Sendable) -> (any Sendable)?)?

  package init(_ redaction: (@Sendable (any Sendable) -> (any Sendable)?)?) {
    self.redaction = redaction
  }

  /// Contexts as they are.
  public static let all = CommitContexts(nil)
  /// No contexts.
  public static let none = CommitContexts { _ in nil }
}
