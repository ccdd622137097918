import CStrataSQLite

/// Pragmas that are properties of the file or of the connection (`sqlite.org/pragma.html`).
extension Connection {
  /// The version of the SQLite library in use, such as `3.40.1`.
  package static var libraryVersion: String { String(cString: sqlite3_libversion()) }

  /// The bytes of the longest path of a database that SQLite opens: it adds to it the names of its own files.
  package static var longestPath: Int {
    sqlite3_vfs_find(nil).map { Int($0.pointee.mxPathname) - "-journal".utf8.count } ?? .max
  }

  /// The number in the file's header that identifies the application.
  package func applicationID() throws(SQLiteError) -> Int32 {
    Int32(truncatingIfNeeded: try integerPragma("application_id"))
  }

  /// Sets the number in the file's header that identifies the application.
  package func setApplicationID(_ id: Int32) throws(SQLiteError) {
    try setPragma("application_id=\(id)")
  }

  /// The version of the file's schema.
  package func userVersion() throws(SQLiteError) -> Int32 {
    Int32(truncatingIfNeeded: try integerPragma("user_version"))
  }

  /// Sets the version of the file's schema, as part of the open transaction.
  package func setUserVersion(_ version: Int32) throws(SQLiteError) {
    try setPragma("user_version=\(version)")
  }

  /// A number that changes when **another** connection commits to the file.
  package func dataVersion() throws(SQLiteError) -> Int64 {
    try integerPragma("data_version")
  }

  /// The number of pages of the file; 0 for a file without a database.
  package func pageCount() throws(SQLiteError) -> Int {
    Int(try integerPragma("page_count"))
  }

  /// The number of unused pages.
  package func freelistCount() throws(SQLiteError) -> Int {
    Int(try integerPragma("freelist_count"))
  }

  /// The size of a page in bytes.
  package func pageSize() throws(SQLiteError) -> Int {
    Int(try integerPragma("page_size"))
  }

  /// The journal mode in lower case, such as `wal` or `delete`.
  package func journalMode() throws(SQLiteError) -> String {
    let value = try pragma("journal_mode")
    guard case .text(let mode) = value else { throw unexpected(value, of: "journal_mode") }
    return mode
  }

  /// Limits the database to a number of pages, beyond which writing throws `.full`.
  ///
  /// Returns the limit in force, which is at least the current number of pages. The limit belongs to the
  /// connection, not to the file.
  @discardableResult
  package func setMaximumPageCount(_ pages: Int) throws(SQLiteError) -> Int {
    let value = try pragma("max_page_count=\(pages)")
    guard case .integer(let limit) = value else { throw unexpected(value, of: "max_page_count") }
    return Int(limit)
  }

  /// Lets the authorizer know of the columns that `INSERT INTO b SELECT * FROM a` reads, also in a trigger.
  ///
  /// Of two tables with the same columns, SQLite copies rows as they are stored, and reports no read. It does not where it
  /// counts changes (`xferOptimization` in `insert.c`). Statements that change rows then return their number.
  ///
  /// - Throws: `.mismatch` for a SQLite that was compiled without the pragma.
  package func reportWholeCopies() throws(SQLiteError) {
    try setPragma("count_changes=ON")
    let value = try pragma("count_changes")
    guard value == .integer(1) else { throw unexpected(value, of: "count_changes") }
  }
}

extension Connection {
  /// Returns the first column of a pragma's first row, or NULL without rows.
  func pragma(_ text: String) throws(SQLiteError) -> Value {
    let value = try first("PRAGMA \(text)") { row throws(SQLiteError) in try row.value(0) }
    return value ?? .null
  }

  /// Runs a pragma and ignores its result.
  func setPragma(_ text: String) throws(SQLiteError) {
    try execute("PRAGMA \(text)")
  }

  private func integerPragma(_ name: String) throws(SQLiteError) -> Int64 {
    let value = try pragma(name)
    guard case .integer(let number) = value else { throw unexpected(value, of: name) }
    return number
  }

  private func unexpected(_ value: Value, of pragma: String) -> SQLiteError {
    SQLiteError(
      code: .mismatch,
      operation: .read,
      message: "PRAGMA \(pragma) returned a value of class \(value.storageClass.rawValue)",
      path: path
    )
  }
}
