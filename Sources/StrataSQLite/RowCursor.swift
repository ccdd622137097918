import CStrataSQLite

/// A statement whose rows are read one by one, by calls.
///
/// Queries of a ``Connection`` with a closure are simpler, and safer: a cursor that is neither at its end
/// nor reset keeps a read transaction open. It is meant for the private databases of this process.
package final class RowCursor {
  private let statement: Statement
  /// Its closures are called while the statement runs.
  private let connection: Connection

  var handle: OpaquePointer { statement.handle }

  fileprivate init(_ statement: Statement, _ connection: Connection) {
    self.statement = statement
    self.connection = connection
  }

  /// The names of the result's columns.
  package var columns: [String] {
    (0..<sqlite3_column_count(handle)).map { index in
      sqlite3_column_name(handle, index).map { String(cString: $0) } ?? ""
    }
  }

  /// The number of parameters.
  package var parameterCount: Int { Int(sqlite3_bind_parameter_count(handle)) }

  /// Whether the statement writes nothing into a database.
  package var isReadOnly: Bool { sqlite3_stmt_readonly(handle) != 0 }

  /// Whether the statement is an EXPLAIN.
  package var isExplanation: Bool { sqlite3_stmt_isexplain(handle) != 0 }

  /// Starts again with other values.
  ///
  /// - Throws: `.range` if their number is not that of the parameters.
  package func start(_ values: [Value] = []) throws(SQLiteError) {
    statement.reset()
    try statement.bind(values)
  }

  /// Advances to the next row; false if there is none.
  package func next() throws(SQLiteError) -> Bool { try statement.step() }

  /// The current row.
  package func withRow<R>(_ body: (borrowing Row) throws(SQLiteError) -> R) throws(SQLiteError) -> R
  {
    try body(Row(statement: statement))
  }

  /// Ends the reading and clears the values.
  package func reset() { statement.reset() }
}

extension Connection {
  /// Compiles a statement whose rows are read one by one.
  ///
  /// - Throws: `.misuse` for a text of no or several statements.
  package func cursor(_ sql: String) throws(SQLiteError) -> RowCursor {
    RowCursor(try SQLText(sql, path: path).only(on: requireHandle(.prepare)), self)
  }

  /// Calls a closure with each statement of a script, in order.
  ///
  /// A statement is compiled when the closure has returned for the one before, so it may use what that one has
  /// made. Its offset is that of the space and the comments before it, in bytes.
  package func forEachStatement(
    of script: String,
    _ body: (RowCursor, _ sql: String, _ offset: Int) throws -> Void
  ) throws {
    let source = try SQLText(script, path: path)
    var offset = 0
    var start = 0
    while let statement = try source.next(from: &offset, on: requireHandle(.prepare)) {
      try body(RowCursor(statement, self), statement.sql, start)
      start = offset
    }
  }
}
