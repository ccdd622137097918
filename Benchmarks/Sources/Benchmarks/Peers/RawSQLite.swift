import CBenchmarks
import Foundation

/// The part of SQLite's C interface that the peers use.
final class RawSQLite {
  struct Failure: Error, CustomStringConvertible {
    var description: String
  }

  private var handle: OpaquePointer?

  init(_ path: String, synchronous: String) throws {
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
    try check(sqlite3_open_v2(path, &handle, flags, nil))
    try execute("PRAGMA journal_mode = WAL")
    try execute("PRAGMA synchronous = \(synchronous)")
  }

  deinit { sqlite3_close_v2(handle) }

  func execute(_ sql: String) throws { try check(sqlite3_exec(handle, sql, nil, nil, nil)) }

  func prepare(_ sql: String) throws -> RawStatement {
    var statement: OpaquePointer?
    try check(
      sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
    )
    return RawStatement(statement)
  }

  private func check(_ code: Int32) throws {
    guard code == SQLITE_OK else {
      throw Failure(description: String(cString: sqlite3_errmsg(handle)))
    }
  }
}
