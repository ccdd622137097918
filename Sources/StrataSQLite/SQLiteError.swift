import CStrataSQLite

/// A failure of SQLite: what was being done, to which file, and what SQLite said about it.
///
/// It never holds bound values or anything read from rows, so it may be logged.
package struct SQLiteError: Error, Equatable, Sendable {
  /// What was being done when it failed.
  package enum Operation: String, Sendable {
    case open, configure, prepare, bind, step, read
    case begin, commit, rollback
    case checkpoint, sync, maintain, backup, close
  }

  /// The extended result code.
  package let code: ResultCode
  /// What was being done.
  ///
  /// After `.commit` the outcome is unknown until the file is read again.
  package let operation: Operation
  /// SQLite's sentence, or the wrapper's where SQLite has none.
  package let message: String
  /// The text of the statement without its values; nil where no statement was involved.
  package let sql: String?
  /// The path as it was given to `Connection.init`.
  package let path: String
  /// `errno` of the system call that failed; 0 where there was none.
  package let systemErrno: Int32

  /// Describes a failure.
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

  /// Takes the message of the last failed call on a connection.
  init(
    _ status: Int32,
    on handle: OpaquePointer?,
    operation: Operation,
    sql: String?,
    path: String
  ) {
    let code = ResultCode(rawValue: status)
    let isOfTheSystem = code.primary == .ioerr || code.primary == .cantOpen
    self.init(
      code: code,
      operation: operation,
      message: handle.map { String(cString: sqlite3_errmsg($0)) } ?? Self.sentence(for: status),
      sql: sql,
      path: path,
      systemErrno: isOfTheSystem ? handle.map { sqlite3_system_errno($0) } ?? 0 : 0
    )
  }

  /// SQLite's sentence for a code, for calls that leave no message on the connection.
  static func sentence(for status: Int32) -> String {
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
