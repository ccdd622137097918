import CStrataSQLite

extension Connection {
  /// Whether an index finds each row of its table, whose key is `id`.
  ///
  /// O(rows), of which the indexed columns are read.
  package func isSound(
    index: String,
    of table: String,
    on columns: [String]
  ) throws(SQLiteError) -> Bool {
    let isSame = columns.map { "i.\($0) = r.\($0)" }.joined(separator: " AND ")
    let missing = """
      SELECT 1 FROM \(table) AS r NOT INDEXED WHERE NOT EXISTS
        (SELECT 1 FROM \(table) AS i INDEXED BY \(index) WHERE \(isSame) AND i.id = r.id) LIMIT 1
      """
    do {
      return try first(missing) { row throws(SQLiteError) in try row.int(0) } == nil
    } catch  where error.mayBeOfIndex {
      return false
    }
  }

  /// Makes every index again from the rows of its table.
  ///
  /// O(rows of tables with an index), of which SQLite reads the indexed columns.
  package func rebuildIndexes() throws(SQLiteError) {
    try finish("REINDEX", as: .maintain)
  }

  /// The problems that SQLite finds in the structure of the file, without comparing tables with indexes.
  ///
  /// O(file). An empty result is weak evidence: the check does not detect changed bytes inside a value.
  /// A badly damaged file may throw `.corrupt` or `.notADB` instead.
  package func quickCheck() throws(SQLiteError) -> [String] {
    try findings("PRAGMA quick_check")
  }

  /// The problems that SQLite finds in the file, including indexes and constraints.
  ///
  /// O(file × log).
  package func integrityCheck() throws(SQLiteError) -> [String] {
    try findings("PRAGMA integrity_check")
  }

  /// Returns up to a number of free pages to the file system, and returns how many.
  ///
  /// The pragma frees one page per step (documented only by the source, `sqlite3.c`), so it is stepped to
  /// the end. The file shrinks at the next checkpoint. Without `auto_vacuum=INCREMENTAL` it has no effect.
  @discardableResult
  package func incrementalVacuum(pages: Int) throws(SQLiteError) -> Int {
    guard pages > 0 else { return 0 }
    let before = try freelistCount()
    try execute("PRAGMA incremental_vacuum(\(pages))")
    return try before - freelistCount()
  }

  /// Writes a compact copy of the current database into a new file, which must not exist.
  ///
  /// O(database). The copy is **not synced**: sync the file and its directory before relying on it
  /// (`sqlite.org/lang_vacuum.html`). A failure may leave a partial file behind.
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
