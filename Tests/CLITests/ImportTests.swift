import Foundation
import Strata
import StrataInspection
import StrataJournal
import StrataMaintaining
import StrataRecords
import StrataStorage
import TestSupport
import Testing

/// Numbers that may be out of range.
private struct Weight: EntityType {
  typealias RawID = Int
  static let tableName: TableName = "weights"
  let id: EntityID<Weight>
  var mass: Double
  var ratio: Float
}

/// An entity with the members that a line of `strata export` has.
private struct Cell: EntityType {
  struct Content: Codable, Equatable, Sendable {
    var number: Int
  }

  typealias RawID = Int
  static let tableName: TableName = "cells"
  let id: EntityID<Cell>
  var table: String
  var value: Content
}

private struct NumbersDatabase: DatabaseType {
  var weights = EntityTable<Weight>()
  var cells = EntityTable<Cell>()

  static let schema = DatabaseSchema<NumbersDatabase> {
    Entities(\.weights)
    Entities(\.cells)
  }
}

private struct NumbersState: StateType {
  var db = NumbersDatabase()
}

extension Folder {
  /// Writes a file, and returns its path.
  fileprivate func write(_ text: String, to name: String) throws -> String {
    try Data(text.utf8).write(to: URL(fileURLWithPath: path(name)))
    return path(name)
  }

  /// A closed store with a weight and a cell.
  fileprivate func closedNumbers() async throws -> String {
    let path = path("numbers.strata")
    let persistence = try await openNumbers()
    Store<NumbersState, Never>(persistence).commit {
      $0.db.weights.insert(Weight(id: 1, mass: 1.5, ratio: 0.5))
      $0.db.cells.insert(Cell(id: 1, table: "a", value: Cell.Content(number: 1)))
    }
    try await persistence.close()
    return path
  }

  fileprivate func openNumbers() async throws -> Persistence<NumbersState, NumbersDatabase> {
    try await Persistence.open(
      at: path("numbers.strata"),
      initialState: NumbersState(),
      database: \.db
    )
  }
}

private func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

