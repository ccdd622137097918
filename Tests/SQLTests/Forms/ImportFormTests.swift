import Foundation
import Strata
import StrataInspection
import StrataJournal
import StrataMaintaining
import StrataMigrating
import StrataRecords
import StrataSQL
import StrataSQLite
import StrataScripts
import TestSupport
import Testing

/// What an import takes, and what it refuses.
@Suite struct ImportFormTests {
  private let sample: FormSample

  init() throws { sample = try FormSample() }

  private func decimal(_ text: String) throws -> RecordValue {
    .decimal(try #require(Decimal(string: text)))
  }

  /// A store with one record of some fields.
  private func store(_ fields: RecordValue.Member...) throws -> String {
    try sample.store("\(UUID().uuidString).strata", [[.init("id", .int(1, .bits64))] + fields])
  }

  private func value(_ field: String, of id: Int64, in path: String) throws -> RecordValue? {
    try sample.fields(of: path)[EncodedID.bytes(of: .int(id, .bits64))]?[field]
  }

  @Test func `a quoted empty cell is an empty text, and an unquoted one is no value`() throws {
    let path = try store(.init("name", .string("Ann")), .init("age", .int(7, .bits64)))
    #expect(try sample.problems("id,name,age\n2,\"\",\n3,,4\n", as: "csv", into: path) == [])
    #expect(try value("name", of: 2, in: path) == .string(""))
    #expect(try value("age", of: 2, in: path) == nil)
    #expect(try value("name", of: 3, in: path) == nil)
    #expect(
      try sample.problems("id,name,age\n4,x,\"\"\n", as: "csv", into: path)
        == ["line 2: age is \"\", which is no integer (an empty cell without quotes is no value)"]
    )
    let strict = try sample.store(
      "strict.strata",
      [
        [.init("id", .int(1, .bits64)), .init("name", .string("a"))]
      ]
    )
    let file = try sample.write("id,name\n2,\n", to: "strict.csv")
    #expect {
      try sample.load(file, into: strict, missingValues: .refuse)
    } throws: { error in
      "\(error)".contains("line 2: name has no value (\"\" is an empty text), and every entity")
    }
    let (_, text, _) = try sample.export(.csv, of: path)
    #expect(text == "id,name,age\n1,Ann,7\n2,\"\",\n3,,4\n")
  }

  @Test func `numbers and times of CSV keep their digits`() throws {
    let path = try store(
      .init("at", .date(Date(timeIntervalSinceReferenceDate: 791_784_306.123_456))),
      .init("price", try decimal("12345678901234567.5")),
      .init("zero", .double(-0.0)),
      .init("nan", .double(.nan)),
      .init("large", .double(1e20)),
      .init("inf", .float(-.infinity))
    )
    let before = try sample.bytes(of: path)
    let (file, text, notes) = try sample.export(.csv, of: path)
    #expect(
      text == """
        id,at,price,zero,nan,large,inf
        1,2026-02-03T04:05:06.123456Z,12345678901234567.5,-0.0,NaN,1e+20,-Infinity

        """
    )
    #expect(notes == [])
    #expect(try sample.load(file, into: path).unchanged == 1)
    let empty = try store(
      .init("at", .date(.distantPast)),
      .init("price", .decimal(1)),
      .init("zero", .double(1)),
      .init("nan", .double(1)),
      .init("large", .double(1)),
      .init("inf", .float(1))
    )
    #expect(try sample.load(file, into: empty).updated == 1)
    #expect(try sample.bytes(of: empty) == before)
  }

  @Test func `what is no decimal is refused by every door`() throws {
    let path = try store(.init("price", .decimal(1)))
    let texts = ["1.234.567", "-", "03.02.2026", "192.168.0.1", String(repeating: "9", count: 39)]
    for text in texts {
      #expect(
        try sample.problems("id,price\n2,\(text)\n", as: "csv", into: path) == [
          "line 2: price is \"\(text)\", which is no decimal such as -1234.5, of at most 38 digits"
        ]
      )
      let json = "{\"id\":2,\"price\":\"\(text)\"}"
      #expect(try sample.problems(json, as: "ndjson", into: path).count == 1, "\(text)")
    }
    let long = "{\"id\":2,\"price\":\(String(repeating: "9", count: 39))}"
    #expect(
      try sample.problems(long, as: "ndjson", into: path)
        == ["line 1: a number has more digits than are stored, which are 38"]
    )
    let exact = "{\"id\":2,\"price\":12345678901234567.50}"
    #expect(try sample.problems(exact, as: "ndjson", into: path) == [])
    #expect(try value("price", of: 2, in: path) == decimal("12345678901234567.5"))
  }

  @Test func `a time that is none is refused with the form of one`() throws {
    let path = try store(.init("at", .date(.distantPast)))
    for text in [" 2026-02-03", "2026-02-03T", "03.02.2026"] {
      #expect(
        try sample.problems("id,at\n2,\(text)\n", as: "csv", into: path) == [
          "line 2: at is \"\(text)\", which is no timestamp such as 2026-02-03T04:05:06.789Z"
        ]
      )
    }
    let rows = "id,at\n2,2026-02-03T04:05:06+02:00\n3,9999-12-31 23:59:59.999999\n"
    #expect(try sample.problems(rows, as: "csv", into: path) == [])
    let at = try #require(Date(timeText: "2026-02-03T02:05:06Z"))
    #expect(try value("at", of: 2, in: path) == .date(at))
    let (file, text, _) = try sample.export(.csv, of: path)
    #expect(text.contains("3,+010000-01-01T00:00:00Z\n"), "\(text)")
    #expect(try sample.load(file, into: path).unchanged == 3)
  }

  @Test func `years beyond 9999 come last in a query`() throws {
    let path = try store(.init("at", .date(Date(timeIntervalSinceReferenceDate: 252_423_993_600))))
    #expect(try sample.problems("id,at\n2,2026-02-03\n", as: "csv", into: path) == [])
    let result = try StoreQuery(path: path).run("SELECT id FROM things ORDER BY at")
    var ids: [Value] = []
    try result.forEach { ids += $0 }
    #expect(ids == [2, 1])
  }

  @Test func `a dictionary of our own export keeps its kinds`() throws {
    let day = RecordValue.date(Date(timeIntervalSinceReferenceDate: 1.5))
    let path = try sample.store(
      "kinds.strata",
      [
        [
          .init("id", .int(1, .bits64)), .init("dates", .object([.init("a", day)])),
          .init("data", .object([.init("a", .data(Data([1, 2])))])),
          .init("counts", .array([day, .int(1, .bits64)])),
        ]
      ]
    )
    let before = try sample.bytes(of: path)
    for form in [StoreExport.Form.ndjson, .csv] {
      let (file, _, notes) = try sample.export(form, of: path)
      let counts = try sample.load(file, into: path)
      #expect(counts.unchanged == 1 && counts.updated == 0, "\(counts)")
      #expect(try sample.bytes(of: path) == before)
      #expect(
        notes
          == ["counts", "data", "dates"].map { field in
            """
            things.\(field): 1 value has kinds that only a store keeps, and not its text. An import leaves them as they are \
            in records that are there. In others, and in another store, the values of a dictionary take the kind of the \
            dictionaries there, if they have one; all else becomes texts and numbers. `strata backup` keeps the kinds.
            """
          }
      )
    }
    // Another value beside it leaves it as it was.
    let changed =
      #"{"id":1,"dates":{"a":"2001-01-01T00:00:01.5Z","b":"2026-02-03"},"data":{"a":"AQI="}}"#
    #expect(try sample.problems(changed, as: "ndjson", into: path) == [])
    let dates = try value("dates", of: 1, in: path)
    #expect(dates?["a"] == day)
    #expect(dates?["b"] == .date(try #require(Date(timeText: "2026-02-03"))))
    #expect(try value("data", of: 1, in: path)?["a"] == .data(Data([1, 2])))
    // The dictionary of a new record has the kind of the others; one that has none of it is a text.
    let json = #"{"id":2,"dates":{"c":"2026-02-03","d":"soon"}}"#
    #expect(try sample.problems(json, as: "ndjson", into: path) == [])
    let second = try value("dates", of: 2, in: path)
    #expect(second?["c"] == .date(try #require(Date(timeText: "2026-02-03"))))
    #expect(second?["d"] == .string("soon"))
    let csv = "id,dates\n" + #"3,"{""c"":""2026-02-03""}""#
    #expect(try sample.problems(csv, as: "csv", into: path) == [])
    #expect(try value("dates", of: 3, in: path)?["c"] == .string("2026-02-03"))
  }

  @Test func `JSON that is none is refused with its cause`() throws {
    let path = try store(.init("a", .int(1, .bits64)))
    for number in ["01", "+1", ".5"] {
      #expect(
        try sample.problems("{\"id\":2,\"a\":\(number)}", as: "ndjson", into: path)
          == ["line 1: it is no JSON object"]
      )
    }
    #expect(
      try sample.problems(#"{"id":2,"a":"\ud800"}"#, as: "ndjson", into: path)
        == ["line 1: a text has half of a surrogate pair"]
    )
  }

  @Test func `titles are names of fields, or of their columns`() throws {
    let path = try store(.init("name", .string("a")), .init("Name", .string("b")))
    let (file, text, _) = try sample.export(.csv, of: path)
    #expect(text == "id,name,Name\n1,a,b\n")
    #expect(try sample.load(file, into: path).unchanged == 1)
    let file2 = try sample.write("id,name,Name:2\n1,a,b\n", to: "columns.csv")
    #expect(try sample.load(file2, into: path).unchanged == 1)
    #expect(
      try sample.problems("id,,x\n2,1,2\n", as: "csv", into: sample.directory.path("new.strata"))
        == ["line 1: title 2 is empty"]
    )
    #expect(throws: ImportError.noTableName) {
      try EntityImport(of: file, into: "", of: path, ifMissing: .create)
    }
  }

  @Test func `a column is there if any record has the member, with the kind of all lines`() throws {
    let path = sample.directory.path("new.strata")
    let lines = """
      {"id":1,"a":1,"n":1,"m":null}
      {"id":18446744073709551615,"a":"x","n":2.5,"m":1,"b":true}
      """
    #expect(try sample.problems(lines, as: "ndjson", into: path) == [])
    let table = try #require(try Inspector(path: path).tables().first)
    let kinds = Dictionary(table.fields.map { ($0.name, $0.kind) }) { first, _ in first }
    #expect(kinds["a"] == "any")
    #expect(kinds["n"] == "double")
    #expect(kinds["b"] == "bool")
    let result = try StoreQuery(path: path).run("SELECT id, a, n, b FROM things WHERE a = 'x'")
    var rows: [[Value]] = []
    try result.forEach { rows.append($0) }
    #expect(rows == [["18446744073709551615", "x", 2.5, 1]])
    for form in [StoreExport.Form.ndjson, .csv] {
      let (file, text, _) = try sample.export(form, of: path)
      #expect(try sample.load(file, into: path).unchanged == 2, "\(text)")
    }
  }

  @Test func `an empty cell in the first line hides no column`() throws {
    let path = sample.directory.path("new.strata")
    #expect(try sample.problems("id,name,note\n1,a,\n2,b,c\n", as: "csv", into: path) == [])
    #expect(
      try StoreQuery(path: path).run("SELECT * FROM things").columns == ["id", "name", "note"]
    )
    #expect(try sample.export(.csv, of: path).text == "id,name,note\n1,a,\n2,b,c\n")
  }

  @Test func `a script does not add a column over values that are there`() async throws {
    let path = try sample.store(
      "hidden.strata",
      [
        [.init("id", .int(1, .bits64))],
        [.init("id", .int(2, .bits64)), .init("note", .string("x"))],
      ]
    )
    let add = try DataMigration(
      "0001_add",
      sql: "ALTER TABLE things ADD COLUMN note TEXT DEFAULT 'y'"
    )
    await #expect {
      try await DataMigrator([add], at: path).up()
    } throws: { error in
      "\(error)".contains("duplicate column name: note")
    }
    #expect(try value("note", of: 2, in: path) == .string("x"))
  }

  @Test func `an export has all of two thousand columns, or SQLite none`() throws {
    let fields = (0..<2_500).map { RecordValue.Member("f\($0)", .int(Int64($0), .bits64)) }
    let path = try sample.store("wide.strata", [[.init("id", .int(1, .bits64))] + fields])
    let (file, text, _) = try sample.export(.csv, of: path)
    #expect(
      text.split(separator: "\n")[1] == "1," + (0..<2_500).map(String.init).joined(separator: ",")
    )
    #expect(try sample.load(file, into: path).unchanged == 1)
    let export = StoreExport(path: path, at: .head(back: 0))
    #expect(throws: QueryError.tooManyColumns("things", count: 2_501)) {
      try export.write(toDatabase: sample.directory.path("wide.sqlite"))
    }
    let some = try sample.store(
      "some.strata",
      [
        [.init("id", .int(1, .bits64))] + fields.prefix(1_950)
      ]
    )
    let target = sample.directory.path("some.sqlite")
    _ = try StoreExport(path: some, at: .head(back: 0)).write(toDatabase: target)
    let connection = try Connection(path: target, mode: .readOnly)
    let count = try connection.first("SELECT count(*) FROM pragma_table_info('things')") {
      row throws(SQLiteError) in try row.int(0)
    }
    try connection.close()
    #expect(count == 1_951)
  }

  @Test func `an absent value is no member, and a stored object of any names is one`() {
    let stored = RecordValue.object([.init("$absent", .bool(true))])
    let rows = RowText(
      [.init("field"), .init("value")],
      [
        [.text("a"), .none], [.text("b"), .value(.null)], [.text("c"), .value(stored)],
      ]
    )
    #expect(
      rows.leavingOut(["value"]).objects == [
        #"{"field":"a"}"#, #"{"field":"b","value":null}"#,
        #"{"field":"c","value":{"$absent":true}}"#,
      ]
    )
  }
}
