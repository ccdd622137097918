import CStrataSQLite

extension Connection {
  /// What SQLite finds wrong in the file's structure, without comparing tables with their indexes.
  ///
  /// O(file). Empty means that nothing was found, which is little: changed bytes inside a value are
  /// invisible to it. A file too damaged to be walked may throw `.corrupt` or `.notADB` instead.
  package func quickCheck() throws(SQLiteError) -> [String] {
    try findings("PRAGMA quick_check")
  }

  /// What SQLite finds wrong in the file, with indexes and constraints compared.
  ///
  /// O(file × log).
  package func integrityCheck() throws(SQLiteError) -> [String] {
    try findings("PRAGMA integrity_check")
  }

  /// Gives up to a number of free pages back to the file system and says how many it gave.
  ///
  /// The pragma frees one page each step (seen in `sqlite3.c`, not in its page), so it is stepped to the
  /// end. The file shrinks at the next checkpoint. Without `auto_vacuum=INCREMENTAL` it does nothing.
  @discardableResult
  package func incrementalVacuum(pages: Int) throws(SQLiteError) -> Int {
    guard pages > 0 else { return 0 }
    let before = try freelistCount()
    try execute("PRAGMA incremental_vacuum(\(pages))")
    return try before - freelistCount()
  }

  /// Writes a compact copy of the database as of now into a file that must not exist.
  ///
  /// O(database). The copy is **not synced**: sync it and its directory before counting on it
  /// (`sqlite.org/lang_vacuum.html`). A failure may leave a part of it behind.
  ///
  /// - Throws: `.error` when the file exists or a transaction is open, `.cantOpen`, `.full`, `.ioerr`.
  package func vacuum(into path: String) throws(SQLiteError) {
    let handle = try requireHandle(.maintain)
    let limit = sqlite3_limit(handle, SQLITE_LIMIT_ATTACHED, 1)
    defer { sqlite3_limit(handle, SQLITE_LIMIT_ATTACHED, limit) }
    try finish("VACUUM INTO ?", [.text(OpenMode.literal(path))], as: .maintain)
  }

  private func findings(_ sql: String) throws(SQLiteError) -> [String] {
    let lines = try all(sql) { row throws(SQLiteError) in try row.text(0) }
    return lines == ["ok"] ? [] : lines
  }
}
