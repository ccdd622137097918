/// What is written into the header of a file before its first table exists.
package struct FileHeader: Equatable, Sendable {
  /// The number by which `file(1)` and we tell our files from other SQLite files (offset 68).
  package let applicationID: Int32
  /// The version of the file's schema (offset 60).
  package let userVersion: Int32

  /// A header; a file whose migrations have not run yet is of version 0.
  package init(applicationID: Int32, userVersion: Int32 = 0) {
    self.applicationID = applicationID
    self.userVersion = userVersion
  }
}

/// Whether a file held a database when it was opened.
package enum FileOrigin: Sendable {
  case new, existing
}

extension Connection {
  /// Makes this connection the file's writer, and a file of no pages a database.
  ///
  /// A new file gets pages of 4096 bytes, incremental auto-vacuum (which cannot be had later without a
  /// `VACUUM`) and its header, the last two in one transaction. Then, for every file: WAL;
  /// `synchronous=NORMAL`, under which a commit survives the process and `syncWAL()` makes it survive
  /// the power; no automatic checkpoints, since the owner decides when; a WAL of at most 32 MB after a
  /// checkpoint; freed content overwritten where that costs no extra I/O (`sqlite.org/pragma.html`).
  ///
  /// An existing file keeps its header, whatever it is: the caller judges it first.
  ///
  /// - Throws: `.notADB`, `.corrupt`, `.busy` and I/O errors of reading page 1; `.configure` when the
  ///   file cannot be had in WAL mode, as on file systems without shared memory.
  @discardableResult
  package func configureWriter(newFile header: FileHeader) throws(SQLiteError) -> FileOrigin {
    let origin: FileOrigin = try pageCount() == 0 ? .new : .existing
    if origin == .new {
      try setPragma("page_size=4096")
      try setPragma("auto_vacuum=INCREMENTAL")
      try transaction { () throws(SQLiteError) in
        try setApplicationID(header.applicationID)
        try setUserVersion(header.userVersion)
      }
    }
    let mode = try pragma("journal_mode=WAL")
    guard mode == .text("wal") else {
      throw SQLiteError(
        code: .error,
        operation: .configure,
        message: "the journal mode stayed \(mode), not wal",
        path: path
      )
    }
    for pragma in [
      "synchronous=NORMAL", "wal_autocheckpoint=0", "journal_size_limit=33554432",
      "secure_delete=FAST",
    ] {
      try setPragma(pragma)
    }
    try meterWAL()
    return origin
  }
}
