import StrataSQLite
import TestSupport
import Testing

/// The numbers 1 to `count` with a text; `numbers(N)` has the multiples of its argument only.
private final class Numbers: VirtualTable {
  let declaration = "CREATE TABLE x(n INTEGER, name TEXT, \"step:argument\" HIDDEN)"
  let count: Int64
  /// The plans and the values with which it was read.
  var reads: [String] = []
  /// The columns that were asked for.
  var columns: Set<Int> = []
  var failure: TestError?

  init(_ count: Int64) { self.count = count }

  func plan(_ request: IndexRequest) -> Bool {
    for column in 0...1 where request.isUsed(column) { columns.insert(column) }
    var number = 0
    var argument = 0
    // The argument first, as the cursor expects it.
    for constraint in request.constraints.sorted(by: { $0.column > $1.column })
    where constraint.comparison == .equal {
      guard constraint.isUsable else {
        if constraint.column == 2 { return false }
        continue
      }
      if constraint.column == 2 {
        number |= 1
        request.pass(constraint, as: argument, .no)
        argument += 1
      } else if constraint.column == 0, request.collation(of: constraint) == "BINARY" {
        number |= request.passAllValues(of: constraint) ? 4 : 2
        request.pass(constraint, as: argument, .again)
        argument += 1
      }
    }
    if request.order.count == 1, request.order[0].column == 0, !request.order[0].isDescending {
      request.promiseOrder()
      number |= 8
    }
    request.answer(
      plan: number,
      cost: number & 6 == 0 ? 1_000 : 10,
      rows: number & 6 == 0 ? 1_000 : 1
    )
    return true
  }

  func makeCursor() throws -> any VirtualTableCursor { NumbersCursor(self) }
}

private final class NumbersCursor: VirtualTableCursor {
  private let table: Numbers
  private var numbers: ArraySlice<Int64> = []

  init(_ table: Numbers) { self.table = table }

  func filter(_ plan: Int, _ arguments: FilterArguments) throws {
    var argument = 0
    var step: Int64 = 1
    if plan & 1 == 1, case .integer(let value) = try arguments.value(argument) {
      step = value
      argument += 1
    }
    var values: [Value]?
    if plan & 2 != 0 { values = [try arguments.value(argument)] }
    if plan & 4 != 0 { values = try arguments.values(argument) }
    table.reads.append("\(plan) \(values.map { "\($0)" } ?? "all")")
    numbers =
      (1...table.count).filter { number in
        number % step == 0 && values?.contains(.integer(number)) ?? true
      }[...]
  }

  var isAtEnd: Bool { numbers.isEmpty }

  func next() throws {
    if let failure = table.failure { throw failure }
    numbers.removeFirst()
  }

  func column(_ index: Int, _ result: ColumnResult) throws {
    let number = numbers.first ?? 0
    if index == 0 {
      result.set(number)
    } else if number % 2 == 0 {
      result.set("number \(number)")
    }
  }

  var rowID: Int64 { numbers.first ?? 0 }
}

struct VirtualTableTests {
  private let connection: Connection
  private let numbers = Numbers(100)

  init() throws {
    connection = try .inMemory()
    try connection.addTable("numbers", numbers)
  }

  private func values(_ sql: String) throws -> [Value] {
    try connection.all(sql) { row throws(SQLiteError) in try row.value(0) }
  }

  @Test func `its rows are read as those of a table`() throws {
    #expect(try values("SELECT sum(n) FROM numbers") == [5050])
    #expect(try values("SELECT name FROM numbers WHERE n IN (3, 4)") == [nil, "number 4"])
    #expect(try values("SELECT count(*) FROM numbers a JOIN numbers b USING (n)") == [100])
    #expect(try values("SELECT rowid FROM numbers WHERE name = 'number 8'") == [8])
  }

