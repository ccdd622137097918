import StrataColumns
import StrataSQL
import StrataSQLite
import Testing

@Suite struct ColumnKindTests {
  @Test func `every kind is known by its name and by its declaration`() {
    for kind in ColumnKind.allCases {
      #expect(ColumnKind(declaration: kind.rawValue) == kind)
      #expect(ColumnKind(declaration: kind.declaration.lowercased()) == kind)
    }
  }

  @Test func `names of other databases are known, and others are not`() {
    #expect(ColumnKind(declaration: "varchar(80)") == .string)
    #expect(ColumnKind(declaration: "BIGINT") == .int64)
    #expect(ColumnKind(declaration: "datetime") == .date)
    #expect(ColumnKind(declaration: "") == .any)
    #expect(ColumnKind(declaration: "GEOMETRY") == nil)
  }

  @Test func `SQLite does not convert digits in a column of 64 bits without a sign`() throws {
    let connection = try Connection.inMemory()
    try connection.execute("CREATE TABLE t(a \(ColumnKind.uint64.declaration))")
    try connection.run("INSERT INTO t VALUES (?)", "18446744073709551615")
    let value = try connection.first("SELECT a FROM t") { row throws(SQLiteError) in
      try row.value(0)
    }
    #expect(value == "18446744073709551615")
  }
}
