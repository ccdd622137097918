import CStrataSQLite

/// A copy of a database that is made page by page while its connection goes on writing
/// (`sqlite.org/backup.html`).
///
/// What the source connection itself writes between two steps is carried into the copy, so the copy
/// is the database as of its last step. A write by any other connection makes it begin anew. Neither
/// connection may close while it is under way: ``finish()`` first.
package final class OnlineBackup {
  /// How far it is after a step.
  package enum Progress: Equatable, Sendable {
    /// So many pages of so many are copied.
    case copying(done: Int, of: Int)
    case complete
  }

  private let source: Connection
  private let destination: Connection
  private var handle: OpaquePointer?

  /// Begins to copy over whatever `destination` holds.
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

  /// Copies up to so many pages; all that are left for a negative number.
  ///
  /// - Throws: what reading the source or writing the copy says, `.busy` and `.locked` included; and
  ///   `.misuse` when it was given up.
  package func step(pages: Int) throws(SQLiteError) -> Progress {
    guard let handle else {
      throw SQLiteError(
        code: .misuse,
        operation: .backup,
        message: "the backup was given up",
        path: destination.path
      )
    }
    let status = sqlite3_backup_step(handle, Int32(pages))
    switch status {
    case SQLITE_OK:
      let total = Int(sqlite3_backup_pagecount(handle))
      return .copying(done: total - Int(sqlite3_backup_remaining(handle)), of: total)
    case SQLITE_DONE: return .complete
    default:
      throw SQLiteError(
        code: ResultCode(rawValue: status),
        operation: .backup,
        message: SQLiteError.sentence(for: status),
        path: destination.path
      )
    }
  }

  /// Ends it, complete or not; after that the connections may close.
  ///
  /// - Throws: what the last failing step threw, as SQLite tells it once more.
  package func finish() throws(SQLiteError) {
    guard let handle else { return }
    self.handle = nil
    let status = sqlite3_backup_finish(handle)
    guard status == SQLITE_OK else { throw destination.failure(status, .backup) }
  }
}
