import CStrataSQLite

extension Connection {
  /// Whether a transaction is open, by SQLite's own account (`sqlite3_get_autocommit`).
  package var isInTransaction: Bool {
    handle.map { sqlite3_get_autocommit($0) == 0 } ?? false
  }

  /// Runs a closure in a write transaction: all of it, or nothing when it throws.
  ///
  /// `BEGIN IMMEDIATE` takes the write lock at once, so nothing inside fails for another writer; it
  /// waits for one up to the busy timeout. When the closure throws, its error is the one thrown, also
  /// if the rollback fails; SQLite having rolled back by itself is no failure. A transaction inside a
  /// transaction throws `.begin` and leaves the outer one alone.
  ///
  /// - Throws: whatever the closure throws, or `SQLiteError`. **After `operation == .commit` the outcome
  ///   is unknown**: the transaction is rolled back on this connection, yet may be found whole after
  ///   the file is opened anew. `.abortRollback` says that the closure swallowed an error after which
  ///   SQLite had rolled everything back: then nothing was committed.
  @discardableResult
  package func transaction<R>(_ body: () throws -> R) throws -> R {
    try perform("BEGIN IMMEDIATE", body).get()
  }

  /// The same for a closure whose errors are SQLite's.
  @discardableResult
  package func transaction<R>(_ body: () throws(SQLiteError) -> R) throws(SQLiteError) -> R {
    try perform("BEGIN IMMEDIATE", body).get()
  }

  /// The same for a closure with an error type of its own, which comes back as a value.
  ///
  /// `.failure` means that the transaction was rolled back.
  ///
  /// - Throws: only what `BEGIN` and `COMMIT` throw.
  package func transactionResult<R, E: Error>(
    _ body: () throws(E) -> R
  ) throws(SQLiteError) -> Result<R, E> {
    try perform("BEGIN IMMEDIATE", body)
  }

  /// Runs a closure in which all queries see the file as of the first of them (`BEGIN DEFERRED`).
  ///
  /// While it runs, checkpoints cannot pass the moment it reads at.
  ///
  /// - Throws: whatever the closure throws, or `SQLiteError`.
  @discardableResult
  package func readTransaction<R>(_ body: () throws -> R) throws -> R {
    try perform("BEGIN DEFERRED", body).get()
  }

  /// The same for a closure whose errors are SQLite's.
  @discardableResult
  package func readTransaction<R>(_ body: () throws(SQLiteError) -> R) throws(SQLiteError) -> R {
    try perform("BEGIN DEFERRED", body).get()
  }

  private func perform<R, E: Error>(
    _ begin: String,
    _ body: () throws(E) -> R
  ) throws(SQLiteError) -> Result<R, E> {
    try finish(begin, as: .begin)
    let result: Result<R, E>
    do throws(E) {
      result = .success(try body())
    } catch {
      rollback()
      return .failure(error)
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

  /// Ends the transaction if SQLite has not done so itself.
  ///
  /// An error of the rollback is dropped on purpose: it comes after the error that caused it, which is
  /// the one to report, and SQLite undoes what is left when the file is next opened.
  private func rollback() {
    guard isInTransaction else { return }
    do { try finish("ROLLBACK", as: .rollback) } catch {}
  }
}

extension Connection {
  /// Runs a closure in which `BEGIN`, `COMMIT` and `ROLLBACK` are refused, for SQL written by others
  /// that must stay inside the caller's transaction.
  ///
  /// Costs one recompilation of each cached statement afterwards (`sqlite.org/c3ref/set_authorizer.html`).
  ///
  /// - Throws: what the closure throws; a refused statement throws `.auth` on prepare.
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
