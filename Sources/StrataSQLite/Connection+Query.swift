/// Each query has two forms. The closure of one throws any error. The closure of the other is annotated
/// `{ row throws(SQLiteError) in … }`, and the query then throws nothing else.
extension Connection {
  /// Whether a query continues after a row.
  package enum RowDecision: Sendable {
    case `continue`, stop
  }

  /// Calls a closure for each row until it returns `.stop`.
  ///
  /// The statement is reset before this returns or throws, so no read transaction outlasts the call.
  ///
  /// - Throws: `SQLiteError`, or the closure's error, unchanged.
  package func forEach(
    _ sql: String,
    _ values: [Value] = [],
    _ body: (borrowing Row) throws -> RowDecision
  ) throws {
    if let error = try iterate(sql, values, body) { throw error }
  }

  /// The form for a closure that throws only SQLite's errors.
  package func forEach(
    _ sql: String,
    _ values: [Value] = [],
    _ body: (borrowing Row) throws(SQLiteError) -> RowDecision
  ) throws(SQLiteError) {
    if let error = try iterate(sql, values, body) { throw error }
  }

  /// Maps all rows, in the query's order.
  ///
  /// Memory O(rows).
  ///
  /// - Throws: `SQLiteError`, or the closure's error, unchanged.
  package func all<T>(
    _ sql: String,
    _ values: [Value] = [],
    _ map: (borrowing Row) throws -> T
  ) throws -> [T] {
    var result: [T] = []
    try forEach(sql, values) { row in
      result.append(try map(row))
      return .continue
    }
    return result
  }

  /// The form for a closure that throws only SQLite's errors.
  package func all<T>(
    _ sql: String,
    _ values: [Value] = [],
    _ map: (borrowing Row) throws(SQLiteError) -> T
  ) throws(SQLiteError) -> [T] {
    var result: [T] = []
    try forEach(sql, values) { row throws(SQLiteError) in
      result.append(try map(row))
      return .continue
    }
    return result
  }

  /// Maps the first row; nil when there is none.
  ///
  /// Further rows are not computed.
  ///
  /// - Throws: `SQLiteError`, or the closure's error, unchanged.
  package func first<T>(
    _ sql: String,
    _ values: [Value] = [],
    _ map: (borrowing Row) throws -> T
  ) throws -> T? {
    var result: T?
    try forEach(sql, values) { row in
      result = try map(row)
      return .stop
    }
    return result
  }

  /// The form for a closure that throws only SQLite's errors.
  package func first<T>(
    _ sql: String,
    _ values: [Value] = [],
    _ map: (borrowing Row) throws(SQLiteError) -> T
  ) throws(SQLiteError) -> T? {
    var result: T?
    try forEach(sql, values) { row throws(SQLiteError) in
      result = try map(row)
      return .stop
    }
    return result
  }

  /// Returns the closure's error instead of throwing it, so that errors of SQLite keep their type.
  private func iterate<E: Error>(
    _ sql: String,
    _ values: [Value],
    _ body: (borrowing Row) throws(E) -> RowDecision
  ) throws(SQLiteError) -> E? {
    try withStatement(sql, values) { (statement) throws(SQLiteError) -> E? in
      while try statement.step() {
        do throws(E) {
          if try body(Row(statement: statement)) == .stop { return nil }
        } catch {
          return error
        }
      }
      return nil
    }
  }
}
