import CStrataSQLite

/// How hard a checkpoint tries.
package enum CheckpointMode: Sendable {
  /// Copies what nobody is in the way of, and waits for nobody.
  case passive
  /// Waits for readers, a quarter of a second at most, copies everything and empties the WAL file.
  case truncate
}

/// What a checkpoint found and did, in frames of one page each.
package struct CheckpointResult: Equatable, Sendable {
  /// Frames in the WAL after the checkpoint; 0 after a complete `.truncate`.
  package let walFrames: Int
  /// How many of them are in the database.
  package let checkpointedFrames: Int
  /// Whether a reader or another checkpoint kept it from finishing: try again later.
  package let isBusy: Bool

  /// Describes the outcome of a checkpoint.
  package init(walFrames: Int, checkpointedFrames: Int, isBusy: Bool) {
    self.walFrames = walFrames
    self.checkpointedFrames = checkpointedFrames
    self.isBusy = isBusy
  }

  /// Whether every frame is in the database.
  package var isComplete: Bool { !isBusy && walFrames == checkpointedFrames }
}

extension Connection {
  private static let checkpointTimeoutMilliseconds: Int32 = 250

  /// Copies the WAL into the database (`sqlite.org/c3ref/wal_checkpoint_v2.html`).
  ///
  /// With `synchronous=NORMAL` SQLite syncs the WAL before and the database after. Only the one
  /// connection that writes may call it: two at once can lose commits in SQLite 3.7.0 to 3.51.2
  /// (`sqlite.org/wal.html#walresetbug`). A database not in WAL mode gives 0 frames.
  ///
  /// - Throws: `.locked` inside a transaction, `.ioerr` and its kin; being busy is a result, no error.
  @discardableResult
  package func checkpoint(_ mode: CheckpointMode) throws(SQLiteError) -> CheckpointResult {
    let handle = try requireHandle(.checkpoint)
    let mode = mode == .passive ? SQLITE_CHECKPOINT_PASSIVE : SQLITE_CHECKPOINT_TRUNCATE
    var frames: Int32 = 0
    var copied: Int32 = 0
    // A reader of ours is done by then; one who stays is not worth the writer's time.
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

  /// Makes every commit before this call survive a power cut: one sync of the WAL file.
  ///
  /// This is how SQLite's developers say to make commits under `synchronous=NORMAL` durable: take the
  /// journal's file, call its `xSync` (`sqlite.org/forum/forumpost/d1a6bc7c4cd2baca`). From there too
  /// comes asking for a column's metadata first: it opens the WAL on a connection that has read nothing
  /// yet. `SQLITE_SYNC_FULL` asks for `F_FULLFSYNC` on Apple's systems, where a plain `fsync` does not
  /// reach the medium, and is the same as `NORMAL` elsewhere (`sqlite.org/c3ref/c_sync_dataonly.html`);
  /// `DATAONLY` is not asked for, as SQLite does not for a WAL, since the file's length must be durable.
  ///
  /// Outside WAL mode it does nothing: there a commit under `NORMAL` is durable when it returns. Inside a
  /// transaction it covers the commits before it.
  ///
  /// - Throws: `.ioerrFsync`. What was written since the last successful sync may then be lost even if a
  ///   later call succeeds: close, reopen and compare instead of calling again.
  package func syncWAL() throws(SQLiteError) {
    guard let file = try walFile() else { return }
    try check(file.pointee.pMethods.pointee.xSync?(file, SQLITE_SYNC_FULL))
  }

  /// Writes every byte of the WAL anew as it is, and syncs it: O(bytes of the WAL).
  ///
  /// After a sync that failed, a later one that succeeds says nothing of what the failed one was to save:
  /// Linux marks such pages clean, so they are in memory alone (`lwn.net/Articles/752063`). Written again
  /// they are dirty again. A power cut on the way finds each byte as it was or as it was to be. An empty
  /// WAL is left alone.
  ///
  /// Only for the one connection that writes, outside a transaction; whoever else would write waits.
  ///
  /// - Throws: `.ioerrRead`, `.ioerrWrite`, `.ioerrFsync`; then it is to be done again.
  package func rewriteWAL() throws(SQLiteError) {
    guard let file = try walFile() else { return }
    try transaction { () throws(SQLiteError) in try rewrite(file) }
  }

  private func rewrite(_ file: UnsafeMutablePointer<sqlite3_file>) throws(SQLiteError) {
    let methods = file.pointee.pMethods.pointee
    var size: sqlite3_int64 = 0
    try check(methods.xFileSize?(file, &size))
    if size == 0 { return }
    // As much as the largest page: SQLite's writing takes no more than 128 KB at once.
    var piece = [UInt8](repeating: 0, count: 1 << 16)
    var offset: sqlite3_int64 = 0
    while offset < size {
      let count = Int32(min(size - offset, sqlite3_int64(piece.count)))
      let status = piece.withUnsafeMutableBytes { bytes in
        let status = methods.xRead?(file, bytes.baseAddress, count, offset)
        return status == SQLITE_OK
          ? methods.xWrite?(file, bytes.baseAddress, count, offset) : status
      }
      try check(status)
      offset += sqlite3_int64(count)
    }
    try check(methods.xSync?(file, SQLITE_SYNC_FULL))
  }

  /// SQLite's WAL, opened; nil outside WAL mode.
  private func walFile() throws(SQLiteError) -> UnsafeMutablePointer<sqlite3_file>? {
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

  /// Throws for what a method of the WAL's file gave.
  private func check(_ status: Int32?) throws(SQLiteError) {
    let status = status ?? SQLITE_IOERR
    guard status != SQLITE_OK else { return }
    throw SQLiteError(
      code: ResultCode(rawValue: status),
      operation: .sync,
      message: SQLiteError.sentence(for: status),
      path: path,
      systemErrno: sqlite3_system_errno(try requireHandle(.sync))
    )
  }
}

/// How many frames SQLite's WAL held after the last commit of a connection.
final class WALMeter {
  var frames = 0
}

extension Connection {
  /// How many frames, of one page each, the WAL held after the last commit of this connection.
  ///
  /// O(1). Checkpointed frames count until SQLite starts the WAL anew with a later commit. Zero before
  /// `configureWriter`.
  package var walFrames: Int { walMeter.frames }

  /// Keeps ``walFrames`` up to date from here on.
  ///
  /// SQLite has one such hook a connection, which its own automatic checkpoints would take
  /// (`sqlite.org/c3ref/wal_hook.html`), so it is set after they are turned off.
  func meterWAL() throws(SQLiteError) {
    let meter = Unmanaged.passUnretained(walMeter).toOpaque()
    sqlite3_wal_hook(
      try requireHandle(.configure),
      { meter, _, _, frames in
        if let meter {
          Unmanaged<WALMeter>.fromOpaque(meter).takeUnretainedValue().frames = Int(frames)
        }
        return SQLITE_OK
      },
      meter
    )
  }
}
