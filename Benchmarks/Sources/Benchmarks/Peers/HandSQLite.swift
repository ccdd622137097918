import CBenchmarks
import Foundation

/// SQLite's C interface, as little of it as a program written by hand uses.
final class HandSQLite {
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

  func prepare(_ sql: String) throws -> HandStatement {
    var statement: OpaquePointer?
    try check(
      sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
    )
    return HandStatement(statement)
  }

  private func check(_ code: Int32) throws {
    guard code == SQLITE_OK else {
      throw Failure(description: String(cString: sqlite3_errmsg(handle)))
    }
  }
}

/// A prepared statement; binding counts from 1.
final class HandStatement {
  private let handle: OpaquePointer?

  init(_ handle: OpaquePointer?) { self.handle = handle }

  deinit { sqlite3_finalize(handle) }

  func bind(_ index: Int32, _ value: Int64) { sqlite3_bind_int64(handle, index, value) }

  func bind(_ index: Int32, _ value: Double) { sqlite3_bind_double(handle, index, value) }

  func bind(_ index: Int32, _ value: String) {
    var value = value
    _ = value.withUTF8 { utf8 in
      utf8.withMemoryRebound(to: CChar.self) {
        benchmark_bind_text(handle, index, $0.baseAddress, Int32($0.count))
      }
    }
  }

  func bind(_ index: Int32, _ bytes: [UInt8]) {
    _ = bytes.withUnsafeBytes {
      benchmark_bind_blob(handle, index, $0.baseAddress, Int32($0.count))
    }
  }

  func run() throws {
    let code = sqlite3_step(handle)
    sqlite3_reset(handle)
    guard code == SQLITE_DONE else {
      throw HandSQLite.Failure(description: String(cString: sqlite3_errstr(code)))
    }
  }
}
