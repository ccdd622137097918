import Foundation
import StrataSQLite
import TestSupport
import Testing

@Suite struct OpeningTests {
  @Test func `a file that does not exist is created only when asked to`() throws {
    try withTemporaryDirectory { directory in
      let path = directory.appendingPathComponent("new.db").path
      let error = try sqliteError { _ = try Connection(path: path, mode: .readWrite) }
      #expect(error?.code == .cantOpen)
      #expect(error?.operation == .open)
      #expect(error?.path == path)
      #expect(error?.systemErrno == ENOENT)
      _ = try makeWriter(at: path)
      #expect(try Connection(path: path, mode: .readWrite).journalMode() == "wal")
    }
  }

  @Test func `a read-only connection refuses writes`() throws {
    try withWriter { writer in
      let reader = try Connection(path: writer.path, mode: .readOnly)
      let error = try sqliteError { try reader.run("INSERT INTO t VALUES (1, NULL)") }
      #expect(error?.code == .readOnly)
      #expect(try reader.first("PRAGMA query_only") { try $0.int(0) } == 1)
      try reader.execute("PRAGMA query_only = OFF")
      #expect(try sqliteError { try reader.run("DELETE FROM t") }?.code == .readOnly)
      #expect(try keys(reader) == [])
    }
  }

  @Test func `a writing connection that is granted only reading is refused`() throws {
    try withTemporaryDirectory { directory in
      let path = directory.appendingPathComponent("test.db").path
      try makeWriter(at: path).close()
      let vfs = try FaultVFS(name: "write-protected")
      vfs.protectFromWriting()
      let error = try sqliteError {
        _ = try Connection(path: path, mode: .readWrite, vfs: vfs.name)
      }
      #expect(error?.code == .readOnly)
      #expect(error?.operation == .open)
    }
  }

  @Test(arguments: ["a b", "50%", "what?mode=rwc", "#1", "ä€😀", "100%20x", "a&b=c", "\"q\"'s"])
  func `an immutable file opens under any name`(name: String) throws {
    try withTemporaryDirectory { directory in
      let path = directory.path + "/" + name
      let writer = try makeWriter(at: path)
      try writer.run("INSERT INTO t VALUES (7, NULL)")
      try writer.close()
      let reader = try Connection(path: path, mode: .immutable)
      #expect(try keys(reader) == [7])
      #expect(try sqliteError { try reader.run("DELETE FROM t") }?.code == .readOnly)
      #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == [name])
    }
  }

  @Test(arguments: ["file:a?mode=memory", ":memory:"])
  func `a name that SQLite would interpret is only a name`(name: String) {
    // The path is relative, because only the start of a name is interpreted. It is opened for reading, so
    // that no file is created in the working directory.
    #expect(throws: SQLiteError.self) { try Connection(path: name, mode: .readOnly) }
  }

  @Test(arguments: ["", "a\0b"])
  func `a path that is none is refused`(path: String) throws {
    #expect(try sqliteError { _ = try Connection(path: path, mode: .create) }?.code == .cantOpen)
  }

  @Test func `a file that is no database is refused when first read and keeps its bytes`() throws {
    try withTemporaryDirectory { directory in
      let file = directory.appendingPathComponent("notes.txt")
      let content = Data(String(repeating: "no database\n", count: 100).utf8)
      try content.write(to: file)
      let connection = try Connection(path: file.path, mode: .readWrite)
      let error = try sqliteError { try connection.configureWriter(newFile: header) }
      #expect(error?.code == .notADB)
      try connection.close()
      #expect(try Data(contentsOf: file) == content)
    }
  }

  @Test func `a connection is hardened before its first statement`() throws {
    try withWriter { connection in
      func pragma(_ name: String) throws -> Value? {
        try connection.first("PRAGMA \(name)") { try $0.value(0) }
      }
      #expect(try pragma("trusted_schema") == 0)
      #expect(try pragma("busy_timeout") == 5000)
      #expect(try pragma("cell_size_check") == 1)
      #expect(try pragma("temp_store") == 2)
      #expect(try pragma("mmap_size") == 0)
      #expect(try sqliteError { try connection.execute("ATTACH ':memory:' AS other") } != nil)
      // Apple's SQLite is built without the function.
      #expect(
        ["not authorized", "no such function: load_extension"].contains(
          try sqliteError { try connection.execute("SELECT load_extension('x')") }?.message
        )
      )
      // Defensive mode makes the pragma a no-op (sqlite.org/c3ref/c_dbconfig_defensive.html).
      try connection.execute("PRAGMA writable_schema = ON")
      #expect(
        try sqliteError { try connection.execute("DELETE FROM sqlite_schema") }?.message
          == "table sqlite_master may not be modified"
      )
      #expect(
        try sqliteError { try connection.execute("SELECT zeroblob(67108865)") }?.code == .tooBig
      )
    }
  }

  @Test func `a closed connection says so instead of crashing`() throws {
    try withWriter { connection in
      try connection.close()
      try connection.close()
      let error = try sqliteError { try connection.run("SELECT 1") }
      #expect(error?.code == .misuse)
      #expect(error?.message == "the connection is closed")
    }
  }

  @Test func `closing inside a row closure is refused and harms nothing`() throws {
    try withWriter { connection in
      try connection.forEach("SELECT 1") { _ in
        let error = try sqliteError { try connection.close() }
        #expect(error?.code == .busy)
        return .continue
      }
      #expect(try keys(connection) == [])
    }
  }

  @Test func `the last connection checkpoints on close unless told not to`() throws {
    try withWriter { connection in
      let wal = connection.path + "-wal"
      #expect(connection.checkpointsOnClose == .automatic)
      connection.checkpointsOnClose = .never
      #expect(connection.checkpointsOnClose == .never)
      try connection.close()
      #expect(try (size(wal) ?? 0) > 0)
      let reader = try Connection(path: connection.path, mode: .readOnly)
      #expect(reader.checkpointsOnClose == .never)
      try reader.close()
      try Connection(path: connection.path, mode: .readWrite).run("SELECT 1 FROM t")
      #expect(try size(wal) == nil)
    }
  }
}
