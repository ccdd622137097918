import CStrataSQLite

/// The pragmas that are properties of the file or the connection (`sqlite.org/pragma.html`).
extension Connection {
  /// The version of the SQLite library in use, such as `3.40.1`.
  package static var libraryVersion: String { String(cString: sqlite3_libversion()) }

  /// The number that says whose file this is.
  package func applicationID() throws(SQLiteError) -> Int32 {
    Int32(truncatingIfNeeded: try integerPragma("application_id"))
  }

  /// Says whose file this is.
  package func setApplicationID(_ id: Int32) throws(SQLiteError) {
    try setPragma("application_id=\(id)")
  }

  /// The version of the file's schema.
  package func userVersion() throws(SQLiteError) -> Int32 {
    Int32(truncatingIfNeeded: try integerPragma("user_version"))
  }

  /// Sets the version of the file's schema, as part of the transaction that is open.
  package func setUserVersion(_ version: Int32) throws(SQLiteError) {
    try setPragma("user_version=\(version)")
  }

  /// A number that moves when **another** connection commits to the file.
  package func dataVersion() throws(SQLiteError) -> Int64 {
    try integerPragma("data_version")
  }

  /// The pages of the file; 0 for a file that holds no database yet.
  package func pageCount() throws(SQLiteError) -> Int {
    Int(try integerPragma("page_count"))
  }

  /// The pages in no use.
  package func freelistCount() throws(SQLiteError) -> Int {
    Int(try integerPragma("freelist_count"))
  }

  /// The bytes of a page.
  package func pageSize() throws(SQLiteError) -> Int {
    Int(try integerPragma("page_size"))
  }

  /// The journal mode in lower case, such as `wal` or `delete`.
  package func journalMode() throws(SQLiteError) -> String {
    let value = try pragma("journal_mode")
    guard case .text(let mode) = value else { throw unexpected(value, of: "journal_mode") }
    return mode
  }

  /// Lets the database grow to a number of pages, after which writing throws `.full`.
  ///
  /// Gives the limit in force, which is never below the pages there are. It belongs to the connection.
  @discardableResult
  package func setMaximumPageCount(_ pages: Int) throws(SQLiteError) -> Int {
    let value = try pragma("max_page_count=\(pages)")
    guard case .integer(let limit) = value else { throw unexpected(value, of: "max_page_count") }
    return Int(limit)
  }
}

extension Connection {
  /// The first column of a pragma's first row, NULL without rows.
  func pragma(_ text: String) throws(SQLiteError) -> Value {
    let value = try first("PRAGMA \(text)") { row throws(SQLiteError) in try row.value(0) }
    return value ?? .null
  }

  /// Runs a pragma whose answer does not matter.
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
      message: "PRAGMA \(pragma) answered \(value.storageClass.rawValue)",
      path: path
    )
  }
}
