import CStrataSQLite

/// A prepared statement and its position in its rows.
///
/// It does not retain its connection: SQLite keeps a closed connection alive until its last statement is
/// finalized.
final class Statement {
  let handle: OpaquePointer
  let sql: String
  let path: String
  /// Whether a call uses it and has not reset it yet.
  var isRunning = false
  /// The value of the cache's clock at the last use.
  var lastUse: UInt64 = 0

  init(handle: OpaquePointer, sql: String, path: String) {
    self.handle = handle
    self.sql = sql
    self.path = path
  }

  deinit {
    sqlite3_finalize(handle)
  }

  /// Binds all values, in order.
  func bind(_ values: [Value]) throws(SQLiteError) {
    let expected = Int(sqlite3_bind_parameter_count(handle))
    guard values.count == expected else {
      throw SQLiteError(
        code: .range,
        operation: .bind,
        message: "the statement takes \(expected) values, but \(values.count) were passed",
        sql: sql,
        path: path
      )
    }
    var index: Int32 = 0
    for value in values {
      index += 1
      let status = bind(value, at: index)
      guard status == SQLITE_OK else { throw failure(status, .bind) }
    }
  }

  private func bind(_ value: Value, at index: Int32) -> Int32 {
    switch value {
    case .null:
      return sqlite3_bind_null(handle, index)
    case .integer(let number):
      return sqlite3_bind_int64(handle, index, number)
    case .real(let number):
      return sqlite3_bind_double(handle, index, number)
    case .text(var string):
      return string.withUTF8 { bytes in
        bytes.withMemoryRebound(to: CChar.self) {
          strata_bind_text(handle, index, $0.baseAddress, UInt64($0.count))
        }
      }
    case .blob(let bytes):
      return bytes.withUnsafeBytes {
        strata_bind_blob(handle, index, $0.baseAddress, UInt64($0.count))
      }
    }
  }

  /// Advances to the next row; false when there is none.
  func step(as operation: SQLiteError.Operation = .step) throws(SQLiteError) -> Bool {
    switch sqlite3_step(handle) {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    case let status: throw failure(status, operation)
    }
  }

  /// Ends the statement's read or write and clears its values.
  ///
  /// `sqlite3_reset` returns the status of the last step again, which has been thrown already.
  func reset() {
    sqlite3_reset(handle)
    sqlite3_clear_bindings(handle)
    isRunning = false
  }

  private func failure(_ status: Int32, _ operation: SQLiteError.Operation) -> SQLiteError {
    SQLiteError(
      status,
      on: sqlite3_db_handle(handle),
      operation: operation,
      sql: sql,
      path: path
    )
  }
}
