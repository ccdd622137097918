import StrataBase

/// A commit that was refused and rolled back, and whose caller could not receive the error.
///
/// See <doc:RefusedCommits>.
public struct RefusedCommit: Sendable, CustomStringConvertible {
  /// The name of the store.
  public let store: String
  /// The name and the place of the commit.
  public let trace: CommitTrace
  /// Why it was refused.
  public let error: any Error

  /// Which commit was refused, and why.
  public var description: String {
    let name = trace.name.isEmpty ? "" : " \"\(trace.name)\""
    let reason = "\(error)"
    return """
      The commit\(name) at \(trace.place) was refused: \(reason)\(reason.hasSuffix(".") ? "" : ".") \
      \(store) is unchanged.
      """
  }

  /// Writes the commit, the error and the remedy to standard error, and fails an assertion in a debug
  /// build.
  public func report() {
    StandardError.report(
      """
      \(description) The caller does not know it. Make the state a RuledStateType, so that every \
      commit throws. Or write the closure as one that throws (with `throws` in its type or a `try` \
      inside) and call it with `try commit`. To report such commits in another way, set \
      refusedCommitHandler of the store.
      """,
      assertion: "A commit that cannot throw was refused"
    )
  }
}

/// What a store does with refused commits; a struct, because a `Lock` must not hold a bare function.
@usableFromInline
struct RefusedCommitHandler: Sendable {
  var handle: @Sendable (RefusedCommit) -> Void = { $0.report() }

  @usableFromInline
  init() {}
}
