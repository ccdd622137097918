import Foundation
package import StrataJournal

/// How a store is kept in an archive.
///
/// The defaults suit a server whose archive is its backup. Where another process is to take over, set
/// ``withoutLease`` to `.refuse`.
public struct ArchivePolicy: Sendable {
  /// What commits do while this process cannot know that it still leads.
  public enum WithoutLease: Sendable {
    /// They go on. If another process leads by then, they do not become part of the history, and are set
    /// aside when the file is opened again.
    case `continue`
    /// They are refused with `ArchiveError.Reason.notLeading` until the archive can be reached.
    case refuse
  }

  /// The name of this leader in messages; nil for the name of the machine and the path of the file.
  ///
  /// Two processes that may lead at the same time must have different names.
  public var leader: String?
  /// How long another process waits after the last sign of this one before it may lead.
  public var lease: Duration
  /// What commits do once the lease has ended.
  public var withoutLease: WithoutLease
  /// How long deltas are gathered before they are sent, unless a caller waits for them.
  public var maxDelay: Duration
  /// How many bytes of deltas are sent together, at least.
  public var segmentBytes: Int
  /// How many bytes of deltas the file keeps for an archive that cannot be reached.
  ///
  /// Beyond it, the file removes them as its `SnapshotPolicy` says. The archive then gets a snapshot instead, and
  /// a gap before it.
  public var maxBacklog: Int64
  /// How far the archive may be behind before commits wait; nil for any time.
  public var maxLag: Duration?
  /// How often a snapshot goes to the archive.
  public var snapshotInterval: Duration

  /// What an opening does that cannot lead at once.
  package enum WithoutLead: Sendable {
    /// It waits until the lease of another leader ends, or is renewed. While the archive is away, it opens an existing
    /// file alone.
    case open
    /// It is refused.
    case refuse
  }

  package var withoutLead = WithoutLead.open

  /// How often a follower asks for new commits.
  public var pollInterval: Duration = .milliseconds(250)
  /// How long closing the file waits for the archive to receive what it lacks.
  public var closingLimit: Duration = .seconds(5)

  /// Creates a policy.
  public init(
    leader: String? = nil,
    lease: Duration = .seconds(10),
    withoutLease: WithoutLease = .continue,
    maxDelay: Duration = .milliseconds(20),
    segmentBytes: Int = 256 << 10,
    maxBacklog: Int64 = 4 << 30,
    maxLag: Duration? = nil,
    snapshotInterval: Duration = .seconds(86_400)
  ) {
    precondition(lease > .zero, "ArchivePolicy.lease must be above zero.")
    precondition(maxLag.map { $0 > .zero } ?? true, "ArchivePolicy.maxLag must be above zero.")
    self.leader = leader
    self.lease = lease
    self.withoutLease = withoutLease
    self.maxDelay = maxDelay
    self.segmentBytes = max(segmentBytes, 1)
    self.maxBacklog = maxBacklog
    self.maxLag = maxLag
    self.snapshotInterval = snapshotInterval
  }

  /// The leader's name for a file.
  package func leader(at path: StorePath) -> String {
    leader ?? "\(ProcessInfo.processInfo.hostName):\(path.file)"
  }
}
