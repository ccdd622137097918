public import StrataJournal

/// The result of a compaction.
public struct Compaction: Sendable, Equatable {
  /// The snapshot of everything committed before, which was taken or existed already.
  public let snapshot: Revision
  /// The start of the history that is left: of earlier states only named snapshots are left.
  ///
  /// Earlier than `snapshot` if history was being read.
  public let historyFrom: Revision
  /// The size of the database file and SQLite's WAL before.
  public let bytesBefore: Int64
  /// Their size afterwards.
  public let bytesAfter: Int64
}
