public import Foundation
public import StrataJournal

/// An event of a store's file while it is open.
public enum PersistenceEvent: Sendable, Equatable {
  /// Deltas up to this revision are in the file.
  case appended(through: Revision)
  /// A snapshot was written, read back and verified.
  case snapshot(Revision)
  /// History was removed: the deltas up to this revision, as the policy allows it.
  case trimmed(through: Revision)
  /// A snapshot or the trimming after it failed; the journal is not affected.
  case snapshotFailed(String)
  /// Writing failed: the store continues in memory, and the writer keeps trying.
  case degraded(PersistenceError.Reason)
  /// The disk works again and has everything up to this revision.
  case recovered(through: Revision)
  /// This process leads the archive, in this epoch.
  case leading(epoch: Int64)
  /// The archive has everything up to this revision.
  case replicated(through: Revision)
  /// Commits have not reached the archive since then; they go on, and it is tried again. `ArchiveStatus.Condition` says
  /// whether it is out of reach or has failed.
  case archiveAway(since: Date, String)
  /// The archive can be reached again.
  case archiveBack
  /// The archive got a snapshot instead of these revisions, whose deltas the file no longer had.
  case archiveGap(ClosedRange<Revision>)
  /// Another process leads the archive: further commits are refused, and those that the archive lacks stay in the
  /// file.
  case notLeading(by: String)
  /// These entities changed in memory but could not be encoded; the file has older records of them.
  case notPersisted([NotPersisted])
}

extension PersistenceEvent: BroadcastEvent {
  package func absorbing(_ earlier: PersistenceEvent) -> PersistenceEvent? {
    switch (self, earlier) {
    case (.appended, .appended), (.snapshot, .snapshot), (.trimmed, .trimmed),
      (.recovered, .recovered),
      (.snapshotFailed, .snapshotFailed), (.degraded, .degraded), (.leading, .leading),
      (.replicated, .replicated), (.archiveAway, .archiveAway), (.archiveBack, .archiveBack),
      (.notLeading, .notLeading):
      self
    case (.notPersisted(let later), .notPersisted(let entities)):
      .notPersisted(entities.filter { !later.contains($0) } + later)
    default: nil
    }
  }
}
