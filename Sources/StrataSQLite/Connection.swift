import CStrataSQLite

/// One connection to one SQLite file.
///
/// It is not `Sendable`: SQLite is opened without its own mutexes, so a connection belongs to the
/// executor or thread that opened it.
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
/// Each statement is prepared once and cached by its text. When a call returns or throws, its statement
/// is reset and its values are cleared: a statement that has rows left would pin the WAL.
///
/// A connection does not retry or recover, does not check the schema, and holds no lock file.
package final class Connection {
  /// The path that was passed to the initializer.
  package private(set) var path: String
  /// The mode that the file was opened in.
  package private(set) var mode: OpenMode
  let statements: StatementCache
  let walFrameCount = WALFrameCount()
  let callbacks = ConnectionCallbacks()
  private(set) var handle: OpaquePointer?
  /// Is asked before each read, and notified after it; nil if the file is not watched.
  package var gate: (any ConnectionGate)?
  /// How many reads are inside each other at the moment.
  private var reads = 0

  /// Opens a file.
  ///
  /// No page is read yet, so damage may be detected only by a later call.
  ///
  /// These settings apply before any statement runs: a busy timeout of 5 s, defensive mode, an untrusted
  /// schema, no triggers and no views of the file, no loadable extensions, values of at most 64 MB, no
  /// attached databases, no memory mapping, cell size checks, and temporary tables in memory. The reading
  /// modes also set `query_only` and do not checkpoint on close (`sqlite.org/security.html`).
  ///
  /// - Parameter vfs: The name of a registered SQLite VFS; nil for SQLite's default.
  /// - Throws: `.cantOpen` when the file cannot be opened; `.readOnly` when a writing mode was requested
  ///   and the system grants only reading, which SQLite alone accepts silently.
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

  init(inMemoryAs path: String, _ mode: OpenMode = .create) throws(SQLiteError) {
    self.path = path
    self.mode = mode
    statements = StatementCache(path: path)
    try open(path, flags: OpenMode.create.flags, vfs: nil)
  }

  /// Opens the database in a file that has no name, as ``OpenMode/immutable``.
  ///
  /// The descriptor must stay open until this returns; SQLite opens one of its own.
  ///
  /// - Throws: `.cantOpen` when the descriptor is not open, or SQLite does not accept another VFS.
  package init(unnamedFile descriptor: Int32) throws(SQLiteError) {
    path = DescriptorVFS.path(of: descriptor)
    mode = .immutable
    statements = StatementCache(path: path)
    guard let vfs = DescriptorVFS.registered else {
      throw SQLiteError(
        code: .cantOpen,
        operation: .open,
        message: "SQLite did not register the VFS of files without a name",
        path: path
      )
    }
    try open(mode.name(for: path), flags: mode.flags, vfs: vfs)
  }

  /// Opens a new database in memory, which lasts until the connection closes.
  package static func inMemory() throws(SQLiteError) -> Connection {
    try Connection(inMemoryAs: ":memory:")
  }

  /// Opens a new database that is in memory up to a size and beyond it in a temporary file, which has no
  /// name and is gone when the connection closes.
  ///
  /// A transaction that is rolled back may leave anything behind: there is no rollback journal.
  package static func temporary(cacheBytes: Int) throws(SQLiteError) -> Connection {
    let connection = try Connection(inMemoryAs: "")
    try connection.setPragma("cache_size=-\(cacheBytes >> 10)")
    try connection.setPragma("journal_mode=OFF")
    return connection
  }

  deinit {
    statements.removeAll()
    sqlite3_close_v2(handle)
  }

  /// Closes the file; closing a closed connection has no effect.
  ///
  /// The last connection to a file checkpoints when it closes, and SQLite drops errors of that
  /// checkpoint. Where they matter, call ``checkpoint(_:)`` first.
  ///
  /// - Throws: `.busy` inside a row closure; the connection then stays open.
  package func close() throws(SQLiteError) {
    guard let handle else { return }
    statements.removeAll()
    let status = sqlite3_close(handle)
    guard status == SQLITE_OK else {
      throw SQLiteError(status, on: handle, operation: .close, sql: nil, path: path)
    }
    self.handle = nil
  }

  /// Closes the file and reads another one from now on, which another connection has opened for it.
  ///
  /// Not while a statement runs or a transaction is open.
  package func become(_ other: Connection) {
    statements.removeAll()
    other.statements.removeAll()
    sqlite3_close_v2(handle)
    (handle, path, mode) = (other.handle, other.path, other.mode)
    other.handle = nil
  }

  /// Runs a closure during which the file is read as one: its gate is asked before, and notified after it.
  package func reading<R, E: Error>(_ body: () throws(E) -> R) throws(SQLiteError) -> Result<R, E> {
    guard let gate else { return Result(catching: body) }
    reads += 1
    defer {
      reads -= 1
      if reads == 0 { gate.didRead() }
    }
    if reads == 1 { try gate.willRead(on: self) }
    return Result(catching: body)
  }

  /// Returns SQLite's handle; throws `.misuse` after `close()`.
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

  /// The error for a status of SQLite, with the message that SQLite stored on the connection.
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
    // SQLite returns a handle even when it fails. The handle must be closed, which `deinit` does.
    handle = opened
    guard status == SQLITE_OK, let opened else { throw failure(status, .open) }
    try harden(opened)
  }

  private func harden(_ handle: OpaquePointer) throws(SQLiteError) {
    sqlite3_busy_timeout(handle, Self.busyTimeoutMilliseconds)
    for (option, value) in [
      (SQLITE_DBCONFIG_DEFENSIVE, Int32(1)), (SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0),
      (SQLITE_DBCONFIG_ENABLE_TRIGGER, 0), (SQLITE_DBCONFIG_ENABLE_VIEW, 0),
      (SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0),
      (SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, mode.isWriting ? 0 : 1),
    ] {
      let status = strata_db_config(handle, option, value, nil)
      guard status == SQLITE_OK else { throw failure(status, .configure) }
    }
    sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, Self.valueLimitBytes)
    // VACUUM attaches a database, so `vacuum(into:)` raises this limit while it runs.
    sqlite3_limit(handle, SQLITE_LIMIT_ATTACHED, 0)
    if mode.isWriting, sqlite3_db_readonly(handle, "main") == 1 {
      throw SQLiteError(
        code: .readOnly,
        operation: .open,
        message: "the file is read-only for this process",
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
    /// Copies the WAL into the database and deletes it. The default of writing modes.
    case automatic
    /// Leaves the database and the WAL unchanged, as error paths and readers must.
    case never
  }

  /// Whether closing checkpoints.
  ///
  /// O(1). After `close()` it is `.never`, and setting it has no effect.
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

/// Watches over the file that a connection reads, for an owner that knows who else has it.
package protocol ConnectionGate: AnyObject {
  /// Called before a statement or a transaction that is in no other one; the connection may become another.
  func willRead(on connection: Connection) throws(SQLiteError)
  /// Called after each ``willRead(on:)``, also if that has failed.
  func didRead()
}
