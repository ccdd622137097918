import CStrataSQLite

/// One connection to one SQLite file.
///
/// It is not `Sendable`: SQLite is opened without its own mutexes, and whoever made the connection
/// (an executor, a test) is the only one who may call it.
///
/// ```swift
/// let connection = try Connection(path: path, mode: .create)
/// try connection.configureWriter(newFile: FileHeader(applicationID: 0x5354_5241))
/// try connection.transaction {
///   try connection.run("INSERT INTO note(body) VALUES (?)", ["hello"])
/// }
/// let bodies = try connection.all("SELECT body FROM note", []) { row in try row.text(0) }
/// ```
///
/// Every statement is prepared once, kept by its text, and reset with its values cleared when a call
/// returns or throws: a statement left in the middle of its rows would pin the WAL.
///
/// It neither retries nor recovers, checks no schema, and holds no lock file.
package final class Connection {
  /// The path as it was given.
  package let path: String
  /// How the file was opened.
  package let mode: OpenMode
  let statements: StatementCache
  let walMeter = WALMeter()
  private(set) var handle: OpaquePointer?

  /// Opens a file; no page of it is read yet, so a damaged file may show itself only later.
  ///
  /// Set before any statement runs: a busy timeout of 5 s, defensive mode, an untrusted schema, no
  /// loadable extensions, values of at most 64 MB, no attached databases, no memory mapping, cell size
  /// checks, temporary tables in memory; for the reading modes `query_only` too, and no checkpoint on
  /// close (`sqlite.org/security.html`).
  ///
  /// - Throws: `.open` when the file cannot be opened; `.readOnly` when a writing mode was asked for
  ///   and the system granted only reading, which SQLite by itself accepts in silence.
  package init(path: String, mode: OpenMode, vfs: String? = nil) throws(SQLiteError) {
    self.path = path
    self.mode = mode
    statements = StatementCache(path: path)
    guard !path.isEmpty, !path.utf8.contains(0) else {
      throw SQLiteError(
        code: .cantOpen,
        operation: .open,
        message: path.isEmpty ? "the path is empty" : "the path contains a NUL",
        path: path
      )
    }
    try open(mode.name(for: path), flags: mode.flags, vfs: vfs)
  }

  private init(inMemoryAs path: String) throws(SQLiteError) {
    self.path = path
    mode = .create
    statements = StatementCache(path: path)
    try open(path, flags: mode.flags, vfs: nil)
  }

  /// Opens a database of its own in memory, gone when the connection closes.
  package static func inMemory() throws(SQLiteError) -> Connection {
    try Connection(inMemoryAs: ":memory:")
  }

  deinit {
    statements.removeAll()
    sqlite3_close_v2(handle)
  }

  /// Closes the file; closing a closed connection does nothing.
  ///
  /// - Throws: `.busy` when called from inside a row closure; the connection then stays open. An error
  ///   of the checkpoint that the last connection makes on closing is swallowed by SQLite: checkpoint
  ///   first where that matters.
  package func close() throws(SQLiteError) {
    guard let handle else { return }
    statements.removeAll()
    let status = sqlite3_close(handle)
    guard status == SQLITE_OK else {
      throw SQLiteError(status, on: handle, operation: .close, sql: nil, path: path)
    }
    self.handle = nil
  }

  /// SQLite's handle, or a `.misuse` error after `close()`.
  func requireHandle(_ operation: SQLiteError.Operation) throws(SQLiteError) -> OpaquePointer {
    guard let handle else {
      throw SQLiteError(
        code: .misuse,
        operation: operation,
        message: "the connection is closed",
        path: path
      )
    }
    return handle
  }

  /// The error for a status returned by SQLite, with the message it left on the connection.
  func failure(_ status: Int32, _ operation: SQLiteError.Operation, sql: String? = nil)
    -> SQLiteError
  {
    SQLiteError(status, on: handle, operation: operation, sql: sql, path: path)
  }
}

extension Connection {
  static let busyTimeoutMilliseconds: Int32 = 5000
  private static let valueLimitBytes: Int32 = 64 << 20

  private func open(_ name: String, flags: Int32, vfs: String?) throws(SQLiteError) {
    var opened: OpaquePointer?
    let status = sqlite3_open_v2(name, &opened, flags, vfs)
    // SQLite hands out a handle even when it fails, and it must be closed: `deinit` does.
    handle = opened
    guard status == SQLITE_OK, let opened else { throw failure(status, .open) }
    try harden(opened)
  }

  private func harden(_ handle: OpaquePointer) throws(SQLiteError) {
    sqlite3_busy_timeout(handle, Self.busyTimeoutMilliseconds)
    for (option, value) in [
      (SQLITE_DBCONFIG_DEFENSIVE, Int32(1)), (SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0),
      (SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0),
      (SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, mode.isWriting ? 0 : 1),
    ] {
      let status = strata_db_config(handle, option, value, nil)
      guard status == SQLITE_OK else { throw failure(status, .configure) }
    }
    sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, Self.valueLimitBytes)
    // VACUUM attaches a database of its own, so `vacuum(into:)` raises this while it runs.
    sqlite3_limit(handle, SQLITE_LIMIT_ATTACHED, 0)
    if mode.isWriting, sqlite3_db_readonly(handle, "main") == 1 {
      throw SQLiteError(
        code: .readOnly,
        operation: .open,
        message: "the system grants only reading",
        path: path
      )
    }
    for pragma in ["mmap_size=0", "cell_size_check=ON", "temp_store=MEMORY"] {
      try setPragma(pragma)
    }
    if !mode.isWriting { try setPragma("query_only=ON") }
  }
}

extension Connection {
  /// What the last connection to a file does with the WAL when it closes.
  package enum CheckpointOnClose: Sendable {
    /// Copies the WAL into the database and deletes it: SQLite's default for a writer.
    case automatic
    /// Leaves database and WAL as they are, as every error path and every reader must.
    case never
  }

  /// Whether closing may checkpoint.
  ///
  /// O(1). Without effect once closed, when it reads `.never`.
  package var checkpointsOnClose: CheckpointOnClose {
    get {
      guard let handle else { return .never }
      var isOff: Int32 = 0
      strata_db_config(handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, -1, &isOff)
      return isOff == 0 ? .automatic : .never
    }
    set {
      guard let handle else { return }
      strata_db_config(handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, newValue == .never ? 1 : 0, nil)
    }
  }
}

@available(*, unavailable)
extension Connection: Sendable {}
