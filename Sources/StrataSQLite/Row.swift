import CStrataSQLite

/// The current row of a query, valid inside the closure that receives it.
///
/// A column is read only as the storage class it has. Reading a TEXT as an integer throws, where SQLite
/// itself would return 0. Columns count from 0.
package struct Row: ~Copyable {
  let statement: Statement

  /// The number of columns.
  package var count: Int { Int(sqlite3_data_count(statement.handle)) }

  /// The path of the file, for errors.
  package var path: String { statement.path }

  /// The name of a column in the query.
  ///
  /// - Throws: `.range` for a column that does not exist.
  package func name(_ column: Int) throws(SQLiteError) -> String {
    let index = try index(column)
    return sqlite3_column_name(statement.handle, index).map { String(cString: $0) } ?? ""
  }

  /// The storage class of a column's value.
  ///
  /// - Throws: `.range` for a column that does not exist.
  package func storageClass(_ column: Int) throws(SQLiteError) -> Value.StorageClass {
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

  /// A copy of the value of any storage class.
  ///
  /// O(length).
  ///
  /// - Throws: `.range` for a column that does not exist, `.mismatch` for a text that is not valid UTF-8.
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
        message: "column \(column) does not exist: the row has \(count)",
        sql: statement.sql,
        path: statement.path
      )
    }
    return Int32(column)
  }

  func index(_ column: Int, holding wanted: Value.StorageClass) throws(SQLiteError) -> Int32 {
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
