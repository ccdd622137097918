import CStrataSQLite

/// SQL text as bytes, compiled statement by statement.
struct SQLText {
  private let bytes: [UInt8]
  private let path: String

  /// Refuses a text with a NUL, because SQLite would ignore what follows it.
  init(_ sql: String, path: String) throws(SQLiteError) {
    bytes = Array(sql.utf8)
    self.path = path
    if bytes.contains(0) {
      throw SQLiteError(
        code: .misuse,
        operation: .prepare,
        message: "the SQL contains a NUL",
        sql: sql,
        path: path
      )
    }
  }

  /// Compiles a text of exactly one statement, for the cache.
  func only(on connection: OpaquePointer) throws(SQLiteError) -> Statement {
    var offset = 0
    let flags = UInt32(SQLITE_PREPARE_PERSISTENT)
    guard let statement = try next(from: &offset, on: connection, flags: flags) else {
      throw misuse("the SQL contains no statement")
    }
    guard try next(from: &offset, on: connection, flags: 0) == nil else {
      throw misuse("the SQL contains more than one statement")
    }
    return statement
  }

  /// Compiles the next statement and advances past it; nil when only space and comments are left.
  func next(from offset: inout Int, on connection: OpaquePointer, flags: UInt32 = 0)
    throws(SQLiteError) -> Statement?
  {
    while offset < bytes.count {
      let start = offset
      var handle: OpaquePointer?
      let status = bytes.withUnsafeBytes { buffer -> Int32 in
        let text = buffer.baseAddress.map {
          ($0 + start).assumingMemoryBound(to: CChar.self)
        }
        var tail: UnsafePointer<CChar>?
        let status = sqlite3_prepare_v3(
          connection,
          text,
          Int32(clamping: bytes.count - start),
          flags,
          &handle,
          &tail
        )
        if let text, let tail { offset = start + (tail - text) }
        return status
      }
      guard status == SQLITE_OK else {
        throw SQLiteError(
          status,
          on: connection,
          operation: .prepare,
          sql: text(from: start),
          path: path
        )
      }
      if let handle {
        let sql = sqlite3_sql(handle).map { String(cString: $0) } ?? text(from: start)
        return Statement(handle: handle, sql: sql, path: path)
      }
      if offset <= start { break }
    }
    return nil
  }

  private func text(from offset: Int) -> String {
    String(decoding: bytes[offset...], as: UTF8.self)
  }

  private func misuse(_ message: String) -> SQLiteError {
    SQLiteError(
      code: .misuse,
      operation: .prepare,
      message: message,
      sql: text(from: 0),
      path: path
    )
  }
}
