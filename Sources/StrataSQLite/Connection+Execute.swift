import CStrataSQLite

extension Connection {
  /// Runs a script: any number of statements without values, whose rows are dropped.
  ///
  /// Nothing is kept in the statement cache. The script is no transaction: what ran before a failing
  /// statement stays, unless the caller opened one.
  package func execute(_ sql: String) throws(SQLiteError) {
    let handle = try requireHandle(.prepare)
    let source = try SQLText(sql, path: path)
    var offset = 0
    while let statement = try source.next(from: &offset, on: handle) {
      guard sqlite3_bind_parameter_count(statement.handle) == 0 else {
        throw SQLiteError(
          code: .range,
          operation: .bind,
          message: "a script takes no values",
          sql: statement.sql,
          path: path
        )
      }
      while try statement.step() {}
    }
  }

  /// Runs one statement and says how many rows it inserted, updated or deleted.
  ///
  /// Rows changed by triggers do not count (`sqlite.org/c3ref/changes.html`); a statement that changes
  /// no rows, such as a query or a CREATE, gives 0.
  @discardableResult
  package func run(_ sql: String, _ values: [Value]) throws(SQLiteError) -> Int {
    let handle = try requireHandle(.step)
    let before = sqlite3_total_changes64(handle)
    try finish(sql, values)
    return sqlite3_total_changes64(handle) == before ? 0 : Int(sqlite3_changes64(handle))
  }

  /// The same with the values listed.
  @discardableResult
  package func run(_ sql: String, _ values: Value...) throws(SQLiteError) -> Int {
    try run(sql, values)
  }

  /// Steps one statement to its end under the name of an operation.
  func finish(
    _ sql: String,
    _ values: [Value] = [],
    as operation: SQLiteError.Operation = .step
  ) throws(SQLiteError) {
    try withStatement(sql, values) { (statement) throws(SQLiteError) in
      while try statement.step(as: operation) {}
    }
  }

  /// Lends a bound statement and resets it on every way out.
  func withStatement<R>(
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
