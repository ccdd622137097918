import StrataSQLite
import TestSupport
import Testing

@Suite struct TransactionTests {
  @Test func `a transaction whose closure throws leaves nothing`() throws {
    try withWriter { connection throws in
      #expect(throws: TestError()) {
        try connection.transaction {
          try connection.run("INSERT INTO t VALUES (1, NULL)")
          throw TestError()
        }
      }
      #expect(!connection.isInTransaction)
      #expect(try keys(connection) == [])
    }
  }

  @Test func `a throw in the rows of a query inside a transaction rolls it back`() throws {
    try withWriter { connection throws in
      #expect(throws: TestError()) {
        try connection.transaction {
          try connection.run("INSERT INTO t VALUES (1, NULL)")
          try connection.forEach("SELECT k FROM t") { _ in throw TestError() }
        }
      }
      #expect(try connection.transaction { try connection.run("INSERT INTO t VALUES (2, 1)") } == 1)
      #expect(try keys(connection) == [2])
    }
  }

  @Test func `a transaction inside a transaction is refused and the outer one goes on`() throws {
    try withWriter { connection in
      try connection.transaction {
        try connection.run("INSERT INTO t VALUES (1, NULL)")
        let error = try sqliteError { try connection.transaction {} }
        #expect(error?.operation == .begin)
        #expect(connection.isInTransaction)
        try connection.run("INSERT INTO t VALUES (2, NULL)")
      }
      #expect(try keys(connection) == [1, 2])
    }
  }

  @Test func `a full database rolls back and says so`() throws {
    try withWriter { connection in
      try connection.run("INSERT INTO t VALUES (1, NULL)")
      try connection.setMaximumPageCount(connection.pageCount() + 4)
      let error = try sqliteError {
        try connection.transaction {
          try connection.run("INSERT INTO t VALUES (2, NULL)")
          try connection.run("INSERT INTO t VALUES (3, zeroblob(1000000))")
        }
      }
      #expect(error?.code == .full)
      #expect(error?.operation == .step)
      #expect(!connection.isInTransaction)
      #expect(try keys(connection) == [1])
      try connection.setMaximumPageCount(1_000_000)
      try connection.transaction { try connection.run("INSERT INTO t VALUES (4, NULL)") }
      #expect(try keys(connection) == [1, 4])
    }
  }

  @Test func `a rollback by SQLite that the closure swallowed is no commit`() throws {
    try withWriter { connection in
      let error = try sqliteError {
        try connection.transaction {
          try connection.run("INSERT INTO t VALUES (1, NULL)")
          _ = try sqliteError {
            try connection.run("INSERT OR ROLLBACK INTO t VALUES (1, NULL)")
          }
        }
      }
      #expect(error?.code == .abortRollback)
      #expect(try keys(connection) == [])
    }
  }

  @Test func `an error by which SQLite rolled back is the one thrown`() throws {
    try withWriter { connection in
      let error = try sqliteError {
        try connection.transaction {
          try connection.run("INSERT INTO t VALUES (1, NULL)")
          try connection.run("INSERT OR ROLLBACK INTO t VALUES (1, NULL)")
        }
      }
      #expect(error?.code == .constraintPrimaryKey)
      try connection.transaction {}
    }
  }

  @Test func `an error of the commit itself is told from the others`() throws {
    try withWriter { connection in
      try connection.execute(
        """
        CREATE TABLE parent (k INTEGER PRIMARY KEY);
        CREATE TABLE child (p INTEGER REFERENCES parent DEFERRABLE INITIALLY DEFERRED);
        PRAGMA foreign_keys = ON
        """
      )
      let error = try sqliteError {
        try connection.transaction { try connection.run("INSERT INTO child VALUES (1)") }
      }
      #expect(error?.operation == .commit)
      #expect(error?.code.primary == .constraint)
      #expect(!connection.isInTransaction)
    }
  }

  @Test func `the result form gives the closure's error as a value`() throws {
    try withWriter { connection in
      let result = try connection.transactionResult { () throws(TestError) -> Int in
        throw TestError()
      }
      #expect(result == .failure(TestError()))
      #expect(!connection.isInTransaction)
    }
  }

  @Test func `a reader sees what is committed, and one moment of it in a read transaction`() throws
  {
    try withWriter { writer in
      let reader = try Connection(path: writer.path, mode: .readOnly)
      let version = try reader.dataVersion()
      try writer.transaction {
        try writer.run("INSERT INTO t VALUES (1, NULL)")
        #expect(try keys(reader) == [])
      }
      #expect(try keys(reader) == [1])
      #expect(try reader.dataVersion() != version)
      try reader.readTransaction {
        #expect(try keys(reader) == [1])
        try writer.run("INSERT INTO t VALUES (2, NULL)")
        #expect(try keys(reader) == [1])
      }
      #expect(try keys(reader) == [1, 2])
    }
  }

  @Test func `a read transaction that met damage and went on ends without an error`() throws {
    try withWriter { writer in
      try writer.transaction {
        for number in Int64(1)...200 {
          try writer.run(
            "INSERT INTO t VALUES (?, ?)",
            [.integer(number), .blob([UInt8](repeating: 1, count: 500))]
          )
        }
      }
      let root = try writer.first("SELECT rootpage FROM sqlite_schema WHERE name = 't'") {
        try $0.int(0)
      }
      try writer.checkpoint(.truncate)
      try writer.close()
      try overwrite(
        writer.path,
        offset: UInt64(try #require(root) - 1) * 4096 + 8,
        with: [0, 0, 0, 0]
      )
      let reader = try Connection(path: writer.path, mode: .readOnly)
      let code = try reader.readTransaction {
        try sqliteError { try reader.all("SELECT k FROM t WHERE k > 190") { try $0.int(0) } }?.code
      }
      #expect(code?.primary == .corrupt)
      #expect(!reader.isInTransaction)
      #expect(try reader.readTransaction { try reader.userVersion() } == 0)
    }
  }

  @Test(arguments: ["COMMIT", "ROLLBACK", "BEGIN"])
  func `transaction control can be forbidden`(statement: String) throws {
    try withWriter { connection in
      try connection.transaction {
        try connection.run("INSERT INTO t VALUES (1, NULL)")
        let error = try sqliteError {
          try connection.withoutTransactionControl { () throws(SQLiteError) in
            try connection.execute("INSERT INTO t VALUES (2, NULL); \(statement)")
          }
        }
        #expect(error?.code == .auth)
        #expect(connection.isInTransaction)
      }
      #expect(try keys(connection) == [1, 2])
    }
  }
}
