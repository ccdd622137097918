/// Whether a query goes on after a row.
package enum RowDecision: Sendable {
  case `continue`, stop
}

/// Queries come in two forms: one whose closure throws anything, and one whose closure is annotated
/// `{ row throws(SQLiteError) in … }` and which then throws nothing else.
extension Connection {
  /// Hands each row to a closure until it says `.stop`, without collecting anything.
  ///
  /// The statement is reset before this returns or throws, so no read transaction outlives the call.
  ///
  /// - Throws: `SQLiteError`, or whatever the closure throws, unchanged.
  package func forEach(
    _ sql: String,
    _ values: [Value] = [],
    _ body: (borrowing Row) throws -> RowDecision
  ) throws {
    if let error = try iterate(sql, values, body) { throw error }
  }

  /// The same for a closure whose errors are SQLite's.
  package func forEach(
    _ sql: String,
    _ values: [Value] = [],
    _ body: (borrowing Row) throws(SQLiteError) -> RowDecision
  ) throws(SQLiteError) {
    if let error = try iterate(sql, values, body) { throw error }
  }

  /// All rows, mapped, in the query's order.
  ///
  /// Memory O(rows).
  ///
  /// - Throws: `SQLiteError`, or whatever the closure throws, unchanged.
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

  /// The same for a closure whose errors are SQLite's.
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

  /// The first row, mapped, or nil when there is none; further rows are not computed.
  ///
  /// - Throws: `SQLiteError`, or whatever the closure throws, unchanged.
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

  /// The same for a closure whose errors are SQLite's.
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

  /// The closure's error is returned, not thrown, so that SQLite's own keeps its type.
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
