import CBenchmarks
import Foundation

/// A prepared statement; indexes start at 1.
final class RawStatement {
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
      throw RawSQLite.Failure(description: String(cString: sqlite3_errstr(code)))
    }
  }
}
