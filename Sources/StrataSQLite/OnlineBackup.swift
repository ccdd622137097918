import CStrataSQLite
import Foundation

/// Copies a database page by page while its connection continues to write (`sqlite.org/backup.html`).
///
/// The copy includes what the source connection writes between two steps, so it is the database as of
/// the last step. A write by another connection restarts the copy. Call ``finish()`` before either
/// connection closes.
package final class OnlineBackup {
  /// The state after a step.
  package enum Progress: Equatable, Sendable {
    /// Some of the pages are copied.
    case copying(done: Int, of: Int)
    case complete
  }

  private let source: Connection
  private let destination: Connection
  private var handle: OpaquePointer?

  /// Starts a copy that replaces the content of `destination`.
  package init(from source: Connection, to destination: Connection) throws(SQLiteError) {
    self.source = source
    self.destination = destination
    handle = sqlite3_backup_init(
      try destination.requireHandle(.backup),
      "main",
      try source.requireHandle(.backup),
      "main"
    )
    if handle == nil { throw destination.failure(SQLITE_ERROR, .backup) }
  }

  deinit { if let handle { sqlite3_backup_finish(handle) } }

  /// Copies up to a number of pages; all remaining pages for a negative number.
  ///
  /// - Throws: Errors of reading the source or writing the copy, including `.busy` and `.locked`;
  ///   `.misuse` after ``finish()``.
  package func step(pages: Int) throws(SQLiteError) -> Progress {
    guard let handle else {
      throw SQLiteError(
        code: .misuse,
        operation: .backup,
        message: "the backup is finished",
        path: destination.path
      )
    }
    let status = sqlite3_backup_step(handle, Int32(pages))
    // SQLite keeps it nowhere before the backup is finished.
    let systemErrno = errno
    switch status {
    case SQLITE_OK:
      let total = Int(sqlite3_backup_pagecount(handle))
      return .copying(done: total - Int(sqlite3_backup_remaining(handle)), of: total)
    case SQLITE_DONE: return .complete
    default:
      throw SQLiteError(
        code: ResultCode(rawValue: status),
        operation: .backup,
        message: SQLiteError.message(for: status),
        path: destination.path,
        systemErrno: [SQLITE_IOERR, SQLITE_CANTOPEN].contains(status & 0xff) ? systemErrno : 0
      )
    }
  }

  /// Ends the copy, complete or not; the connections may close afterwards.
  ///
  /// - Throws: The error of the last failed step, which SQLite returns again.
  package func finish() throws(SQLiteError) {
    guard let handle else { return }
    self.handle = nil
    let status = sqlite3_backup_finish(handle)
    guard status == SQLITE_OK else { throw destination.failure(status, .backup) }
  }
}
