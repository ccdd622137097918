/// What `commitDurably` waits for.
public struct CommitMark: Sendable, Equatable {
  enum Kind: Equatable {
    case durable
    case replicated(within: Duration?)
  }

  let kind: Kind

  /// The commit is on disk: it survives a power cut.
  public static let durable = CommitMark(kind: .durable)

  /// The archive has the commit, too: it survives the loss of the machine.
  ///
  /// It waits for as long as the archive cannot be reached.
  public static let replicated = CommitMark(kind: .replicated(within: nil))

  /// The same, for a time at most.
  public static func replicated(within limit: Duration) -> CommitMark {
    CommitMark(kind: .replicated(within: limit))
  }
}