@Suite struct ImportTests {
  @Test func `what is exported comes back with the same values, as NDJSON and as CSV`()
    async throws
  {
    let folder = try Folder()
    let path = folder.path("app.strata")
    let tracker = try await Tracker(at: path)
    try await tracker.commitSample()
    let issues = tracker.store.state.db.issues
    try await tracker.persistence.close()
    for (form, revision) in [("ndjson", 7), ("csv", 9)] {
      let file = folder.path("issues.\(form)")
      let export = try await Program.shell(
        #""$0" export "$1" issues "$2" > "$3""#,
        path,
        "--\(form)",
        file
      )
      #expect(export.status == 0)
      // What is there already makes no commit.
      let same = try await Program.strata("import", path, "issues", file, "--json")
      #expect(try member("unchanged", of: same.output) == "3")
      let removed = try await Tracker(at: path)
      removed.store.commit { $0.db.issues.removeAll() }
      try await removed.persistence.close()
      let imported = try await Program.strata("import", path, "issues", file)
      #expect(imported.errors == "")
      #expect(
        imported.output
          == "3 entities inserted, 0 updated, 0 unchanged in issues, at revision \(revision + 1).\n"
      )
      let again = try await Tracker(at: path)
      #expect(again.store.state.db.issues == issues, "\(form)")
      try await again.persistence.close()
      #expect(try await Program.strata("verify", path).status == 0)
    }
  }

  @Test func `a wrong line leaves every byte as it was, and a dry run too`() async throws {
    let folder = try Folder()
    let path = folder.path("app.strata")
    let tracker = try await Tracker(at: path)
    try await tracker.commitSample()
    try await tracker.persistence.close()
    let lines = (100..<200).map { number in
      #"{"id":\#(number),"project":"web","title":"\#(number)","state":"open","labels":["a"]}"#
    }
    let good = folder.path("good.ndjson")
    try Data(lines.joined(separator: "\n").utf8).write(to: URL(fileURLWithPath: good))
    let wrong = folder.path("wrong.ndjson")
    let labels = #"{"id":300,"project":"web","title":"x","state":"open","labels":["a",7]}"#
    let text = (lines + ["{\"id\":\"x\"}", lines[3], labels]).joined(separator: "\n")
    try Data(text.utf8).write(to: URL(fileURLWithPath: wrong))
    let before = try await folder.contents()
    let run = try await Program.strata("import", path, "issues", wrong)
    #expect(run.status == 1)
    #expect(run.output == "")
    #expect(run.errors.contains("line 101: id is \"x\", which is no integer"))
    #expect(run.errors.contains("line 102: the ID 103 is on line 4 already"))
    #expect(run.errors.contains("line 103: labels[1] is 7, which is no text"))
    let dry = try await Program.strata("import", path, "issues", good, "--dry-run")
    #expect(dry.status == 0)
    #expect(dry.output.contains("100 entities inserted"))
    #expect(try await folder.contents() == before)
    #expect(try await Program.strata("import", path, "issues", good).status == 0)
    #expect(try await folder.contents() != before)
  }

  @Test func `a created store opens in a program`() async throws {
    let folder = try Folder()
    let path = folder.path("new.strata")
    let file = folder.path("projects.csv")
    try Data("id,name\nweb,Website\napp,\"App, with a comma\"\n".utf8)
      .write(to: URL(fileURLWithPath: file))
    let run = try await Program.strata("import", path, "projects", file, "--create")
    #expect(run.status == 0, "\(run.errors)")
    let persistence = try await Persistence.open(
      at: path,
      initialState: TrackerState(),
      database: \.db
    )
    let projects = persistence.initialState.db.projects
    #expect(projects.count == 2)
    #expect(projects["app"]?.name == "App, with a comma")
    try await persistence.close()
  }

  @Test func `an interrupted move of the files is completed before a store is created`()
    async throws
  {
    let time = Date(timeIntervalSince1970: 1_790_000_000)
    let rows = "id,name\n7,Gil\n"
    // On the way back the store comes last: its WAL and head are in place already.
    let returning = try Folder()
    let path = try await returning.unclosedSample()
    let before = try await returning.contents()
    let set = try Quarantine.add(storeAt: path, reason: "a test", now: time)
    var restore = try set.makeRestore(now: time)
    while !exists(path + "-wal") || !exists(path + ".head") { _ = try restore.step() }
    #expect(!exists(path))
    let people = try returning.write(rows, to: "people.csv")
    let run = try await Program.strata("import", path, "people", people, "--create")
    #expect(run.status != 0)
    #expect(run.errors.contains("there is already a file at"))
    let after = try await returning.contents()
    for name in ["app.strata", "app.strata-wal", "app.strata.head"] {
      #expect(after[name] == before[name], "\(name)")
    }

    // On the way out the store goes last, so that its set is not complete yet.
    let leaving = try Folder()
    let other = try await leaving.unclosedSample()
    var move = try QuarantineMove(of: StorePath(other, for: .opening), reason: "a test", now: time)
    while exists(other) { _ = try move.step() }
    #expect(try Quarantine.all(besideStoreAt: other).isEmpty)
    let file = try leaving.write(rows, to: "people.csv")
    let created = try await Program.strata("import", other, "people", file, "--create")
    #expect(created.status == 0, "\(created.errors)")
    #expect(try Quarantine.all(besideStoreAt: other).count == 1)
    #expect(try await Program.strata("verify", other).status == 0)
  }

  @Test func `a store is not created beside the WAL or the journal of another one`()
    async throws
  {
    let folder = try Folder()
    let path = try await folder.unclosedSample()
    let file = try folder.write("id,name\n7,Gil\n", to: "people.csv")
    try FileManager.default.removeItem(atPath: path)
    let fresh = folder.path("fresh.strata")
    _ = try folder.write("journal", to: "fresh.strata-journal")
    let before = try await folder.contents()
    for arguments in [["--create"], ["--create", "--dry-run"]] {
      for (store, text) in [
        (path, "there is already a file at \(path)-wal"), (fresh, "is a rollback journal"),
      ] {
        let run = try await Program.run(
          Program.strataPath(),
          ["import", store, "people", file] + arguments
        )
        #expect(run.status != 0)
        #expect(run.errors.contains(text), "\(run.errors)")
      }
    }
    var after = try await folder.contents()
    after["fresh.strata.lock"] = nil
    after["app.strata.lock"] = before["app.strata.lock"]
    #expect(after == before)
  }

  @Test func `a store whose files were on the way back is completed, not missing`() async throws {
    let folder = try Folder()
    let path = try await folder.closedSample()
    let time = Date(timeIntervalSince1970: 1_790_000_000)
    let set = try Quarantine.add(storeAt: path, reason: "a test", now: time)
    var restore = try set.makeRestore(now: time)
    while !exists(path + ".head") { _ = try restore.step() }
    #expect(!exists(path))
    let revision = try NamedSnapshots(of: path).create("now")
    #expect(revision.number == (try Inspector(path: path).info().revision))
    #expect(revision > 0)
    // Nothing is written beside a store that is not there.
    let nowhere = folder.path("nowhere.strata")
    #expect(throws: PersistenceError.self) { try NamedSnapshots(of: nowhere).create("now") }
    #expect(!exists(nowhere + ".lock"))
  }

  @Test func `a column of a new table holds numbers only where each cell is written as one`()
    async throws
  {
    let folder = try Folder()
    let path = folder.path("new.strata")
    let file = try folder.write(
      """
      id,zip,phone,long,nan,inf,hex,fixed,count,real,mixed,small
      1,007,+4930123,12345678901234567890,Nan,Inf,0x1p3,1.50,-3,-2.5,1,1e-05
      2,8,+4930124,12345678901234567891,nan,inf,0x1p4,2.25,4,1e+20,2.5,0.5
      """,
      to: "rows.csv"
    )
    let run = try await Program.strata("import", path, "rows", file, "--create")
    #expect(run.status == 0, "\(run.errors)")
    let first = try #require(try Inspector(path: path).show(table: "rows").first).value
    #expect(first["zip"] == .string("007"))
    #expect(first["phone"] == .string("+4930123"))
    #expect(first["long"] == .string("12345678901234567890"))
    #expect(first["nan"] == .string("Nan"))
    #expect(first["inf"] == .string("Inf"))
    #expect(first["hex"] == .string("0x1p3"))
    #expect(first["fixed"] == .string("1.50"))
    #expect(first["count"] == .int(-3, .bits64))
    #expect(first["real"] == .double(-2.5))
    // Integers among doubles are doubles.
    #expect(first["mixed"] == .double(1))
    #expect(first["small"] == .double(1e-05))
  }

  @Test func `a number that is out of range is a wrong line`() async throws {
    let folder = try Folder()
    let path = try await folder.closedNumbers()
    let before = try await folder.contents()
    let json = try folder.write(
      """
      {"id":2,"mass":1e999,"ratio":1}
      {"id":3,"mass":1,"ratio":1e300}
      {"id":4,"mass":1,"ratio":-1e300}
      {"id":5,"mass":"nan","ratio":1}
      """,
      to: "weights.ndjson"
    )
    let cells = ["1e999", "nan", "inf", "-Inf", "0x1p3", " 1"]
    let csv = try folder.write(
      "id,mass,ratio\n" + cells.enumerated().map { "\($0 + 10),\($1),1\n" }.joined()
        + "20,1,1e300\n",
      to: "weights.csv"
    )
    let first = try await Program.strata("import", path, "weights", json)
    #expect(first.status == 1)
    for line in 1...4 { #expect(first.errors.contains("line \(line): "), "\(first.errors)") }
    let second = try await Program.strata("import", path, "weights", csv)
    #expect(second.status == 1)
    for line in 2...8 { #expect(second.errors.contains("line \(line): "), "\(second.errors)") }
    for name in ["weights.ndjson", "weights.csv"] {
      try FileManager.default.removeItem(atPath: folder.path(name))
    }
    #expect(try await folder.contents() == before)
    // As `strata export` writes them.
    let words = try folder.write(
      #"{"id":6,"mass":"Infinity","ratio":"NaN"}"#,
      to: "words.ndjson"
    )
    #expect(try await Program.strata("import", path, "weights", words).status == 0)
    let again = try await folder.openNumbers()
    let weight = try #require(again.initialState.db.weights[6])
    #expect(weight.mass == .infinity)
    #expect(weight.ratio.isNaN)
    try await again.close()
  }

  @Test func `an import that is stopped midway leaves no new store`() async throws {
    let folder = try Folder()
    let path = folder.path("new.strata")
    let text = String(repeating: "0123456789abcdef", count: 1 << 12)
    let lines = (0..<16).map { #"{"id":\#($0),"text":"\#(text)\#($0)"}"# }
    let file = try folder.write(lines.joined(separator: "\n"), to: "rows.ndjson")
    let line = #"ulimit -f 512; exec "$0" import "$1" rows "$2" --create"#
    let run = try await Program.shell(line, path, file)
    #expect(run.status != 0)
    #expect(!exists(path))
    let whole = try await Program.strata("import", path, "rows", file, "--create")
    #expect(whole.status == 0, "\(whole.errors)")
    #expect(try Inspector(path: path).show(table: "rows").count == 16)
    #expect(try await Program.strata("verify", path).status == 0)
  }

  @Test func `a dry run of a new store checks where it would be`() async throws {
    let folder = try Folder()
    let file = try folder.write("id,name\n7,Gil\n", to: "people.csv")
    let before = try await folder.contents()
    for name in ["nowhere/new.strata", "people.csv/new.strata"] {
      let path = folder.path(name)
      let run = try await Program.strata("import", path, "people", file, "--create", "--dry-run")
      #expect(run.status != 0, "\(name)")
    }
    let path = folder.path("new.strata")
    let run = try await Program.strata("import", path, "people", file, "--create", "--dry-run")
    #expect(run.status == 0)
    #expect(try await folder.contents() == before)
  }

  @Test func `an entity that has no record is a wrong line`() {
    var addition = EntityAddition(to: "texts", named: "import")
    func problem(_ size: Int) -> String? {
      let text = RecordValue.string(String(repeating: "x", count: size))
      let members: [RecordValue.Member] = [.init("id", .int(1, .bits64)), .init("text", text)]
      return addition.add([1], members)
    }
    #expect(problem(32 << 20) == "its record is larger than 32 MB")
    #expect(problem(100) == nil)
  }

  @Test func `a file without entities of the table creates nothing`() async throws {
    let folder = try Folder()
    let path = try await folder.closedSample()
    let other = try folder.write(
      #"{"table":"users","id":7,"value":{"id":7}}"#,
      to: "users.ndjson"
    )
    let empty = try folder.write("id,name\n", to: "empty.csv")
    let before = try await folder.contents()
    for store in [path, folder.path("new.strata")] {
      for file in [other, empty] {
        let run = try await Program.strata("import", store, "people", file, "--create")
        #expect(run.status == 1, "\(run.output)")
        #expect(run.errors.contains("has no entity of people"), "\(run.errors)")
      }
    }
    #expect(try await folder.contents() == before)
  }

  @Test func `a value that every entity has may be left out where the caller says so`()
    async throws
  {
    let folder = try Folder()
    let path = try await folder.closedNumbers()
    let json = try folder.write(#"{"id":2,"mass":1}"#, to: "weights.ndjson")
    let csv = try folder.write("id,mass\n3,1\n", to: "weights.csv")
    for file in [json, csv] {
      let refused = try await Program.strata("import", path, "weights", file)
      #expect(refused.status == 1)
      #expect(refused.errors.contains("ratio"))
      #expect(refused.errors.contains("(--allow-missing accepts that)"), "\(refused.errors)")
    }
    for file in [json, csv] {
      let run = try await Program.strata("import", path, "weights", file, "--allow-missing")
      #expect(run.status == 0, "\(run.errors)")
    }
    let weights = try Inspector(path: path).show(table: "weights")
    #expect(weights.map { $0.value["ratio"] } == [.float(0.5), nil, nil])
    // An ID is needed in any case.
    let none = try folder.write("mass\n3\n", to: "none.csv")
    #expect(
      try await Program.strata("import", path, "weights", none, "--allow-missing").status == 1
    )
  }

  @Test func `NDJSON may begin with the mark of UTF-8, and names are not repeated`() async throws {
    let folder = try Folder()
    let path = try await folder.closedNumbers()
    let marked = try folder.write(
      "\u{FEFF}" + #"{"id":2,"table":"b","value":{"number":2}}"#,
      to: "marked.ndjson"
    )
    // The table has the members of a line of `strata export` itself.
    let run = try await Program.strata("import", path, "cells", marked)
    #expect(run.status == 0, "\(run.errors)")
    let cells = try Inspector(path: path).show(table: "cells")
    #expect(cells.map { $0.value["table"] } == [.string("a"), .string("b")])
    let twice = try folder.write(
      """
      {"id":3,"table":"b","value":{"number":2,"number":3}}
      {"id":4,"table":"b","value":{"number":2,"more":[{"x":1,"x":2}]}}
      """,
      to: "twice.ndjson"
    )
    let table = try folder.write(
      #"id,table,value\#n5,b,"{""number"":2,""number"":3}"\#n"#,
      to: "twice.csv"
    )
    let refused = try await Program.strata("import", path, "cells", twice)
    #expect(refused.errors.contains("line 1: value has the name number twice"))
    #expect(refused.errors.contains("line 2: value has the name x twice"))
    let cell = try await Program.strata("import", path, "cells", table)
    #expect(cell.errors.contains("line 2: value is"), "\(cell.errors)")
  }

  @Test func `an array of objects is imported as its lines would be`() async throws {
    let folder = try Folder()
    let path = try await folder.closedNumbers()
    let objects = [
      #"{"id":2,"table":"a,]}","value":{"number":2}}"#,
      #"{"id":3,"table":"\"[{\\","value":{"number":3}}"#,
      #"{"table":"cells","id":4,"value":{"id":4,"table":"ä","value":{"number":4}}}"#,
    ]
    let lines = try folder.write(objects[..<2].joined(separator: "\n"), to: "lines.ndjson")
    let array = try folder.write(
      "\u{FEFF} \n[\n" + objects[..<2].joined(separator: " ,\n") + "\n]\n",
      to: "array.json"
    )
    let planned = try await Program.strata("import", path, "cells", lines, "--dry-run")
    #expect(planned.output.contains("2 entities inserted"), "\(planned)")
    #expect(try await Program.strata("import", path, "cells", array).status == 0)
    let same = try await Program.strata("import", path, "cells", lines, "--json")
    #expect(try member("unchanged", of: same.output) == "2")
    let cells = try Inspector(path: path).show(table: "cells")
    #expect(cells.map { $0.value["table"]?.text } == ["a", "a,]}", "\"[{\\"])
    // Larger than what is read at a time, and with an element at each place of its end.
    let many = (10..<5_000).map { #"{"id":\#($0),"table":"\#($0 % 7)","value":{"number":1}}"# }
    let large = try folder.write("[" + many.joined(separator: ",") + "]", to: "large.json")
    let run = try await Program.strata("import", path, "cells", large)
    #expect(run.output.hasPrefix("4990 entities inserted"), "\(run)")
    // Also where the members of an object have another order than in the record.
    let created = folder.path("created.strata")
    let nested = try folder.write(
      #"[{"id":1,"at":{"y":1,"x":[{"b":1,"a":2}]}}]"#,
      to: "nested.json"
    )
    let creation = try await Program.strata("import", created, "places", nested, "--create")
    #expect(creation.status == 0)
    let again = try await Program.strata("import", created, "places", nested, "--json")
    #expect(try member("unchanged", of: again.output) == "1")
    let empty = try folder.write("[]", to: "empty.json")
    let none = try await Program.strata("import", path, "cells", empty)
    #expect(none.output.hasPrefix("0 entities inserted"), "\(none)")
  }

  @Test(arguments: [
    ("[", "line 1: the array does not end"),
    ("[1 2]", "object 1 (line 1): it is no JSON object"),
    ("[\n,{}]", "object 1 (line 2): it is no JSON object"),
    ("[{\"id\":2,\n", "object 1 (line 1): it is no JSON object"),
    ("[{\"id\":2,\n", "line 2: the array does not end"),
    ("[]\n\n1", "line 3: there is text after the array"),
    ("[{}\n{}]", "line 2: there is no comma between two objects"),
    ("[{\"id\":1},{\"id\":1}]", "object 2 (line 1): the ID 1 is in object 1 (line 1) already"),
    ("[[{\"id\":2}]]", "object 1 (line 1): it is no JSON object"),
    ("{\"id\":2}\n[{\"id\":3}]", "line 2: it is no JSON object"),
  ])
  func `what is wrong with an array is named by its place`(text: String, error: String)
    async throws
  {
    let folder = try Folder()
    let file = try folder.write(text, to: "wrong.json")
    let path = folder.path("new.strata")
    let run = try await Program.strata("import", path, "numbers", file, "--create")
    #expect(run.status == 1)
    #expect(run.errors.contains(error), "\(run.errors)")
    #expect(!exists(path))
  }

  /// 1 MB in 600 lines take 3 MB more than a single line; 26 MB while lines were kept as they were parsed.
  @Test(
    .enabled(if: !LimitedProcess.isSanitized, "a sanitizer has a memory of its own"),
    arguments: ["ndjson", "json"]
  )
  func `an import needs little more memory than its records`(form: String) async throws {
    let folder = try Folder()
    let list = [String](repeating: "[1]", count: 400).joined(separator: ",")
    func peak(_ count: Int) throws -> Int {
      let objects = (0..<count).map { #"{"id":\#($0),"lists":[\#(list)]}"# }
      let text =
        form == "json" ? "[\(objects.joined(separator: ","))]" : objects.joined(separator: "\n")
      let file = try folder.write(text, to: "\(count).\(form)")
      let arguments = ["import", folder.path("\(count).strata"), "things", file, "--create"]
      let run = try LimitedProcess(try Program.strataPath(), arguments, in: folder.path(""))
      #expect(run.status == 0)
      return run.peak
    }
    let (few, many) = (try peak(1), try peak(600))
    #expect(many < few + (12 << 20), "\(few >> 20) MB, \(many >> 20) MB")
  }
}
