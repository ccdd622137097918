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
  /// These entities changed in memory but could not be encoded; the file has older records of them.
  case notPersisted([NotPersisted])
}
