import Foundation
import StrataJournal
import StrataSQLite

/// How far a file that is being written to is on the medium: SQLite's WAL and its checkpoints, and the head, which says it.
struct Medium: ~Copyable {
  private let path: StorePath
  private let connection: Connection
  private var head: HeadFile
  private let bootID: UUID
  /// The files that are written to, even if another file has their names by now.
  private let files: [FileIdentity?]
  /// The last delta that is certainly on disk.
  private(set) var durable: HeadRecord.Mark
  private var isWALSynced = false
  /// How many frames SQLite's WAL had at its last checkpoint.
  private var framesCheckpointed = 0

  /// How many pages SQLite's WAL may hold before they are copied into the database: 8 MB.
  private static let checkpointFrames = 2_048
  /// How many more before the next attempt when a reader prevented a checkpoint: 1 MB.
  private static let framesToNextAttempt = 256
  /// From this size on, a checkpoint waits a moment for readers.
  private static let walLimit: Int64 = 64 << 20

  init(
    _ path: StorePath,
    _ connection: Connection,
    durable: HeadRecord.Mark,
    head: consuming HeadFile,
    _ bootID: UUID
  ) {
    self.path = path
    self.connection = connection
    self.durable = durable
    self.head = head
    self.bootID = bootID
    files = Self.files(at: path)
  }

  private static func files(at path: StorePath) -> [FileIdentity?] {
    [path.file, path.wal, path.lock].map { FileIdentity(ofFileAt: $0) }
  }

  /// Syncs what earlier writers have left in the WAL.
  ///
  /// It may be in the system's memory alone: a sync by the process that wrote it, this one or an earlier one,
  /// may have failed, and another sync would not report that.
  mutating func rewriteWAL() throws {
    if isWALSynced { return }
    try connection.rewriteWAL()
    isWALSynced = true
  }

  /// Writes the progress of the file to the head, without waiting for the disk.
  mutating func writeHead(_ identity: StoreIdentity, _ written: HeadRecord.Mark) throws {
    try head.write(
      HeadRecord(
        storeID: identity.id,
        lineage: identity.lineage,
        bootID: bootID,
        durable: durable,
        written: written
      )
    )
  }

  /// Returns when the head is on disk.
  mutating func syncHead() throws { try head.sync() }

  /// Returns when everything written is on disk.
  mutating func sync(_ identity: StoreIdentity, _ written: HeadRecord.Mark) throws {
    try connection.syncWAL()
    try noteSynced(identity, written)
  }

  /// Notes that SQLite has synced everything written, when that is on the medium.
  ///
  /// Throws when the files have lost their names: then no opening would find what was synced, or another
  /// writer could take the lock.
  private mutating func noteSynced(_ identity: StoreIdentity, _ written: HeadRecord.Mark) throws {
    guard Self.files(at: path) == files else {
      throw CorruptionError(
        """
        the file, its write-ahead log or its lock file was removed, moved or replaced while it was open
        """
      )
    }
    try head.completeSync()
    durable = written
    try writeHead(identity, written)
  }

  /// Copies SQLite's WAL into the database when it is large enough; returns nil when it is not.
  mutating func checkpointIfDue(
    _ identity: StoreIdentity,
    _ written: HeadRecord.Mark
  ) throws -> Connection.CheckpointResult? {
    // SQLite restarts the WAL once all of it is in the database and no reader uses it.
    if connection.walFrames < framesCheckpointed { framesCheckpointed = 0 }
    guard connection.walFrames - framesCheckpointed >= Self.checkpointFrames else { return nil }
    framesCheckpointed = connection.walFrames
    let mode: Connection.CheckpointMode = path.walSize > Self.walLimit ? .truncate : .passive
    let result = try connection.checkpoint(mode)
    // SQLite syncs its WAL before it copies. If a reader blocks every frame, it does neither.
    if !result.isComplete {
      try connection.syncWAL()
      // A checkpoint that waited is not repeated soon: one long reader must not delay every commit.
      if mode == .passive { framesCheckpointed -= Self.checkpointFrames - Self.framesToNextAttempt }
    }
    try noteSynced(identity, written)
    try head.sync()
    return result
  }

  /// Copies all of SQLite's WAL into the database, unless a reader prevents it.
  mutating func checkpointFully(_ identity: StoreIdentity, _ written: HeadRecord.Mark) throws {
    // If a reader prevents it, SQLite may not even have synced its WAL.
    if try !connection.checkpoint(.truncate).isComplete { try connection.syncWAL() }
    framesCheckpointed = 0
    try noteSynced(identity, written)
    try head.sync()
  }
}
