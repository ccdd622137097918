import CStrataSQLite

extension Connection {
  /// Runs a script: any number of statements without parameters, whose rows are discarded.
  ///
  /// The statements are not cached. A script is not a transaction: if a statement fails, the effects of
  /// those before it remain, unless the caller has opened a transaction.
  package func execute(_ sql: String) throws(SQLiteError) {
    let handle = try requireHandle(.prepare)
    let source = try SQLText(sql, path: path)
    var offset = 0
    while let statement = try source.next(from: &offset, on: handle) {
      guard sqlite3_bind_parameter_count(statement.handle) == 0 else {
        throw SQLiteError(
          code: .range,
          operation: .bind,
          message: "a statement of a script cannot have parameters",
          sql: statement.sql,
          path: path
        )
      }
      while try statement.step() {}
    }
  }

  /// Runs one statement and returns the number of rows that it inserted, updated or deleted.
  ///
  /// Rows changed by triggers do not count (`sqlite.org/c3ref/changes.html`). A statement that changes
  /// no rows, such as a query or a CREATE, returns 0.
  @discardableResult
  package func run(_ sql: String, _ values: [Value]) throws(SQLiteError) -> Int {
    let handle = try requireHandle(.step)
    let before = sqlite3_total_changes64(handle)
    try finish(sql, values)
    return sqlite3_total_changes64(handle) == before ? 0 : Int(sqlite3_changes64(handle))
  }

  /// Runs one statement with variadic values; see the overload that takes an array.
  @discardableResult
  package func run(_ sql: String, _ values: Value...) throws(SQLiteError) -> Int {
    try run(sql, values)
  }

  /// Runs one statement to its end; errors carry the given operation.
  func finish(
    _ sql: String,
    _ values: [Value] = [],
    as operation: SQLiteError.Operation = .step
  ) throws(SQLiteError) {
    try withStatement(sql, values) { (statement) throws(SQLiteError) in
      while try statement.step(as: operation) {}
    }
  }

  /// Calls a closure with a bound statement, and resets the statement afterwards.
  func withStatement<R>(
    _ sql: String,
    _ values: [Value],
    _ body: (Statement) throws(SQLiteError) -> R
  ) throws(SQLiteError) -> R {
    guard gate != nil else { return try withRunning(sql, values, body) }
    return try reading { () throws(SQLiteError) in try withRunning(sql, values, body) }.get()
  }

  private func withRunning<R>(
    _ sql: String,
    _ values: [Value],
    _ body: (Statement) throws(SQLiteError) -> R
  ) throws(SQLiteError) -> R {
    let statement = try statements.statement(sql, on: requireHandle(.prepare))
    defer { statement.reset() }
    try statement.bind(values)
    return try body(statement)
  }
}
