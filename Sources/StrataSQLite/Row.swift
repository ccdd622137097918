import CStrataSQLite

/// The row a query stands on, valid inside the closure it is handed to.
///
/// A column is read as the storage class it has: asking a TEXT for an integer throws, where SQLite
/// itself would answer 0. Columns count from 0.
package struct Row: ~Copyable {
  let statement: Statement

  /// How many columns there are.
  package var count: Int { Int(sqlite3_data_count(statement.handle)) }

  /// The name of a column, as the query gives it.
  ///
  /// - Throws: `.range` for a column that does not exist.
  package func name(_ column: Int) throws(SQLiteError) -> String {
    let index = try index(column)
    return sqlite3_column_name(statement.handle, index).map { String(cString: $0) } ?? ""
  }

  /// The storage class of a column's value.
  ///
  /// - Throws: `.range` for a column that does not exist.
  package func storageClass(_ column: Int) throws(SQLiteError) -> StorageClass {
    switch sqlite3_column_type(statement.handle, try index(column)) {
    case SQLITE_INTEGER: .integer
    case SQLITE_FLOAT: .real
    case SQLITE_TEXT: .text
    case SQLITE_BLOB: .blob
    default: .null
    }
  }

  /// Whether a column is NULL.
  ///
  /// - Throws: `.range` for a column that does not exist.
  package func isNull(_ column: Int) throws(SQLiteError) -> Bool {
    try storageClass(column) == .null
  }

  /// Any value, copied out.
  ///
  /// O(length).
  ///
  /// - Throws: `.range` for a column that does not exist, `.mismatch` for a text that is no UTF-8.
  package func value(_ column: Int) throws(SQLiteError) -> Value {
    switch try storageClass(column) {
    case .null: .null
    case .integer: .integer(try int(column))
    case .real: .real(try real(column))
    case .text: .text(try text(column))
    case .blob: .blob(try blob(column))
    }
  }

  func index(_ column: Int) throws(SQLiteError) -> Int32 {
    let count = count
    guard column >= 0, column < count else {
      throw SQLiteError(
        code: .range,
        operation: .read,
        message: "column \(column) of \(count)",
        sql: statement.sql,
        path: statement.path
      )
    }
    return Int32(column)
  }

  func index(_ column: Int, holding wanted: StorageClass) throws(SQLiteError) -> Int32 {
    let found = try storageClass(column)
    guard found == wanted else {
      throw try mismatch(column, "holds \(found.rawValue), not \(wanted.rawValue)")
    }
    return Int32(column)
  }

  func mismatch(_ column: Int, _ reason: String) throws(SQLiteError) -> SQLiteError {
    SQLiteError(
      code: .mismatch,
      operation: .read,
      message: "column \(column) (\(try name(column))) \(reason)",
      sql: statement.sql,
      path: statement.path
    )
  }
}
