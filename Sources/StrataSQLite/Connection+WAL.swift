import CStrataSQLite
import Foundation

extension Connection {
  /// Whether a checkpoint waits for readers.
  package enum CheckpointMode: Sendable {
    /// Copies the frames that no reader still needs, without waiting.
    case passive
    /// Waits for readers, 250 ms at most, then copies all frames and empties the WAL file.
    case truncate
  }

  /// The outcome of a checkpoint, in frames of one page each.
  package struct CheckpointResult: Equatable, Sendable {
    /// The frames in the WAL after the checkpoint; 0 after a complete `.truncate`.
    package let walFrames: Int
    /// How many of them are in the database.
    package let checkpointedFrames: Int
    /// Whether a reader or another checkpoint prevented it from completing; try again later.
    package let isBusy: Bool

    /// Creates a result.
    package init(walFrames: Int, checkpointedFrames: Int, isBusy: Bool) {
      self.walFrames = walFrames
      self.checkpointedFrames = checkpointedFrames
      self.isBusy = isBusy
    }

    /// Whether every frame is in the database.
    package var isComplete: Bool { !isBusy && walFrames == checkpointedFrames }
  }

  private static let checkpointTimeoutMilliseconds: Int32 = 250

  /// Copies the WAL into the database (`sqlite.org/c3ref/wal_checkpoint_v2.html`).
  ///
  /// With `synchronous=NORMAL` SQLite syncs the WAL before the copy and the database after it. Only the
  /// connection that writes may call this: two concurrent checkpoints can lose commits in SQLite 3.7.0 to
  /// 3.51.2 (`sqlite.org/wal.html#walresetbug`). A database that is not in WAL mode has 0 frames.
  ///
  /// - Throws: `.locked` inside a transaction, and I/O errors. A busy database is a result, not an error.
  @discardableResult
  package func checkpoint(_ mode: CheckpointMode) throws(SQLiteError) -> CheckpointResult {
    let handle = try requireHandle(.checkpoint)
    let mode = mode == .passive ? SQLITE_CHECKPOINT_PASSIVE : SQLITE_CHECKPOINT_TRUNCATE
    var frames: Int32 = 0
    var copied: Int32 = 0
    // Readers of this library finish within that time. The writer does not wait for longer ones.
    sqlite3_busy_timeout(handle, Self.checkpointTimeoutMilliseconds)
    let status = sqlite3_wal_checkpoint_v2(handle, "main", mode, &frames, &copied)
    sqlite3_busy_timeout(handle, Self.busyTimeoutMilliseconds)
    guard status == SQLITE_OK || status & 0xff == SQLITE_BUSY else {
      throw failure(status, .checkpoint)
    }
    return CheckpointResult(
      walFrames: Int(max(frames, 0)),
      checkpointedFrames: Int(max(copied, 0)),
      isBusy: status != SQLITE_OK
    )
  }

  /// Makes every commit before this call durable with one sync of the WAL file.
  ///
  /// SQLite's developers recommend this for `synchronous=NORMAL`: get the journal's file and call its
  /// `xSync` (`sqlite.org/forum/forumpost/d1a6bc7c4cd2baca`). The same post recommends to read a column's
  /// metadata first, which opens the WAL on a connection that has read nothing yet. `SQLITE_SYNC_FULL`
  /// requests `F_FULLFSYNC` on Apple's systems, where `fsync` alone does not reach the medium. The SQLite that they come
  /// with answers it with a barrier, so a caller must complete the sync on a file of its own. Elsewhere
  /// it equals `NORMAL` (`sqlite.org/c3ref/c_sync_dataonly.html`). `DATAONLY` is not requested, because
  /// the length of the file must be durable. SQLite does not use it for a WAL either.
  ///
  /// Outside WAL mode this has no effect: there a commit under `NORMAL` is durable when it returns.
  /// Inside a transaction it covers the commits before it.
  ///
  /// - Throws: `.ioerrFsync`. What was written since the last successful sync may then be lost, even if a
  ///   later call succeeds. Close, reopen and compare instead of calling again.
  package func syncWAL() throws(SQLiteError) {
    guard let file = try walFile() else { return }
    try check(file.pointee.pMethods.pointee.xSync?(file, SQLITE_SYNC_FULL))
  }

  /// Writes every byte of the WAL again, unchanged, and syncs it.
  ///
  /// O(bytes of the WAL). After a failed sync, a later successful one does not cover the pages of the
  /// failed one: Linux marks them clean, so they are only in memory (`lwn.net/Articles/752063`). Writing
  /// them again makes them dirty again. A power cut meanwhile leaves the old or the new value of each
  /// byte, which are the same. An empty WAL is not touched.
  ///
  /// Only for the connection that writes, outside a transaction. It takes the write lock.
  ///
  /// - Throws: `.ioerrRead`, `.ioerrWrite`, `.ioerrFsync`; then call it again.
  package func rewriteWAL() throws(SQLiteError) {
    guard let file = try walFile() else { return }
    try transaction { () throws(SQLiteError) in try rewrite(file) }
  }

