import CStrataSQLite

/// A connection without the safeguards of the library, to write into a file what no store writes.
final class RawDatabase {
  /// A value of a row as it is stored, whatever its type.
  enum Value: Equatable {
    case null
    case integer(Int64)
    case real(Double)
    /// The bytes of a text, which need not be UTF-8.
    case text([UInt8])
    case blob([UInt8])

    var integer: Int64 { if case .integer(let number) = self { number } else { 0 } }

    var bytes: [UInt8] {
      switch self {
      case .text(let bytes), .blob(let bytes): bytes
      case .null, .integer, .real: []
      }
    }
  }

  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  private var handle: OpaquePointer?

  init(_ path: String) throws {
    guard
      sqlite3_open_v2(path, &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nil) == SQLITE_OK
    else { throw failure() }
    // Checks of a table would refuse what is to be written.
    try execute("PRAGMA ignore_check_constraints = ON")
  }

  deinit { sqlite3_close_v2(handle) }

  /// The number of rows that the last statement changed.
  var changes: Int { Int(sqlite3_changes(handle)) }

  func execute(_ sql: String) throws {
    guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else { throw failure() }
  }

  /// Runs one statement and returns its rows.
  @discardableResult
  func rows(_ sql: String, _ values: [Value] = []) throws -> [[Value]] {
    var statement: OpaquePointer?
    guard sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK else {
      throw failure()
    }
    defer { sqlite3_finalize(statement) }
    for (index, value) in values.enumerated() { bind(value, Int32(index + 1), statement) }
    var rows: [[Value]] = []
    while true {
      switch sqlite3_step(statement) {
      case SQLITE_ROW:
        rows.append((0..<sqlite3_column_count(statement)).map { Self.value($0, statement) })
      case SQLITE_DONE: return rows
      default: throw failure()
      }
    }
  }

  private func bind(_ value: Value, _ index: Int32, _ statement: OpaquePointer?) {
    switch value {
    case .null: sqlite3_bind_null(statement, index)
    case .integer(let number): sqlite3_bind_int64(statement, index, number)
    case .real(let number): sqlite3_bind_double(statement, index, number)
    case .text(let bytes):
      bytes.withUnsafeBytes {
        _ = strata_bind_text(
          statement,
          index,
          $0.baseAddress?.assumingMemoryBound(to: CChar.self),
          UInt64(bytes.count)
        )
      }
    case .blob(let bytes):
      bytes.withUnsafeBytes {
        _ = strata_bind_blob(statement, index, $0.baseAddress, UInt64(bytes.count))
      }
    }
  }

  private static func value(_ index: Int32, _ statement: OpaquePointer?) -> Value {
    switch sqlite3_column_type(statement, index) {
    case SQLITE_INTEGER: return .integer(sqlite3_column_int64(statement, index))
    case SQLITE_FLOAT: return .real(sqlite3_column_double(statement, index))
    case SQLITE_TEXT:
      let start = sqlite3_column_text(statement, index)
      let count = Int(sqlite3_column_bytes(statement, index))
      return .text(Array(UnsafeBufferPointer(start: start, count: count)))
    case SQLITE_BLOB:
      let start = sqlite3_column_blob(statement, index)
      let count = Int(sqlite3_column_bytes(statement, index))
      return .blob(Array(UnsafeRawBufferPointer(start: start, count: count)))
    default: return .null
    }
  }

  private func failure() -> Failure {
    Failure(description: String(cString: sqlite3_errmsg(handle)))
  }
}