  @Test func `a condition reaches the cursor, and all values of IN at once`() throws {
    #expect(try values("SELECT n FROM numbers WHERE n = 7") == [7])
    #expect(try values("SELECT n FROM numbers WHERE n IN (7, 9, 500)") == [7, 9])
    #expect(numbers.reads == ["2 [StrataSQLite.Value.integer(7)]", numbers.reads[1]])
    #expect(numbers.reads[1].hasPrefix("4 ["))
    #expect(numbers.reads[1].contains("500"))
  }

  @Test func `an argument makes it a table-valued function`() throws {
    #expect(try values("SELECT n FROM numbers(30)") == [30, 60, 90])
    #expect(try values("SELECT n FROM numbers(30) WHERE n = 60") == [60])
  }

  @Test func `a promised order is not sorted again`() throws {
    let plan = try connection.all("EXPLAIN QUERY PLAN SELECT n FROM numbers ORDER BY n") {
      row throws(SQLiteError) in try row.text(3)
    }
    #expect(plan.count == 1)
    let descending = try connection.all("EXPLAIN QUERY PLAN SELECT n FROM numbers ORDER BY n DESC")
    {
      row throws(SQLiteError) in try row.text(3)
    }
    #expect(descending.last == "USE TEMP B-TREE FOR ORDER BY")
  }

  @Test func `only the columns that are read are announced`() throws {
    _ = try values("SELECT count(*) FROM numbers")
    #expect(numbers.columns == [])
    _ = try values("SELECT n FROM numbers LIMIT 1")
    #expect(numbers.columns == [0])
  }

  @Test func `an error of the cursor ends the statement, and is returned once`() throws {
    numbers.failure = TestError()
    let error = try sqliteError { try values("SELECT sum(n) FROM numbers") }
    #expect(error?.code == .error)
    #expect(connection.takeTableError() is TestError)
    #expect(connection.takeTableError() == nil)
  }

  @Test func `the authorizer is not asked about its declaration`() throws {
    var actions: Set<StatementAction> = []
    try connection.setAuthorizer { action in
      actions.insert(action)
      return true
    }
    _ = try connection.cursor("SELECT n FROM numbers")
    #expect(actions == [.select, .read(table: "numbers", column: "n")])
  }

  @Test func `it is released with its connection`() throws {
    weak var released: Numbers?
    do {
      let connection = try Connection.inMemory()
      let numbers = Numbers(3)
      released = numbers
      try connection.addTable("numbers", numbers)
      let cursor = try connection.cursor("SELECT n FROM numbers")
      _ = try cursor.next()
    }
    #expect(released == nil)
  }

  @Test func `it cannot be written, dropped or changed`() throws {
    for sql in [
      "DELETE FROM numbers", "DROP TABLE numbers", "ALTER TABLE numbers ADD COLUMN c",
      "CREATE INDEX i ON numbers(n)",
    ] {
      #expect(try sqliteError { try connection.execute(sql) } != nil, "\(sql)")
    }
    #expect(try values("SELECT count(*) FROM numbers") == [100])
  }
}

struct RowCursorTests {
  @Test func `it reads row by row, and starts again with other values`() throws {
    let connection = try Connection.inMemory()
    let cursor = try connection.cursor("SELECT ? AS a UNION ALL SELECT 2")
    #expect(cursor.columns == ["a"])
    #expect(cursor.parameterCount == 1)
    for value in [Value.integer(1), "x", nil] {
      try cursor.start([value])
      #expect(try cursor.next())
      #expect(try cursor.withRow { row throws(SQLiteError) in try row.value(0) } == value)
      #expect(try cursor.next())
      #expect(try !cursor.next())
    }
  }

  @Test func `it knows whether its statement writes`() throws {
    let connection = try Connection.inMemory()
    try connection.execute("CREATE TABLE t(a)")
    #expect(try connection.cursor("SELECT a FROM t").isReadOnly)
    #expect(try !connection.cursor("DELETE FROM t").isReadOnly)
    #expect(try !connection.cursor("VACUUM INTO 'x'").isReadOnly)
    #expect(try connection.cursor("EXPLAIN SELECT 1").isExplanation)
  }
}
