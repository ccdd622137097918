import CStrataSQLite

/// A failure of SQLite: the operation, the file, and SQLite's code and message.
///
/// It never contains bound values or content of rows, so it may be logged.
package struct SQLiteError: Error, Equatable, Sendable {
  /// The operation that failed.
  package enum Operation: String, Sendable {
    case open, configure, prepare, bind, step, read
    case begin, commit, rollback
    case checkpoint, sync, maintain, backup, close
  }

  /// The extended result code.
  package let code: ResultCode
  /// The operation that failed.
  ///
  /// After `.commit` the outcome is unknown until the file is read again.
  package let operation: Operation
  /// SQLite's message, or the wrapper's where SQLite has none.
  package let message: String
  /// The text of the statement, without values; nil where no statement was involved.
  package let sql: String?
  /// The path that was passed to `Connection.init`.
  package let path: String
  /// `errno` of the failed system call; 0 where there was none.
  package let systemErrno: Int32

  /// Whether what the file holds is wrong, and not the disk or the caller's timing.
  package var isOfContents: Bool {
    [.error, .corrupt, .notADB, .mismatch, .tooBig, .range, .interrupt].contains(code.primary)
  }

  /// Whether an index that contradicts its table may be the cause: SQLite refuses a row, or finds none.
  package var mayBeOfIndex: Bool { [.corrupt, .constraint].contains(code.primary) }

  /// Creates an error.
  package init(
    code: ResultCode,
    operation: Operation,
    message: String,
    sql: String? = nil,
    path: String,
    systemErrno: Int32 = 0
  ) {
    self.code = code
    self.operation = operation
    self.message = message
    self.sql = sql
    self.path = path
    self.systemErrno = systemErrno
  }

  /// Creates an error with the message of the last failed call on a connection.
  init(
    _ status: Int32,
    on handle: OpaquePointer?,
    operation: Operation,
    sql: String?,
    path: String
  ) {
    let code = ResultCode(rawValue: status)
    let hasSystemErrno = code.primary == .ioerr || code.primary == .cantOpen
    self.init(
      code: code,
      operation: operation,
      message: handle.map { String(cString: sqlite3_errmsg($0)) } ?? Self.message(for: status),
      sql: sql,
      path: path,
      systemErrno: hasSystemErrno ? handle.map { sqlite3_system_errno($0) } ?? 0 : 0
    )
  }

  /// SQLite's message for a code, for calls that store no message on the connection.
  static func message(for status: Int32) -> String {
    sqlite3_errstr(status).map { String(cString: $0) } ?? "unknown error"
  }
}

extension SQLiteError: CustomStringConvertible {
  /// One line: the operation, the reason, the file and the start of the statement.
  package var description: String {
    var text = "\(operation.rawValue) failed: \(message) (\(code)"
    if systemErrno != 0 { text += ", errno \(systemErrno)" }
    text += ") in \(path)"
    if let sql {
      let shown = sql.prefix(200)
      text += ": \(shown)\(shown.endIndex == sql.endIndex ? "" : " …")"
    }
    return text
  }
}
