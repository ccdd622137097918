import StrataSQLite
import TestSupport
import Testing

struct ConfinementTests {
  private let connection: Connection

  init() throws {
    connection = try .inMemory()
    try connection.execute("CREATE TABLE t(a, b)")
  }

  @Test func `the authorizer is asked about every table, column and function`() throws {
    var actions: Set<StatementAction> = []
    try connection.setAuthorizer { action in
      actions.insert(action)
      return true
    }
    _ = try connection.cursor(
      "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 3) "
        + "SELECT upper(a), (SELECT count(*) FROM t) FROM t, c"
    )
    #expect(
      actions.isSuperset(of: [
        .select, .read(table: "t", column: "a"), .read(table: "t", column: ""),
        .function("upper"), .recursion,
      ])
    )
    #expect(!actions.contains(.read(table: "t", column: "b")))
  }

  @Test func `what the authorizer refuses is not compiled`() throws {
    var refused: [StatementAction] = []
    try connection.setAuthorizer { action in
      switch action {
      case .select, .read, .function, .recursion: return true
      case .change, .update, .alter, .alterTemporary, .useTemporary, .check, .index, .other:
        refused.append(action)
        return false
      }
    }
    let cases: [(String, StatementAction)] = [
      ("ATTACH ':memory:' AS x", .other("ATTACH")), ("PRAGMA page_size", .other("PRAGMA")),
      ("DELETE FROM t", .change("DELETE", table: "t")),
      ("CREATE TEMP TABLE u(a)", .useTemporary),
      ("BEGIN", .other("a transaction")),
    ]
    for (sql, action) in cases {
      refused = []
      let error = try sqliteError { try connection.cursor(sql) }
      #expect(error?.code == .auth, "\(sql)")
      #expect(refused.first == action, "\(sql)")
    }
    try connection.setAuthorizer(nil)
    _ = try connection.cursor("DELETE FROM t")
  }

  @Test func `an endless statement is interrupted`() throws {
    var calls = 0
    try connection.setInterruption(every: 100) {
      calls += 1
      return calls > 1_000
    }
    let endless = "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT n FROM c"
    let error = try sqliteError {
      try connection.first("SELECT count(*) FROM (\(endless))") { row throws(SQLiteError) in
        try row.int(0)
      }
    }
    #expect(error?.code == .interrupt)
    try connection.setInterruption(nil)
    #expect(try connection.first("SELECT 1") { row throws(SQLiteError) in try row.int(0) } == 1)
  }

  @Test func `limits of the connection end statements that exceed them`() throws {
    try connection.setLimit(.valueBytes, to: 1_000)
    #expect(
      try sqliteError {
        try connection.first("SELECT length(randomblob(1e9))") { row throws(SQLiteError) in
          try row.int(0)
        }
      }?.code == .tooBig
    )
    let before = try connection.setLimit(.columns, to: 3)
    #expect(before >= 2_000)
    #expect(try sqliteError { try connection.cursor("SELECT 1, 2, 3, 4") } != nil)
    #expect(try connection.setLimit(.columns, to: before) == 3)
  }

  @Test func `the place of a mistake is known`() throws {
    #expect(try sqliteError { try connection.cursor("SELECT a, nothing FROM t") } != nil)
    #expect(connection.lastErrorOffset == 10)
  }

  @Test func `a temporary database keeps what does not fit its memory`() throws {
    let connection = try Connection.temporary(cacheBytes: 64 << 10)
    try connection.execute("CREATE TABLE t(a)")
    try connection.transaction {
      for _ in 0..<2_000 { try connection.run("INSERT INTO t VALUES (randomblob(1000))") }
    }
    let size = try connection.first("SELECT sum(length(a)) FROM t") { row throws(SQLiteError) in
      try row.int(0)
    }
    #expect(size == 2_000_000)
  }
}
