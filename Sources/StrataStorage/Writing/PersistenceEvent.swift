/// What happens to the file of a store while it is open.
public enum PersistenceEvent: Sendable, Equatable {
  /// Deltas up to this revision are in the file.
  case appended(through: Revision)
  /// A snapshot was written, read back and found whole.
  case snapshot(Revision)
  /// A snapshot or the trimming after it failed; the journal is not affected.
  case snapshotFailed(String)
  /// The disk refuses: the state goes on in memory, and the writer keeps trying.
  case degraded(PersistenceError.Reason)
  /// The disk is back and has everything up to this revision.
  case recovered(through: Revision)
  /// These entities changed in memory, but could not be encoded; their stored records are older.
  case notPersisted([NotPersisted])
}
