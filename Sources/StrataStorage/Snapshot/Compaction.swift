/// What a compaction came to.
public struct Compaction: Sendable, Equatable {
  /// The snapshot that was taken, or was there: of everything committed before.
  public let snapshot: Revision
  /// From where on history goes on: earlier states are those of named snapshots alone.
  ///
  /// Earlier than `snapshot` where somebody was still reading.
  public let historyFrom: Revision
  /// The size of the database file and of SQLite's log beside it, before.
  public let bytesBefore: Int64
  /// Their size after.
  public let bytesAfter: Int64
}
