/// When to take a snapshot, and how much history to keep.
///
/// ```swift
/// SnapshotPolicy(minimumHistoryRevisions: 1_000, minimumHistoryAge: .seconds(30 * 86_400))
/// ```
///
/// A delta is removed when no minimum requires it any more. The minimums are checked after each snapshot,
/// so there is often more history than they require, never less. The beginning of a store stays as long
/// as its history has no more changes than the newest snapshot has entities, so a first import keeps its
/// own. Pure.
public struct SnapshotPolicy: Sendable, Equatable {
  /// The minimum size of deltas since the last snapshot, in bytes, from which on another one is taken.
  ///
  /// A snapshot writes the parts of the database again in which something changed. It is taken when the
  /// deltas are also as large as these.
  public var minimumJournalBytes: Int64
  /// The minimum size of the history, in bytes of deltas.
  public var minimumHistoryBytes: Int64
  /// The minimum number of revisions that can be gone back to.
  public var minimumHistoryRevisions: Int64
  /// The minimum age of the oldest moment that can be gone back to.
  ///
  /// It is counted from the times of the deltas, up to the last one. Between two neighbouring deltas at most one day counts,
  /// so a clock that jumps ahead removes no history.
  public var minimumHistoryAge: Duration
  /// Whether every delta and every snapshot is kept, whatever the other values are.
  public var keepsAllHistory: Bool
  /// The number of newest snapshots that are kept, with all deltas since the oldest of them.
  public var keep: Int

  /// Creates a policy; the defaults suit most programs.
  public init(
    minimumJournalBytes: Int64 = 1 << 20,
    minimumHistoryBytes: Int64 = 16 << 20,
    minimumHistoryRevisions: Int64 = 0,
    minimumHistoryAge: Duration = .zero,
    keepsAllHistory: Bool = false,
    keep: Int = 2
  ) {
    precondition(keep >= 2, "SnapshotPolicy.keep must be at least 2: one snapshot may be damaged.")
    self.minimumJournalBytes = minimumJournalBytes
    self.minimumHistoryBytes = minimumHistoryBytes
    self.minimumHistoryRevisions = minimumHistoryRevisions
    self.minimumHistoryAge = minimumHistoryAge
    self.keepsAllHistory = keepsAllHistory
    self.keep = keep
  }

  /// The size of deltas since the last snapshot from which on another one is due, given what it costs:
  /// the bytes it writes again, and a sixteenth of those it shares and only verifies.
  package func dueAt(rewriting: Int64, sharing: Int64) -> Int64 {
    max(minimumJournalBytes, rewriting + sharing / 16, 1)
  }

  /// What can be removed.
  package struct Trim: Equatable, Sendable {
    /// The snapshots that are not needed any more.
    package var snapshots: [Revision]
    /// The last delta that is not needed any more; 0 if all are needed.
    package var deltasThrough: Revision

    package init(snapshots: [Revision] = [], deltasThrough: Revision = 0) {
      self.snapshots = snapshots
      self.deltasThrough = deltasThrough
    }
  }

  /// What the policy has to know of a verified snapshot.
  package struct Candidate: Equatable, Sendable {
    package var revision: Revision
    /// Its ``HistoryAge`` at the last delta, in microseconds.
    package var age: Int64
    package var bytes: Int64
    package var entities: Int64
    /// The size of the deltas after it.
    package var journalBytes: Int64
    /// How many entities these deltas changed, each counted once for each delta.
    package var changes: Int64

    package init(
      revision: Revision,
      age: Int64 = 0,
      bytes: Int64,
      entities: Int64 = 0,
      journalBytes: Int64,
      changes: Int64 = 0
    ) {
      self.revision = revision
      self.age = age
      self.bytes = bytes
      self.entities = entities
      self.journalBytes = journalBytes
      self.changes = changes
    }
  }

  /// Decides what can be trimmed.
  ///
  /// Deltas are trimmed only up to a verified snapshot that is kept: the anchor, whose chain the remaining
  /// deltas continue. A named snapshot is always kept, and a consumer's deltas until it has read them.
  ///
  /// - Parameter verified: the verified snapshots, the newest first.
  package func trim(
    verified: [Candidate],
    named: Set<Revision>,
    slowestReader: Revision?
  ) -> Trim {
    guard !keepsAllHistory, verified.count >= keep, let newest = verified.first else {
      return Trim()
    }
    // A store that only grew.
    if let oldest = verified.last, oldest.revision == 0, oldest.changes <= newest.entities {
      return Trim()
    }
    let bytes = max(minimumHistoryBytes, newest.bytes)
    let revision = newest.revision.number - minimumHistoryRevisions
    let age = minimumHistoryAge.microseconds
    let anchor = verified.dropFirst(keep - 1).first { candidate in
      candidate.journalBytes >= bytes && candidate.revision.number <= revision
        && candidate.age >= age && slowestReader.map { candidate.revision <= $0 } ?? true
    }
    return anchor.map { Trim(to: $0.revision, of: verified.map(\.revision), named) } ?? Trim()
  }
}

extension SnapshotPolicy.Trim {
  /// Trims history up to a verified snapshot, which is kept.
  package init(to anchor: Revision, of verified: [Revision], _ named: Set<Revision>) {
    self.init(
      snapshots: verified.filter { $0 < anchor && !named.contains($0) },
      deltasThrough: anchor
    )
  }
}
