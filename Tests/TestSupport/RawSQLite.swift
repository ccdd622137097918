import CStrataSQLite
import Foundation
import StrataBase

/// SQLite without the restrictions of this library's connections, as another program uses it.
package enum RawSQLite {
  /// Whether SQLite has the function load_extension(): Apple's does not.
  package static let loadsExtensions = sqlite3_compileoption_used("OMIT_LOAD_EXTENSION") == 0

  /// SQLite refused a statement.
  package struct Failure: Error {
    package let message: String
  }

  /// Runs statements on a file that no store has open.
  package static func run(_ sql: String, on path: String) throws {
    var handle: OpaquePointer?
    defer { sqlite3_close_v2(handle) }
    guard sqlite3_open_v2(path, &handle, SQLITE_OPEN_READWRITE, nil) == SQLITE_OK,
      sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK
    else { throw Failure(message: String(cString: sqlite3_errmsg(handle))) }
  }

  /// Runs statements on the file of a store that is closed, makes its hashes fit them, and removes its head.
  package static func runAndRecomputeHashes(_ sql: String, on path: String) throws {
    try run(sql, on: path)
    try RawDatabase(path).recomputeHashes()
    let head = path + ".head"
    if FileManager.default.fileExists(atPath: head) {
      try FileManager.default.removeItem(atPath: head)
    }
  }

  private static let hooks = Lock<[String: String]>([:])

  /// Runs statements on every connection that this process opens to a file from now on, before the
  /// connection's owner runs any.
  ///
  /// A trigger of the schema `temp` changes what a store writes. Triggers of the file do not run.
  package static func runOnOpening(_ path: String, _ sql: String) {
    hooks.withLock { $0[path] = "PRAGMA temp_store=MEMORY; " + sql }
    registration
  }

  /// Ends what ``runOnOpening(_:_:)`` started.
  package static func stopRunningOnOpening(_ path: String) {
    hooks.withLock { $0[path] = nil }
  }

  private static let registration: Void = {
    typealias EntryPoint =
      @convention(c) (
        OpaquePointer?, UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?, OpaquePointer?
      ) -> Int32
    let entry: EntryPoint = { handle, _, _ in
      guard let handle, let name = sqlite3_db_filename(handle, "main"),
        let sql = RawSQLite.hooks.withLock({ $0[String(cString: name)] })
      else { return SQLITE_OK }
      return sqlite3_exec(handle, sql, nil, nil, nil)
    }
    sqlite3_auto_extension(unsafeBitCast(entry, to: (@convention(c) () -> Void).self))
  }()
}
