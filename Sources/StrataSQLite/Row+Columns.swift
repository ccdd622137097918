import CStrataSQLite

extension Row {
  /// An INTEGER.
  ///
  /// - Throws: `.mismatch` for another storage class, `.range` for a column that does not exist.
  package func int(_ column: Int) throws(SQLiteError) -> Int64 {
    sqlite3_column_int64(statement.handle, try index(column, holding: .integer))
  }

  /// A REAL; an INTEGER is a mismatch.
  ///
  /// - Throws: `.mismatch` for another storage class, `.range` for a column that does not exist.
  package func real(_ column: Int) throws(SQLiteError) -> Double {
    sqlite3_column_double(statement.handle, try index(column, holding: .real))
  }

  /// A TEXT, including NULs.
  ///
  /// O(length).
  ///
  /// - Throws: `.mismatch` for another storage class, and for bytes that are not valid UTF-8, which
  ///   SQLite stores unchecked; `.range` for a column that does not exist.
  package func text(_ column: Int) throws(SQLiteError) -> String {
    let index = try index(column, holding: .text)
    // The order matters: the length is that of the encoding requested last.
    let start = sqlite3_column_text(statement.handle, index)
    let bytes = UnsafeBufferPointer(
      start: start,
      count: Int(sqlite3_column_bytes(statement.handle, index))
    )
    var text = String(decoding: bytes, as: UTF8.self)
    // Compares buffers, because the text's own UTF-8 view costs several times as much per byte.
    let isWhole = text.withUTF8 { $0.elementsEqual(bytes) }
    guard isWhole else { throw try mismatch(column, "holds TEXT that is not valid UTF-8") }
    return text
  }

  /// A BLOB, copied.
  ///
  /// O(length).
  ///
  /// - Throws: `.mismatch` for another storage class, `.range` for a column that does not exist.
  package func blob(_ column: Int) throws(SQLiteError) -> [UInt8] {
    try Array(blobBytes(column))
  }

  /// Calls a closure with SQLite's own buffer of a BLOB, which is invalid once the closure returns.
  ///
  /// - Throws: The closure's error; `.mismatch` for another storage class, `.range` for a column
  ///   that does not exist.
  package func withBlob<R>(_ column: Int, _ body: (UnsafeRawBufferPointer) throws -> R) throws -> R
  {
    try body(blobBytes(column))
  }

  /// The form for a closure that throws only SQLite's errors.
  package func withBlob<R>(
    _ column: Int,
    _ body: (UnsafeRawBufferPointer) throws(SQLiteError) -> R
  ) throws(SQLiteError) -> R {
    try body(blobBytes(column))
  }

  private func blobBytes(_ column: Int) throws(SQLiteError) -> UnsafeRawBufferPointer {
    let index = try index(column, holding: .blob)
    let start = sqlite3_column_blob(statement.handle, index)
    return UnsafeRawBufferPointer(
      start: start,
      count: Int(sqlite3_column_bytes(statement.handle, index))
    )
  }
}

extension Row {
  /// An INTEGER, or nil for NULL.
  ///
  /// - Throws: `.mismatch` for any other storage class.
  package func optionalInt(_ column: Int) throws(SQLiteError) -> Int64? {
    try isNull(column) ? nil : int(column)
  }

  /// A REAL, or nil for NULL.
  ///
  /// - Throws: `.mismatch` for any other storage class.
  package func optionalReal(_ column: Int) throws(SQLiteError) -> Double? {
    try isNull(column) ? nil : real(column)
  }

  /// A TEXT, or nil for NULL.
  ///
  /// - Throws: `.mismatch` for any other storage class.
  package func optionalText(_ column: Int) throws(SQLiteError) -> String? {
    try isNull(column) ? nil : text(column)
  }

  /// A BLOB, or nil for NULL.
  ///
  /// - Throws: `.mismatch` for any other storage class.
  package func optionalBlob(_ column: Int) throws(SQLiteError) -> [UInt8]? {
    try isNull(column) ? nil : blob(column)
  }
}
