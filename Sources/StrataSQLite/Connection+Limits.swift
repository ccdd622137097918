import CStrataSQLite

extension Connection {
  /// Runs a closure under limits that suffice for the schema of a store's file, and for little else.
  ///
  /// SQLite runs expressions of a file before any check of the caller can: when it loads the schema, it
  /// reads `sqlite_stat1`, whose columns may be computed. Here a statement ends after 100,000 instructions
  /// of SQLite's machine, a value has 1 MB at most, and patterns of `LIKE` have one character.
  ///
  /// - Throws: The closure's error; `.interrupt`, `.tooBig` and `.error` at a limit.
  package func withSchemaLimits<R>(
    _ body: () throws(SQLiteError) -> R
  ) throws(SQLiteError) -> R {
    let handle = try requireHandle(.configure)
    let limits = [
      (SQLITE_LIMIT_LENGTH, Int32(1 << 20)), (SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1),
      (SQLITE_LIMIT_EXPR_DEPTH, 50),
    ]
    let before = limits.map { ($0, sqlite3_limit(handle, $0, $1)) }
    sqlite3_progress_handler(handle, 100_000, { _ in 1 }, nil)
    defer {
      sqlite3_progress_handler(handle, 0, nil, nil)
      for (limit, value) in before { sqlite3_limit(handle, limit, value) }
    }
    return try body()
  }
}
