/// What `commitDurably` waits for.
///
/// `StrataArchive` has `.replicated`, too.
public struct CommitMark: Sendable, Equatable {
  package enum Kind: Equatable {
    case durable
    /// What runs beside the writer has the commit, too.
    case companion(within: Duration?)
  }

  package let kind: Kind

  package init(_ kind: Kind) { self.kind = kind }

  /// The commit is on disk: it survives a power cut.
  public static let durable = CommitMark(.durable)
}
