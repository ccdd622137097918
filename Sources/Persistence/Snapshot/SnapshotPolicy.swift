/// When to fold the journal into a snapshot, and what to keep.
///
/// Pure.
public struct SnapshotPolicy: Sendable, Equatable {
  /// How many bytes of deltas there must be since the last snapshot before another is taken.
  public var minimumJournalBytes: Int64
  /// How much history stays, at least, in bytes of deltas.
  public var minimumHistoryBytes: Int64
  /// How many of the newest snapshots stay, with all deltas since the oldest of them.
  public var keep: Int

  /// Creates a policy; the defaults suit most programs.
  public init(
    minimumJournalBytes: Int64 = 1 << 20,
    minimumHistoryBytes: Int64 = 16 << 20,
    keep: Int = 2
  ) {
    precondition(keep >= 2, "SnapshotPolicy.keep must be at least 2: one may turn out broken.")
    self.minimumJournalBytes = minimumJournalBytes
    self.minimumHistoryBytes = minimumHistoryBytes
    self.keep = keep
  }

  /// Whether it is time: the deltas since the last snapshot outweigh it, and the minimum.
  package func isDue(journalBytes: Int64, lastSnapshotBytes: Int64) -> Bool {
    journalBytes >= max(minimumJournalBytes, lastSnapshotBytes)
  }

  /// What may go.
  package struct Trim: Equatable, Sendable {
    /// Snapshots that are not needed any more.
    package var snapshots: [Revision]
    /// The last delta that is not needed any more; 0 when all are.
    package var deltasThrough: Revision

    package init(snapshots: [Revision] = [], deltasThrough: Revision = 0) {
      self.snapshots = snapshots
      self.deltasThrough = deltasThrough
    }
  }

  /// A verified snapshot as the policy sees it.
  package struct Candidate: Equatable, Sendable {
    package var revision: Revision
    package var bytes: Int64
    /// Of the deltas after it.
    package var journalBytes: Int64

    package init(revision: Revision, bytes: Int64, journalBytes: Int64) {
      self.revision = revision
      self.bytes = bytes
      self.journalBytes = journalBytes
    }
  }

  /// Judges what may be trimmed.
  ///
  /// Deltas are only trimmed up to a verified snapshot that stays: it is the anchor their chain
  /// continues from. A named snapshot stays for ever, a consumer's deltas until it has read them.
  ///
  /// - Parameter verified: the newest first.
  package func trim(
    verified: [Candidate],
    named: Set<Revision>,
    slowestConsumer: Revision?
  ) -> Trim {
    guard verified.count >= keep, let newest = verified.first else { return Trim() }
    let history = max(minimumHistoryBytes, newest.bytes)
    let old = verified.dropFirst(keep - 1)
    let anchor = old.first { candidate in
      candidate.journalBytes >= history
        && slowestConsumer.map { candidate.revision <= $0 } ?? true
    }
    guard let anchor else { return Trim() }
    let unneeded = verified.filter { $0.revision < anchor.revision && !named.contains($0.revision) }
    return Trim(snapshots: unneeded.map(\.revision), deltasThrough: anchor.revision)
  }
}
