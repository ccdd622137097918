extension Connection {
  /// Whether a file held a database when it was opened.
  package enum FileOrigin: Sendable {
    case new, existing
  }

  /// Makes this connection the writer of the file, and creates the database if the file has no pages.
  ///
  /// A new file gets pages of 4096 bytes, incremental auto-vacuum (which a file can get later only by a
  /// `VACUUM`) and its header, the last two in one transaction. Every file gets these settings
  /// (`sqlite.org/pragma.html`):
  ///
  /// - WAL mode.
  /// - `synchronous=NORMAL`: a commit survives the end of the process, and ``syncWAL()`` makes it survive
  ///   a power cut.
  /// - No automatic checkpoints, since the caller decides when.
  /// - A WAL file of at most 32 MB after a checkpoint.
  /// - Overwriting of freed content where it costs no extra I/O.
  ///
  /// An existing file keeps its header: the caller checks it first.
  ///
  /// - Throws: `.notADB`, `.corrupt`, `.busy` and I/O errors of reading page 1; an error with the
  ///   operation `.configure` when WAL mode is not available, as on file systems without shared memory.
  @discardableResult
  package func configureWriter(newFile header: FileHeader) throws(SQLiteError) -> FileOrigin {
    let origin: FileOrigin = try pageCount() == 0 ? .new : .existing
    if origin == .new { try createDatabase(header) }
    let mode = try pragma("journal_mode=WAL")
    guard mode == .text("wal") else {
      throw SQLiteError(
        code: .error,
        operation: .configure,
        message: "WAL mode is not available: the journal mode is \(mode)",
        path: path
      )
    }
    for pragma in [
      "synchronous=NORMAL", "wal_autocheckpoint=0", "journal_size_limit=33554432",
      "secure_delete=FAST",
    ] {
      try setPragma(pragma)
    }
    try countWALFrames()
    return origin
  }

  /// Creates the database, where there is none yet, with what ``configureWriter(newFile:)`` gives a new file.
  package func createDatabase(_ header: FileHeader) throws(SQLiteError) {
    try setPragma("page_size=4096")
    try setPragma("auto_vacuum=INCREMENTAL")
    try transaction { () throws(SQLiteError) in
      try setApplicationID(header.applicationID)
      try setUserVersion(header.userVersion)
    }
  }
}
