import StrataSQLite
import TestSupport
import Testing

@Suite struct RowTests {
  @Test(
    arguments: [
      .null, .integer(.min), .integer(.max), 0.5, .real(-.infinity), "", "ä\0b😀", [], [0, 255],
    ] as [Value]
  )
  func `a value comes back as it went in`(value: Value) throws {
    try withWriter { connection in
      try connection.run("INSERT INTO t VALUES (1, ?)", value)
      let found = try connection.first("SELECT v, typeof(v) FROM t") { row in
        (try row.value(0), try row.text(1).uppercased())
      }
      #expect(found?.0 == value)
      #expect(found?.1 == value.storageClass.rawValue)
    }
  }

  @Test func `a blob of a megabyte comes back as it went in`() throws {
    try withWriter { connection in
      let blob = (0..<1 << 20).map { UInt8(truncatingIfNeeded: $0 &* 31) }
      try connection.run("INSERT INTO t VALUES (1, ?)", .blob(blob))
      let isSame = try connection.first("SELECT v FROM t") { try $0.blob(0) } == blob
      #expect(isSame)
    }
  }

  @Test func `an empty blob is not NULL`() throws {
    try withWriter { connection in
      try connection.run("INSERT INTO t VALUES (1, ?), (2, ?)", .blob([]), .null)
      let found = try connection.all("SELECT v FROM t ORDER BY k") { try $0.optionalBlob(0) }
      #expect(found == [[], nil])
    }
  }

  @Test func `a column of another storage class is an error, never a conversion`() throws {
    let connection = try Connection.inMemory()
    let sql = "SELECT 1 AS i, 1.5 AS r, '7' AS t, x'37' AS b, NULL AS n"
    try connection.forEach(sql) { row in
      for column in 0..<row.count {
        #expect((try sqliteError { _ = try row.int(column) } == nil) == (column == 0))
        #expect((try sqliteError { _ = try row.real(column) } == nil) == (column == 1))
        #expect((try sqliteError { _ = try row.text(column) } == nil) == (column == 2))
        #expect((try sqliteError { _ = try row.blob(column) } == nil) == (column == 3))
        #expect(try row.isNull(column) == (column == 4))
      }
      let error = try sqliteError { _ = try row.int(2) }
      #expect(error?.code == .mismatch)
      #expect(error?.operation == .read)
      #expect(error?.message == "column 2 (t) holds TEXT, not INTEGER")
      #expect(error?.sql == sql)
      return .continue
    }
  }

  @Test(arguments: [-1, 1])
  func `a column that does not exist is an error`(column: Int) throws {
    let connection = try Connection.inMemory()
    let error = try sqliteError { try connection.first("SELECT 1") { _ = try $0.value(column) } }
    #expect(error?.code == .range)
  }

  @Test func `a text that is no UTF-8 is an error`() throws {
    let connection = try Connection.inMemory()
    let error = try sqliteError {
      try connection.first("SELECT CAST(x'61ff62' AS TEXT)") { _ = try $0.text(0) }
    }
    #expect(error?.code == .mismatch)
  }

  @Test func `a blob is read in place`() throws {
    let connection = try Connection.inMemory()
    let sum = try connection.first("SELECT x'010203'") { row in
      try row.withBlob(0) { bytes in bytes.reduce(0) { $0 + Int($1) } }
    }
    #expect(sum == 6)
    let count = try connection.first("SELECT zeroblob(0)") { try $0.withBlob(0) { $0.count } }
    #expect(count == 0)
  }

  @Test func `NULL is nil only where it is asked for`() throws {
    let connection = try Connection.inMemory()
    try connection.forEach("SELECT NULL, 2, 0.5, 't'") { row throws in
      #expect(try row.optionalInt(0) == nil)
      #expect(try row.optionalReal(0) == nil)
      #expect(try row.optionalText(0) == nil)
      #expect(try row.optionalInt(1) == 2)
      #expect(try row.optionalReal(2) == 0.5)
      #expect(try row.optionalText(3) == "t")
      #expect(try sqliteError { _ = try row.optionalInt(3) }?.code == .mismatch)
      #expect(try row.name(3) == "'t'")
      return .continue
    }
  }
}
