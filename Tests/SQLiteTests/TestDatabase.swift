import Foundation
import StrataSQLite
import TestSupport

let header = FileHeader(applicationID: 0x5354_5241)

/// Calls a closure with a writer on a new file with the table `t(k INTEGER PRIMARY KEY, v ANY)`.
func withWriter<R>(vfs: String? = nil, _ body: (Connection) throws -> R) throws -> R {
  try withTemporaryDirectory { directory in
    try body(makeWriter(at: directory.appendingPathComponent("test.db").path, vfs: vfs))
  }
}

func makeWriter(at path: String, vfs: String? = nil) throws -> Connection {
  let connection = try Connection(path: path, mode: .create, vfs: vfs)
  try connection.configureWriter(newFile: header)
  try connection.execute("CREATE TABLE IF NOT EXISTS t (k INTEGER PRIMARY KEY, v ANY) STRICT")
  return connection
}

func keys(_ connection: Connection) throws -> [Int64] {
  try connection.all("SELECT k FROM t ORDER BY k") { try $0.int(0) }
}

func size(_ path: String) throws -> Int? {
  guard FileManager.default.fileExists(atPath: path) else { return nil }
  return try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
}

/// Overwrites bytes of a file.
func overwrite(_ path: String, offset: UInt64, with bytes: [UInt8]) throws {
  let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
  try file.seek(toOffset: offset)
  try file.write(contentsOf: Data(bytes))
  try file.close()
}

/// The SQLite error that a closure throws; nil if it throws none.
func sqliteError<R>(_ body: () throws -> R) throws -> SQLiteError? {
  do {
    _ = try body()
    return nil
  } catch let error as SQLiteError {
    return error
  }
}

/// An error that the closures of tests throw.
struct TestError: Error, Equatable {}
