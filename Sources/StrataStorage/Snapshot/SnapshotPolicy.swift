import StrataBase

/// When to fold the journal into a snapshot, and what to keep.
///
/// ```swift
/// SnapshotPolicy(minimumHistoryRevisions: 1_000, minimumHistoryAge: .seconds(30 * 86_400))
/// ```
///
/// A delta goes when none of the minimums wants it any more: they are looked at whenever a snapshot is
/// done, so what stays is more than they say, never less. Pure.
public struct SnapshotPolicy: Sendable, Equatable {
  /// How many bytes of deltas there must be since the last snapshot before another is taken.
  public var minimumJournalBytes: Int64
  /// How much history stays, at least, in bytes of deltas.
  public var minimumHistoryBytes: Int64
  /// How many of the last revisions can be gone back to, at least.
  public var minimumHistoryRevisions: Int64
  /// How long ago a moment may be that can be gone back to, at least, by the clock of the deltas.
  public var minimumHistoryAge: Duration
  /// Whether all history stays, whatever the other numbers are: every delta and every snapshot.
  public var keepsAllHistory: Bool
  /// How many of the newest snapshots stay, with all deltas since the oldest of them.
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
    precondition(keep >= 2, "SnapshotPolicy.keep must be at least 2: one may turn out broken.")
    self.minimumJournalBytes = minimumJournalBytes
    self.minimumHistoryBytes = minimumHistoryBytes
    self.minimumHistoryRevisions = minimumHistoryRevisions
    self.minimumHistoryAge = minimumHistoryAge
    self.keepsAllHistory = keepsAllHistory
    self.keep = keep
  }

  /// Whether it is time: there are deltas since the last snapshot, and they outweigh it and the minimum.
  package func isDue(journalBytes: Int64, lastSnapshotBytes: Int64) -> Bool {
    journalBytes >= max(minimumJournalBytes, lastSnapshotBytes, 1)
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
    /// Of its last delta, in microseconds since 1970.
    package var time: Int64
    package var bytes: Int64
    /// Of the deltas after it.
    package var journalBytes: Int64

    package init(revision: Revision, time: Int64 = 0, bytes: Int64, journalBytes: Int64) {
      self.revision = revision
      self.time = time
      self.bytes = bytes
      self.journalBytes = journalBytes
    }
  }

  /// Judges what may be trimmed.
  ///
  /// Deltas are only trimmed up to a verified snapshot that stays: it is the anchor their chain
  /// continues from. A named snapshot stays for ever, a consumer's deltas until it has read them.
  ///
  /// - Parameters:
  ///   - verified: the newest first.
  ///   - now: in microseconds since 1970.
  package func trim(
    verified: [Candidate],
    named: Set<Revision>,
    slowestConsumer: Revision?,
    now: Int64 = .max
  ) -> Trim {
    guard !keepsAllHistory, verified.count >= keep, let newest = verified.first else {
      return Trim()
    }
    let bytes = max(minimumHistoryBytes, newest.bytes)
    let revision = newest.revision.number - minimumHistoryRevisions
    let time = now - minimumHistoryAge.microseconds
    let anchor = verified.dropFirst(keep - 1).first { candidate in
      candidate.journalBytes >= bytes && candidate.revision.number <= revision
        && candidate.time <= time && slowestConsumer.map { candidate.revision <= $0 } ?? true
    }
    return anchor.map { Trim(to: $0.revision, of: verified.map(\.revision), named) } ?? Trim()
  }
}

extension SnapshotPolicy.Trim {
  /// Lets history begin at a verified snapshot that stays.
  package init(to anchor: Revision, of verified: [Revision], _ named: Set<Revision>) {
    self.init(
      snapshots: verified.filter { $0 < anchor && !named.contains($0) },
      deltasThrough: anchor
    )
  }
}

extension Duration {
  /// Whole microseconds; as many as there can be when there are more.
  fileprivate var microseconds: Int64 {
    let (seconds, attoseconds) = components
    let (whole, overflows) = seconds.multipliedReportingOverflow(by: 1_000_000)
    return overflows ? .max : whole &+ attoseconds / 1_000_000_000_000
  }
}
