import StrataSQLite
import TestSupport
import Testing

/// Objects that another program planted in a file do not run.
struct PlantedSchemaTests {
  @Test func `a trigger of the file does not run`() throws {
    try withWriter { connection in
      try connection.execute("CREATE TRIGGER planted AFTER INSERT ON t BEGIN DELETE FROM t; END")
      try connection.run("INSERT INTO t VALUES (1, NULL)")
      #expect(try keys(connection) == [1])
    }
  }

  @Test func `a view of the file cannot be read`() throws {
    try withWriter { connection in
      try connection.execute("CREATE VIEW planted AS SELECT 1 AS k")
      let error = try sqliteError {
        try connection.all("SELECT k FROM planted") { try $0.int(0) }
      }
      #expect(error?.operation == .prepare)
    }
  }

  @Test func `a computed column of the statistics ends at a limit`() throws {
    try withWriter { connection in
      try connection.run("INSERT INTO t VALUES (1, NULL)")
      try connection.execute("ANALYZE; CREATE TABLE rows (n INTEGER PRIMARY KEY) STRICT")
      try connection.transaction {
        for number in Int64(0)..<50 {
          try connection.run("INSERT INTO rows VALUES (?)", [.integer(number)])
        }
      }
      // Joined with itself, it has more rows than any machine counts.
      let joined = (0..<8).map { "rows r\($0)" }.joined(separator: ", ")
      let error = try sqliteError {
        try connection.withSchemaLimits { () throws(SQLiteError) in
          try connection.all("SELECT count(*) FROM \(joined)") { row throws(SQLiteError) in
            try row.int(0)
          }
        }
      }
      #expect(error?.code == .interrupt)
      let large = try sqliteError {
        try connection.withSchemaLimits { () throws(SQLiteError) in
          try connection.all("SELECT zeroblob(2000000)") { row throws(SQLiteError) in
            try row.blob(0)
          }
        }
      }
      #expect(large?.code == .tooBig)
      #expect(
        try connection.all("SELECT zeroblob(2000000)") { try $0.blob(0).count } == [2_000_000]
      )
    }
  }
}
