/// An extended result code of SQLite (`sqlite.org/rescode.html`).
///
/// A code without a name here is still complete in `rawValue`.
package struct ResultCode: RawRepresentable, Hashable, Sendable {
  /// The extended code, as returned by SQLite.
  package let rawValue: Int32

  /// Creates a value from a primary or extended code.
  package init(rawValue: Int32) {
    self.rawValue = rawValue
  }

  private init(_ primary: Int32, detail: Int32 = 0) {
    rawValue = primary | (detail << 8)
  }

  /// The low byte: the failure without its detail.
  package var primary: ResultCode { ResultCode(rawValue & 0xff) }
}

extension ResultCode {
  /// Success.
  package static let ok = ResultCode(0)
  /// A generic error, most often of the SQL text.
  package static let error = ResultCode(1)
  /// SQLite rolled the transaction back by itself.
  package static let abortRollback = ResultCode(4, detail: 2)
  /// Another connection holds the lock.
  package static let busy = ResultCode(5)
  /// A read transaction cannot become a write transaction, because another connection has written since.
  package static let busySnapshot = ResultCode(5, detail: 2)
  /// Another statement of the same connection is in the way.
  package static let locked = ResultCode(6)
  /// Memory could not be allocated, or the limit of ``SQLiteHeap`` was reached.
  package static let noMemory = ResultCode(7)
  /// The file, the mode or `query_only` refuses writing.
  package static let readOnly = ResultCode(8)
  /// The operation was interrupted.
  package static let interrupt = ResultCode(9)
  /// The operating system reported an I/O error.
  package static let ioerr = ResultCode(10)
  /// Reading failed.
  package static let ioerrRead = ResultCode(10, detail: 1)
  /// The file ended before all bytes were read; the rest of the buffer is cleared.
  package static let ioerrShortRead = ResultCode(10, detail: 2)
  /// The length of the file could not be read.
  package static let ioerrFstat = ResultCode(10, detail: 7)
  /// Closing failed.
  package static let ioerrClose = ResultCode(10, detail: 16)
  /// Writing failed.
  package static let ioerrWrite = ResultCode(10, detail: 3)
  /// Syncing failed: what was written since the last sync may be lost, even if a later sync succeeds.
  package static let ioerrFsync = ResultCode(10, detail: 4)
  /// Syncing the directory failed.
  package static let ioerrDirFsync = ResultCode(10, detail: 5)
  /// Changing the length of the file failed.
  package static let ioerrTruncate = ResultCode(10, detail: 6)
  /// The database file is malformed.
  package static let corrupt = ResultCode(11)
  /// The disk, or the database's own page limit, is full.
  package static let full = ResultCode(13)
  /// The file, or one beside it, could not be opened.
  package static let cantOpen = ResultCode(14)
  /// A string or blob exceeds the limit.
  package static let tooBig = ResultCode(18)
  /// A constraint was violated.
  package static let constraint = ResultCode(19)
  /// A row with the same primary key exists.
  package static let constraintPrimaryKey = ResultCode(19, detail: 6)
  /// A row with the same unique value exists.
  package static let constraintUnique = ResultCode(19, detail: 8)
  /// A column holds another storage class than requested.
  package static let mismatch = ResultCode(20)
  /// An incorrect use of this wrapper or of SQLite.
  package static let misuse = ResultCode(21)
  /// The statement is not permitted here.
  package static let auth = ResultCode(23)
  /// A parameter or column index is out of range.
  package static let range = ResultCode(25)
  /// The file is not an SQLite database.
  package static let notADB = ResultCode(26)
}

extension ResultCode: CustomStringConvertible {
  private static let names: [ResultCode: String] = [
    .ok: "SQLITE_OK", .error: "SQLITE_ERROR", .abortRollback: "SQLITE_ABORT_ROLLBACK",
    .busy: "SQLITE_BUSY", .busySnapshot: "SQLITE_BUSY_SNAPSHOT", .locked: "SQLITE_LOCKED",
    .noMemory: "SQLITE_NOMEM",
    .readOnly: "SQLITE_READONLY", .interrupt: "SQLITE_INTERRUPT", .ioerr: "SQLITE_IOERR",
    .ioerrRead: "SQLITE_IOERR_READ", .ioerrWrite: "SQLITE_IOERR_WRITE",
    .ioerrFsync: "SQLITE_IOERR_FSYNC", .ioerrDirFsync: "SQLITE_IOERR_DIR_FSYNC",
    .ioerrTruncate: "SQLITE_IOERR_TRUNCATE", .corrupt: "SQLITE_CORRUPT", .full: "SQLITE_FULL",
    .cantOpen: "SQLITE_CANTOPEN", .tooBig: "SQLITE_TOOBIG", .constraint: "SQLITE_CONSTRAINT",
    .constraintPrimaryKey: "SQLITE_CONSTRAINT_PRIMARYKEY",
    .constraintUnique: "SQLITE_CONSTRAINT_UNIQUE", .mismatch: "SQLITE_MISMATCH",
    .misuse: "SQLITE_MISUSE", .auth: "SQLITE_AUTH", .range: "SQLITE_RANGE",
    .notADB: "SQLITE_NOTADB",
  ]

  /// SQLite's name of the code with its number.
  package var description: String {
    if let name = Self.names[self] { return "\(name) \(rawValue)" }
    if let name = Self.names[primary] { return "\(name) \(rawValue)" }
    return "SQLite result \(rawValue)"
  }
}
