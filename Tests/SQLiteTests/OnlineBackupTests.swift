import Foundation
import StrataSQLite
import TestSupport
import Testing

/// Copies a database page by page.
struct OnlineBackupTests {
  /// Calls a closure with a writer whose rows fill a page each, and an empty file as the destination.
  private func withFiles<R>(
    rows: Int,
    vfs: String? = nil,
    _ body: (Connection, Connection, String) throws -> R
  ) throws -> R {
    try withTemporaryDirectory { directory in
      let source = try makeWriter(at: directory.appendingPathComponent("test.db").path, vfs: vfs)
      try source.transaction {
        for key in 0..<rows { try insert(Int64(key), into: source) }
      }
      let path = directory.appendingPathComponent("copy.db").path
      return try body(source, try Connection(path: path, mode: .create), path)
    }
  }

  private func insert(_ key: Int64, into connection: Connection) throws {
    try connection.run("INSERT INTO t VALUES (?, zeroblob(3500))", [.integer(key)])
  }

  @Test
  func `what the source writes between steps is in the copy, and a step says how far it is`() throws
  {
    try withFiles(rows: 50) { source, destination, path in
      let backup = try OnlineBackup(from: source, to: destination)
      var key: Int64 = 1_000
      var last = 0
      while case .copying(let done, let count) = try backup.step(pages: 5) {
        #expect(done > last && done < count)
        last = done
        for table in [key, key + 500] { try insert(table, into: source) }
        try source.run("DELETE FROM t WHERE k = ?", [.integer(key - 1_000)])
        key += 1
        if key == 1_020 { try source.checkpoint(.passive) }
      }
      #expect(key > 1_010)
      try backup.finish()
      try destination.close()
      let copy = try Connection(path: path, mode: .readOnly)
      #expect(try keys(copy) == keys(source))
      #expect(try copy.integrityCheck() == [])
    }
  }

  @Test
  func `a connection cannot close under a copy, and can when it is finished or given up`() throws {
    try withFiles(rows: 50) { source, destination, _ in
      let backup = try OnlineBackup(from: source, to: destination)
      #expect(try backup.step(pages: 5) != .complete)
      #expect(try sqliteError { try source.close() }?.code.primary == .busy)
      try backup.finish()
      try backup.finish()
      #expect(try sqliteError { try backup.step(pages: 5) }?.code == .misuse)
      try source.close()
    }
  }

  @Test
  func `a file that cannot be read ends the copy with the reason`() throws {
    let vfs = try FaultVFS(name: "online-backup")
    try withFiles(rows: 600, vfs: vfs.name) { source, destination, _ in
      let backup = try OnlineBackup(from: source, to: destination)
      vfs.failNext(.read, in: .wal, code: .ioerrRead, times: .sticky)
      let error = try sqliteError { try backup.step(pages: -1) }
      #expect(error?.code == .ioerrRead)
      #expect(error?.operation == .backup)
      vfs.heal()
    }
  }
}
