import CStrataSQLite

extension Connection {
  /// Whether a transaction is open, according to SQLite (`sqlite3_get_autocommit`).
  package var isInTransaction: Bool {
    handle.map { sqlite3_get_autocommit($0) == 0 } ?? false
  }

  /// Runs a closure in a write transaction, which is committed when the closure returns and rolled back
  /// when it throws.
  ///
  /// `BEGIN IMMEDIATE` takes the write lock first, so no statement inside fails because of another
  /// writer. It waits for another writer up to the busy timeout. When the closure throws, its error is
  /// thrown, even if the rollback fails. A transaction inside a transaction throws `.begin` and does not
  /// affect the outer one.
  ///
  /// - Throws: The closure's error, or `SQLiteError`. **After `operation == .commit` the outcome is
  ///   unknown**: the transaction is rolled back on this connection, but may be complete when the file is
  ///   opened again. `.abortRollback` means that the closure caught an error after which SQLite had
  ///   rolled back the transaction; nothing was committed.
  @discardableResult
  package func transaction<R>(_ body: () throws -> R) throws -> R {
    try perform(.writing, body).get()
  }

  /// The form for a closure that throws only SQLite's errors.
  @discardableResult
  package func transaction<R>(_ body: () throws(SQLiteError) -> R) throws(SQLiteError) -> R {
    try perform(.writing, body).get()
  }

  /// The form for a closure with a typed error, which is returned as a value.
  ///
  /// `.failure` means that the transaction was rolled back.
  ///
  /// - Throws: Only errors of `BEGIN` and `COMMIT`.
  package func transactionResult<R, E: Error>(
    _ body: () throws(E) -> R
  ) throws(SQLiteError) -> Result<R, E> {
    try perform(.writing, body)
  }

  /// Runs a closure whose queries all see the file as of the first one (`BEGIN DEFERRED`).
  ///
  /// While it runs, no checkpoint can copy commits that are newer than what it reads. There is nothing to
  /// commit, so it ends with a rollback, whose errors are ignored: after the closure has met
  /// `SQLITE_CORRUPT` and caught it, a `COMMIT` would fail with the same code.
  ///
  /// - Throws: The closure's error, or `SQLiteError` of the beginning.
  @discardableResult
  package func readTransaction<R>(_ body: () throws -> R) throws -> R {
    try performReading(body).get()
  }

  /// The form for a closure that throws only SQLite's errors.
  @discardableResult
  package func readTransaction<R>(_ body: () throws(SQLiteError) -> R) throws(SQLiteError) -> R {
    try performReading(body).get()
  }

  private func performReading<R, E: Error>(
    _ body: () throws(E) -> R
  ) throws(SQLiteError) -> Result<R, E> {
    try reading { () throws(SQLiteError) in try perform(.reading, body) }.get()
  }

  private enum Purpose: String {
    case reading = "BEGIN DEFERRED"
    case writing = "BEGIN IMMEDIATE"
  }

  private func perform<R, E: Error>(
    _ purpose: Purpose,
    _ body: () throws(E) -> R
  ) throws(SQLiteError) -> Result<R, E> {
    try finish(purpose.rawValue, as: .begin)
    let result: Result<R, E>
    do throws(E) {
      result = .success(try body())
    } catch {
      rollback()
      return .failure(error)
    }
    if purpose == .reading {
      rollback()
      return result
    }
    guard isInTransaction else {
      throw SQLiteError(
        code: .abortRollback,
        operation: .step,
        message: "SQLite rolled the transaction back before its commit",
        path: path
      )
    }
    do {
      try finish("COMMIT", as: .commit)
    } catch {
      rollback()
      throw error
    }
    return result
  }

  /// Rolls back the transaction, unless SQLite has already done so.
  ///
  /// An error of the rollback is ignored: the error that caused the rollback is the one to report, and
  /// SQLite removes what is left of the transaction when the file is next opened.
  private func rollback() {
    guard isInTransaction else { return }
    do { try finish("ROLLBACK", as: .rollback) } catch {}
  }
}

extension Connection {
  /// Runs a closure in which `BEGIN`, `COMMIT` and `ROLLBACK` are refused.
  ///
  /// It is for scripts that must not end the caller's transaction. Afterwards each cached statement is
  /// compiled once more (`sqlite.org/c3ref/set_authorizer.html`).
  ///
  /// - Throws: The closure's error; a refused statement throws `.auth` when it is prepared.
  package func withoutTransactionControl<R>(
    _ body: () throws(SQLiteError) -> R
  ) throws(SQLiteError) -> R {
    let handle = try requireHandle(.configure)
    let status = sqlite3_set_authorizer(
      handle,
      { _, action, _, _, _, _ in action == SQLITE_TRANSACTION ? SQLITE_DENY : SQLITE_OK },
      nil
    )
    guard status == SQLITE_OK else { throw failure(status, .configure) }
    defer { sqlite3_set_authorizer(handle, nil, nil) }
    return try body()
  }
}
