import StrataSQLite
import TestSupport
import Testing

@Suite struct StatementTests {
  @Test func `a statement is reset after a row closure throws`() throws {
    try withWriter { connection in
      try connection.run("INSERT INTO t VALUES (1, NULL), (2, NULL)")
      #expect(throws: TestError()) {
        try connection.forEach("SELECT k FROM t") { _ in throw TestError() }
      }
      // An unfinished SELECT would keep its snapshot, and the checkpoint could not empty the WAL.
      try connection.transaction { try connection.run("INSERT INTO t VALUES (3, NULL)") }
      let result = try connection.checkpoint(.truncate)
      #expect(
        result == Connection.CheckpointResult(walFrames: 0, checkpointedFrames: 0, isBusy: false)
      )
      #expect(try size(connection.path + "-wal") == 0)
      #expect(try keys(connection) == [1, 2, 3])
    }
  }

  @Test func `a statement is reset after it was stopped`() throws {
    try withWriter { connection in
      try connection.run("INSERT INTO t VALUES (1, NULL), (2, NULL)")
      var seen: [Int64] = []
      try connection.forEach("SELECT k FROM t") { row in
        seen.append(try row.int(0))
        return .stop
      }
      #expect(seen == [1])
      #expect(try connection.first("SELECT k FROM t") { try $0.int(0) } == 1)
      #expect(try connection.checkpoint(.truncate).isComplete)
    }
  }

  @Test func `a statement is reset after its step fails`() throws {
    try withWriter { connection in
      let insert = "INSERT INTO t VALUES (?, ?)"
      try connection.run(insert, 1, "a")
      let error = try sqliteError { try connection.run(insert, 1, "secret") }
      #expect(error?.code == .constraintPrimaryKey)
      #expect(error?.code.primary == .constraint)
      #expect(error?.operation == .step)
      #expect(error?.sql == insert)
      #expect(error.map { "\($0)".contains("secret") } == false)
      #expect(try connection.run(insert, 2, "b") == 1)
      #expect(try connection.checkpoint(.truncate).isComplete)
    }
  }

  @Test func `a call that gives too few values is refused, whatever the last one gave`() throws {
    try withWriter { connection in
      let select = "SELECT ?"
      #expect(try connection.first(select, ["x"]) { try $0.value(0) } == "x")
      let error = try sqliteError { try connection.run(select, []) }
      #expect(error?.code == .range)
      #expect(error?.message == "the statement takes 1 values, but 0 were passed")
    }
  }

  @Test func `a query may run itself inside its own rows`() throws {
    try withWriter { connection in
      try connection.run("INSERT INTO t VALUES (1, NULL), (2, NULL)")
      let pairs = try connection.all("SELECT k FROM t ORDER BY k") { row in
        [try row.int(0)] + (try keys(connection))
      }
      #expect(pairs == [[1, 1, 2], [2, 1, 2]])
    }
  }

  @Test func `more texts than the cache holds keep working`() throws {
    try withWriter { connection in
      for round in 0..<2 {
        for number in 0..<300 {
          let found = try connection.first("SELECT \(number)") { try $0.int(0) }
          #expect(found == Int64(number), "round \(round)")
        }
      }
    }
  }

  @Test func `run counts the rows of its own statement`() throws {
    try withWriter { connection throws in
      #expect(try connection.run("INSERT INTO t VALUES (1, NULL), (2, NULL), (3, NULL)") == 3)
      #expect(try connection.run("SELECT * FROM t") == 0)
      #expect(try connection.run("CREATE TABLE u (k)") == 0)
      #expect(try connection.run("UPDATE t SET v = 1 WHERE k > ?", 1) == 2)
      #expect(try connection.run("DELETE FROM t WHERE k = 9") == 0)
    }
  }

  @Test(arguments: ["SELECT 1; SELECT 2", "", " -- nothing", "SELECT 1\0; DROP TABLE t"])
  func `run takes exactly one statement`(sql: String) throws {
    try withWriter { connection in
      let error = try sqliteError { try connection.run(sql) }
      #expect(error?.code == .misuse)
      #expect(error?.operation == .prepare)
    }
  }

  @Test func `a script runs to its end`() throws {
    try withWriter { connection in
      try connection.run("SELECT 1; -- with a remark")
      try connection.execute(
        "INSERT INTO t VALUES (1, NULL); /* ; */ INSERT INTO t VALUES (2, ';');;\n-- end"
      )
      #expect(try keys(connection) == [1, 2])
      let error = try sqliteError { try connection.execute("DELETE FROM t; SELEC 1; SELECT 2") }
      #expect(error?.operation == .prepare)
      #expect(error?.code == .error)
      #expect(try keys(connection) == [])
    }
  }

  @Test func `typed closures throw nothing but SQLite errors`() throws {
    func sum(_ connection: Connection) throws(SQLiteError) -> Int64 {
      var sum: Int64 = 0
      try connection.forEach("SELECT k FROM t") { row throws(SQLiteError) in
        sum += try row.int(0)
        return .continue
      }
      let all = try connection.all("SELECT k FROM t") { row throws(SQLiteError) in try row.int(0) }
      let first = try connection.first("SELECT max(k) FROM t") { row throws(SQLiteError) in
        try row.int(0)
      }
      return try connection.transaction { () throws(SQLiteError) in
        sum + all.reduce(0, +) + (first ?? 0)
      }
    }
    try withWriter { connection in
      try connection.run("INSERT INTO t VALUES (1, NULL), (2, NULL)")
      #expect(try sum(connection) == 8)
    }
  }
}