  private func rewrite(_ file: UnsafeMutablePointer<sqlite3_file>) throws(SQLiteError) {
    let methods = file.pointee.pMethods.pointee
    var size: sqlite3_int64 = 0
    try check(methods.xFileSize?(file, &size))
    if size == 0 { return }
    // The size of the largest page. SQLite writes at most 128 KB at once.
    var piece = [UInt8](repeating: 0, count: 1 << 16)
    var offset: sqlite3_int64 = 0
    // A hole stays one: after two pieces of zeros, which are longer than a frame with its header, no frame follows.
    var zeros = 0
    while offset < size {
      let count = Int32(min(size - offset, sqlite3_int64(piece.count)))
      let status = piece.withUnsafeMutableBytes { bytes in
        let status = methods.xRead?(file, bytes.baseAddress, count, offset)
        guard status == SQLITE_OK else { return status }
        let isZero = Self.isZero(bytes, Int(count))
        zeros = isZero ? zeros + 1 : 0
        return zeros > 2 ? status : methods.xWrite?(file, bytes.baseAddress, count, offset)
      }
      try check(status)
      offset += sqlite3_int64(count)
    }
    try check(methods.xSync?(file, SQLITE_SYNC_FULL))
  }

  /// Whether the first bytes are all zero: the first one is, and each is like the one before it.
  private static func isZero(_ bytes: UnsafeMutableRawBufferPointer, _ count: Int) -> Bool {
    guard let start = bytes.baseAddress, bytes.first == 0 else { return false }
    return memcmp(start, start + 1, count - 1) == 0
  }

  /// The file of the database, as SQLite has it open.
  func databaseFile() throws(SQLiteError) -> UnsafeMutablePointer<sqlite3_file> {
    var file: UnsafeMutablePointer<sqlite3_file>?
    let status = sqlite3_file_control(
      try requireHandle(.read),
      "main",
      SQLITE_FCNTL_FILE_POINTER,
      &file
    )
    guard status == SQLITE_OK, let file, file.pointee.pMethods != nil else {
      throw failure(status == SQLITE_OK ? SQLITE_CANTOPEN : status, .read)
    }
    return file
  }

  /// Opens and returns SQLite's WAL; nil outside WAL mode.
  func walFile() throws(SQLiteError) -> UnsafeMutablePointer<sqlite3_file>? {
    let handle = try requireHandle(.sync)
    var status = sqlite3_table_column_metadata(
      handle,
      "main",
      "sqlite_schema",
      nil,
      nil,
      nil,
      nil,
      nil,
      nil
    )
    guard status == SQLITE_OK else { throw failure(status, .sync) }
    var file: UnsafeMutablePointer<sqlite3_file>?
    status = sqlite3_file_control(handle, "main", SQLITE_FCNTL_JOURNAL_POINTER, &file)
    guard status == SQLITE_OK else { throw failure(status, .sync) }
    // A journal that is not open has no methods.
    return file.flatMap { $0.pointee.pMethods == nil ? nil : $0 }
  }

  /// Throws for a failure of a method of the WAL's file.
  private func check(_ status: Int32?) throws(SQLiteError) {
    let status = status ?? SQLITE_IOERR
    guard status != SQLITE_OK else { return }
    throw SQLiteError(
      code: ResultCode(rawValue: status),
      operation: .sync,
      message: SQLiteError.message(for: status),
      path: path,
      systemErrno: sqlite3_system_errno(try requireHandle(.sync))
    )
  }
}

extension Connection {
  /// The number of frames in the WAL after the last commit of a connection.
  final class WALFrameCount {
    var frames = 0
  }

  /// The number of frames, of one page each, in the WAL after the last commit of this connection.
  ///
  /// O(1). Checkpointed frames count until a later commit makes SQLite restart the WAL. 0 before
  /// `configureWriter`.
  package var walFrames: Int { walFrameCount.frames }

  /// Keeps ``walFrames`` up to date from here on.
  ///
  /// SQLite has one such hook per connection, which automatic checkpoints use too
  /// (`sqlite.org/c3ref/wal_hook.html`), so it is set after they are turned off.
  func countWALFrames() throws(SQLiteError) {
    let count = Unmanaged.passUnretained(walFrameCount).toOpaque()
    sqlite3_wal_hook(
      try requireHandle(.configure),
      { count, _, _, frames in
        if let count {
          Unmanaged<WALFrameCount>.fromOpaque(count).takeUnretainedValue().frames = Int(frames)
        }
        return SQLITE_OK
      },
      count
    )
  }
}
