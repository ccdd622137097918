import Foundation
import StrataSQLite
import TestSupport
import Testing

@Suite struct WriterTests {
  @Test func `a new file gets its header before its first table`() throws {
    try withTemporaryDirectory { directory in
      let path = directory.appendingPathComponent("new.db").path
      let connection = try Connection(path: path, mode: .create)
      let header = FileHeader(applicationID: 0x5354_5241, userVersion: 3)
      #expect(try connection.pageCount() == 0)
      #expect(try connection.configureWriter(newFile: header) == .new)
      #expect(try connection.applicationID() == 0x5354_5241)
      #expect(try connection.userVersion() == 3)
      #expect(try connection.pageSize() == 4096)
      #expect(try connection.journalMode() == "wal")
      #expect(try connection.first("PRAGMA auto_vacuum") { try $0.int(0) } == 2)
    }
  }

  @Test func `an existing file keeps its header`() throws {
    try withWriter { first in
      try first.close()
      let second = try Connection(path: first.path, mode: .create)
      let other = FileHeader(applicationID: 1, userVersion: 9)
      #expect(try second.configureWriter(newFile: other) == .existing)
      #expect(try second.applicationID() == header.applicationID)
      #expect(try second.userVersion() == 0)
    }
  }

  @Test func `a writer leaves syncs and checkpoints to its owner`() throws {
    try withWriter { connection throws in
      func pragma(_ name: String) throws -> Value? {
        try connection.first("PRAGMA \(name)") { try $0.value(0) }
      }
      #expect(try pragma("synchronous") == 1)
      #expect(try pragma("wal_autocheckpoint") == 0)
      #expect(try pragma("journal_size_limit") == 33_554_432)
      #expect(try pragma("secure_delete") == 2)
    }
  }

  @Test func `a database that cannot have a WAL is refused as a writer`() throws {
    let connection = try Connection.inMemory()
    let error = try sqliteError { try connection.configureWriter(newFile: header) }
    #expect(error?.operation == .configure)
  }

  @Test func `freed pages go back in one call`() throws {
    try withWriter { connection in
      try connection.run("INSERT INTO t VALUES (1, zeroblob(400000))")
      try connection.run("DELETE FROM t")
      let free = try connection.freelistCount()
      #expect(free > 90)
      #expect(try connection.incrementalVacuum(pages: 10) == 10)
      #expect(try connection.incrementalVacuum(pages: 100_000) == free - 10)
      #expect(try connection.freelistCount() == 0)
      #expect(try connection.incrementalVacuum(pages: 0) == 0)
    }
  }

  @Test func `a compact copy holds the same rows and replaces nothing`() throws {
    try withWriter { connection in
      try connection.run("INSERT INTO t VALUES (1, 'x')")
      let path = connection.path + " copy"
      try connection.vacuum(into: path)
      let copy = try Connection(path: path, mode: .readOnly)
      #expect(try keys(copy) == [1])
      #expect(try copy.applicationID() == header.applicationID)
      let error = try sqliteError { try connection.vacuum(into: path) }
      #expect(error?.operation == .maintain)
      #expect(try sqliteError { try connection.execute("ATTACH ':memory:' AS other") } != nil)
    }
  }

  @Test func `checks find a broken structure and nothing in a sound one`() throws {
    try withWriter { connection in
      try connection.execute("CREATE INDEX i ON t(v); INSERT INTO t VALUES (1, 'a'), (2, 'b')")
      #expect(try connection.quickCheck() == [])
      #expect(try connection.integrityCheck() == [])
      try connection.close()
      // The number of free pages (sqlite.org/fileformat.html, offset 36).
      try overwrite(connection.path, offset: 36, with: [0, 0, 0, 5])
      let damaged = try Connection(path: connection.path, mode: .readOnly)
      #expect(try !damaged.integrityCheck().isEmpty)
      #expect(try !damaged.quickCheck().isEmpty)
    }
  }

  @Test func `the library in use is named`() {
    #expect(Connection.libraryVersion.hasPrefix("3."))
  }
}
