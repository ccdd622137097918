import Foundation
import StrataJournal
import StrataMigrating
import StrataRecords
import StrataSQL
import StrataScripts
import TestSupport
import Testing

/// Records as tables that SQL changes, and back.
@Suite struct EntityTablesTests {
  /// A record of any kind of field, of which some are absent, some null and some beside the layout.
  private struct Row: Encodable {
    var members: [(name: String, value: (any Encodable)?)] = []

    /// An enum, as the keys of a type are, so that the layout lists its members.
    enum Key: CodingKey {
      case named(String)

      init(_ name: String) { self = .named(name) }
      init?(stringValue: String) { self = .named(stringValue) }
      init?(intValue: Int) { nil }

      var intValue: Int? { nil }
      var stringValue: String {
        switch self {
        case .named(let name): name
        }
      }
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: Key.self)
      for (name, value) in members {
        if let value {
          try container.encode(AnyEncodable(value: value), forKey: Key(name))
        } else {
          try container.encodeNil(forKey: Key(name))
        }
      }
    }
  }

  private struct AnyEncodable: Encodable {
    let value: any Encodable
    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(value)
    }
  }

  /// What the layout lists: a type with every kind.
  private struct Known: Codable {
    var id: Int
    var bool: Bool?
    var int8: Int8?
    var int: Int?
    var uint32: UInt32?
    var uint64: UInt64?
    var float: Float?
    var double: Double?
    var text: String?
    var data: Data?
    var date: Date?
    var uuid: UUID?
    var url: URL?
    var decimal: Decimal?
    var list: [Double?]?
    var nested: CodableFixtures.Optionals?
    var shape: CodableFixtures.Shape?
    var dictionary: [String: Int]?

    init(_ id: Int, using random: inout SeededGenerator) {
      func chance() -> Bool { Int.random(in: 0..<100, using: &random) < 75 }
      self.id = id
      if chance() { bool = .random(using: &random) }
      if chance() { int8 = .random(in: .min ... .max, using: &random) }
      if chance() { int = .random(in: .min ... .max, using: &random) }
      if chance() { uint32 = .random(in: .min ... .max, using: &random) }
      if chance() { uint64 = .random(in: .min ... .max, using: &random) }
      if chance() { float = [0.1, .nan, -0.0, .infinity, 7].randomElement(using: &random) }
      if chance() {
        double = [0.1, .nan, -0.0, -.infinity, 7, 1e300].randomElement(using: &random)
      }
      if chance() {
        text = ["", "12", "1e5", "é e\u{301}", "\u{0}", "null"].randomElement(using: &random)
      }
      if chance() { data = Data(repeating: 7, count: Int.random(in: 0...3, using: &random)) }
      if chance() {
        date = Date(timeIntervalSinceReferenceDate: .random(in: -1e11...1e12, using: &random))
      }
      if chance() { uuid = random.uuid() }
      if chance() { url = URL(string: "https://example.com/a%20b?\(id)") }
      if chance() { decimal = Decimal(string: "-12345678901234567890.0123456789") }
      if chance() { list = [0.5, nil, .nan] }
      if chance() { nested = .init(text: "t", doubled: .some(nil), list: [1, nil]) }
      if chance() { shape = .group([.point, .circle(radius: 2)], main: nil) }
      if chance() { dictionary = ["b": 1, "a": 2, "\(id)": 3] }
    }
  }

  private struct Table {
    var entities: [StoredEntity] = []
    var layouts: [Int64: Layout] = [:]

    mutating func add(_ id: RecordValue, _ layout: Layout, _ record: [UInt8]) {
      let known = layouts.first { $0.value == layout }?.key
      let number = known ?? Int64(layouts.count + 1)
      layouts[number] = layout
      entities.append(
        StoredEntity(
          table: "rows",
          id: EncodedID.bytes(of: id)[...],
          layout: number,
          record: record[...]
        )
      )
    }

    var records: EntityRecords {
      let entities = entities.sorted { $0.key < $1.key }
      return EntityRecords("rows", layouts: layouts) {
        var rest = entities[...]
        return { rest.popFirst() }
      }
    }

    func value(_ id: RecordValue) throws -> RecordValue {
      let entity = try #require(entities.first { $0.id == EncodedID.bytes(of: id)[...] })
      return try RecordValue(record: entity.record, layout: try #require(layouts[entity.layout]))
    }
  }

  private static func known(_ count: Int, using random: inout SeededGenerator) throws -> Table {
    var table = Table()
    var writer = RecordWriter()
    for id in 1...count {
      var bytes: [UInt8] = []
      let layout = try writer.encode(Known(id, using: &random), into: &bytes)
      table.add(.int(Int64(id), .bits64), layout, bytes)
    }
    return table
  }

  /// Records whose fields have other kinds from one to the next, so that many do not fit their layout.
  private static func mixed(_ count: Int, using random: inout SeededGenerator) throws -> Table {
    var table = Table()
    var writer = RecordWriter()
    let names = ["a", "b", "B", "id", "rowid", "value", "order", "née", "x y"]
    for number in 1...count {
      var row = Row()
      for name in names where Int.random(in: 0..<4, using: &random) > 0 {
        let values: [(any Encodable)?] = [
          nil, true, Int8(-3), 12, UInt64.max, Float.nan, -0.0, Double.nan, 12.0, 0.1, "12", "",
          "text", Data([1]), Date(timeIntervalSinceReferenceDate: 0.12345), UUID(),
          Decimal(string: "0.1"), ["a", "b"], ["k": 1], [1.5, 2],
        ]
        row.members.append((name, values.randomElement(using: &random) ?? nil))
      }
      var bytes: [UInt8] = []
      let layout =
        number % 97 == 0
        ? try writer.encode("a value that is no object", into: &bytes)
        : try writer.encode(row, into: &bytes)
      let id: RecordValue =
        switch number % 4 {
        case 0: .int(Int64(number) - 500, .bits64)
        case 1: .string("id \(number)")
        case 2: .uint(UInt64.max - UInt64(number), .bits64)
        default: .uuid(random.uuid())
        }
      table.add(id, layout, bytes)
    }
    return table
  }

  /// Whether two values are equal up to the order of members, which a layout changes.
  private func saysTheSame(_ a: RecordValue?, _ b: RecordValue?) -> Bool {
    switch (a, b) {
    case (.object(let a), .object(let b)):
      let (a, b) = (a.sorted { $0.name < $1.name }, b.sorted { $0.name < $1.name })
      return a.map(\.name) == b.map(\.name)
        && zip(a, b).allSatisfy { saysTheSame($0.value, $1.value) }
    case (.array(let a), .array(let b)):
      let (a, b) = (Array(a), Array(b))
      return a.count == b.count && zip(a, b).allSatisfy { saysTheSame($0, $1) }
    default: return a == b
    }
  }

  private func changes(_ tables: EntityTables) throws -> [RecordChange] {
    var changes: [RecordChange] = []
    try tables.forEachChange { changes.append($0) }
    return changes
  }

  @Test func `copying and going back without SQL changes nothing`() throws {
    var random = SeededGenerator(seed: .random(in: 0 ... .max))
    for table in [try Self.known(5_000, using: &random), try Self.mixed(5_000, using: &random)] {
      let tables = try EntityTables([table.records])
      #expect(try changes(tables).count == 0, "\(random)")
      try tables.run("SELECT count(*) FROM rows; UPDATE rows SET rowid = rowid")
    }
  }

  @Test func `only the records that an UPDATE changes are put, and of them only the field`() throws
  {
    var random = SeededGenerator(seed: .random(in: 0 ... .max))
    let table = try Self.known(300, using: &random)
    let tables = try EntityTables([table.records])
    try tables.run("UPDATE rows SET int8 = 77 WHERE id % 3 = 0 AND int8 IS NOT 77")
    let changes = try changes(tables)
    var seen = 0
    for change in changes {
      guard let (layout, record) = change.record, change.former == change.id else {
        Issue.record("a record was removed \(random)")
        return
      }
      let id = try EncodedID.value(of: change.id)
      var before: [String: RecordValue] = [:]
      guard case .object(let members) = try table.value(id) else { continue }
      for member in members { before[member.name] = member.value }
      guard case .object(let after) = try RecordValue(record: record[...], layout: layout) else {
        continue
      }
      before["int8"] = .int(77, .bits8)
      var found: [String: RecordValue] = [:]
      for member in after { found[member.name] = member.value }
      let different = Set(found.keys).union(before.keys).filter { name in
        !saysTheSame(found[name], before[name])
      }
      #expect(different.isEmpty, "\(different.sorted()) \(random)")
      seen += 1
    }
    #expect(seen == changes.count && seen > 50)
    #expect(changes.map(\.id) == changes.map(\.id).sorted { $0.lexicographicallyPrecedes($1) })
  }

  private static func two() throws -> Table {
    var table = Table()
    var writer = RecordWriter()
    for id in 1...2 {
      var bytes: [UInt8] = []
      let row = Row(members: [
        ("id", id), ("name", "Name \(id)"), ("age", id * 10), ("score", Double.nan),
        ("joined", Date(timeIntervalSinceReferenceDate: 0.123456)),
      ])
      let layout = try writer.encode(row, into: &bytes)
      table.add(.int(Int64(id), .bits64), layout, bytes)
    }
    return table
  }

  /// Each change as a line: the tables that are renamed and dropped, then the ID of each entity and its record, or that
  /// it was removed.
  private func lines(_ script: String, _ table: Table) throws -> [String] {
    let tables = try EntityTables([table.records])
    try tables.run(script)
    let tableChanges = try tables.tableChanges()
    let names = tableChanges.compactMap { change -> String? in
      switch change.kind {
      case .renamed(from: let former): "\(former) is \(change.table)"
      case .dropped: "\(change.table) dropped"
      case .kept, .replaced, .created: nil
      }
    }
    return names + (try changes(tables).map(Self.text))
  }

  private static func text(_ change: RecordChange) throws -> String {
    let place = "\(change.table) \(EncodedID.text(of: change.id[...]))"
    guard let (layout, record) = change.record else { return "\(place) removed" }
    let json = try RecordValue(record: record[...], layout: layout).json()
    guard let former = change.former else { return "\(place) new \(json)" }
    if former == change.id { return "\(place) \(json)" }
    return "\(place) from \(EncodedID.text(of: former[...])) \(json)"
  }

  @Test func `columns are added, renamed and dropped`() throws {
    let stored = #""score":"NaN","joined":"2001-01-01T00:00:00.123456Z""#
    #expect(
      try lines(
        "ALTER TABLE rows ADD COLUMN vip BOOLEAN; UPDATE rows SET vip = TRUE WHERE id = 2",
        Self.two()
      )
        == [#"rows 2 {"id":2,"name":"Name 2","age":20,\#(stored),"vip":true}"#]
    )
    #expect(
      try lines("ALTER TABLE rows RENAME COLUMN name TO title", Self.two()).first
        == #"rows 1 {"id":1,"title":"Name 1","age":10,\#(stored)}"#
    )
    #expect(
      try lines(
        "ALTER TABLE rows DROP COLUMN age; UPDATE rows SET name = NULL WHERE id = 1",
        Self.two()
      )
        == [#"rows 1 {"id":1,\#(stored)}"#, #"rows 2 {"id":2,"name":"Name 2",\#(stored)}"#]
    )
  }

  @Test func `rows are added and removed, and IDs change with their whole record`() throws {
    let stored = #""score":"NaN","joined":"2001-01-01T00:00:00.123456Z""#
    #expect(
      try lines(
        "DELETE FROM rows WHERE id = 1; INSERT INTO rows(id, name) VALUES (3, 'Third')",
        Self.two()
      )
        == ["rows 1 removed", #"rows 3 new {"id":3,"name":"Third"}"#]
    )
    #expect(
      try lines("UPDATE rows SET id = id + 10", Self.two()) == [
        #"rows 11 from 1 {"id":11,"name":"Name 1","age":10,\#(stored)}"#,
        #"rows 12 from 2 {"id":12,"name":"Name 2","age":20,\#(stored)}"#,
      ]
    )
  }

  @Test func `IDs are shifted and exchanged through a free range, as in SQLite`() throws {
    #expect(throws: EntityTableError.self) {
      try self.lines("UPDATE rows SET id = id + 1", Self.two())
    }
    let names = try lines(
      """
      UPDATE rows SET id = -id;
      UPDATE rows SET id = 3 + id;
      """,
      Self.two()
    ).map { $0.prefix(35) }
    #expect(
      names
        == [
          #"rows 2 from 1 {"id":2,"name":"Name "#,
          #"rows 1 from 2 {"id":1,"name":"Name "#,
        ].map { $0.prefix(35) }
    )
    // One that has its ID again is as it was.
    #expect(
      try lines("UPDATE rows SET id = -id; UPDATE rows SET id = -id", Self.two()) == []
    )
  }

  @Test func `what a statement takes over is known by what SQLite did`() throws {
    let stored = #""score":"NaN","joined":"2001-01-01T00:00:00.123456Z""#
    for (script, expected) in [
      ("INSERT OR IGNORE INTO rows(id, name) VALUES (1, 'x')", []),
      (
        "INSERT INTO rows(id, name) VALUES (1, 'x') ON CONFLICT(id) DO UPDATE SET name = 'y'",
        [#"rows 1 {"id":1,"name":"y","age":10,\#(stored)}"#]
      ),
      (
        "REPLACE INTO rows(id, name) VALUES (1, 'x')",
        ["rows 1 removed", #"rows 1 new {"id":1,"name":"x"}"#]
      ),
      (
        "UPDATE OR REPLACE rows SET id = 2 WHERE id = 1",
        [
          #"rows 2 from 1 {"id":2,"name":"Name 1","age":10,\#(stored)}"#, "rows 2 removed",
        ]
      ),
      (
        """
        CREATE UNIQUE INDEX names ON rows(name);
        INSERT OR REPLACE INTO rows(id, name) VALUES (7, 'Name 2');
        """,
        ["rows 2 removed", #"rows 7 new {"id":7,"name":"Name 2"}"#]
      ),
      ("INSERT INTO rows(name) VALUES ('x')", [#"rows 3 new {"id":3,"name":"x"}"#]),
      (
        "DELETE FROM rows WHERE id = 2; INSERT INTO rows(name) VALUES ('x')",
        ["rows 2 removed", #"rows 3 new {"id":3,"name":"x"}"#]
      ),
      (
        "DELETE FROM rows WHERE id = 2; INSERT INTO rows(id, name) VALUES (2, 'x')",
        ["rows 2 removed", #"rows 2 new {"id":2,"name":"x"}"#]
      ),
      (
        "UPDATE rows SET rowid = 9 WHERE id = 1",
        [#"rows 9 from 1 {"id":9,"name":"Name 1","age":10,\#(stored)}"#]
      ),
      (
        """
        CREATE TEMP TABLE rows AS SELECT * FROM main.rows;
        UPDATE rows SET name = 'temp';
        ALTER TABLE rows RENAME TO others;
        DELETE FROM rows WHERE id = 1;
        """,
        ["rows 1 removed"]
      ),
    ] {
      #expect(try lines(script, Self.two()) == expected, "\(script)")
    }
  }

  @Test func `a table is rebuilt under its name, created, renamed and dropped`() throws {
    #expect(
      try lines(
        """
        CREATE TABLE new(id INTEGER, name TEXT, age INTEGER, score DOUBLE, joined TIMESTAMP TEXT);
        INSERT INTO new SELECT * FROM rows;
        DROP TABLE rows;
        ALTER TABLE new RENAME TO rows;
        UPDATE rows SET age = 11 WHERE id = 1;
        """,
        Self.two()
      ) == [
        #"rows 1 {"id":1,"name":"Name 1","age":11,"score":"NaN","joined":"2001-01-01T00:00:00.123456Z"}"#
      ]
    )
    #expect(
      try lines(
        "CREATE TABLE notes(id TEXT, n UINT8); INSERT INTO notes VALUES ('a', 3)",
        Self.two()
      )
        == [#"notes a new {"id":"a","n":3}"#]
    )
    #expect(try lines("DROP TABLE rows", Self.two()) == ["rows dropped"])
    #expect(try lines("ALTER TABLE rows RENAME TO people", Self.two()) == ["rows is people"])
  }

  @Test func `a table that is renamed keeps its records byte for byte`() throws {
    var random = SeededGenerator(seed: .random(in: 0 ... .max))
    for table in [try Self.known(200, using: &random), try Self.mixed(200, using: &random)] {
      let tables = try EntityTables([table.records])
      try tables.run("ALTER TABLE rows RENAME TO people")
      let tableChanges = try tables.tableChanges()
      #expect(tableChanges.map(\.kind) == [.renamed(from: "rows")])
      #expect(try changes(tables).isEmpty, "\(random)")
    }
  }

  @Test func `a table that takes the page of a dropped one is not taken for it`() throws {
    // SQLite gives the first table the page that DROP TABLE has freed.
    #expect(
      try lines(
        """
        DROP TABLE rows;
        CREATE TABLE notes(id TEXT, name TEXT, n UINT8);
        INSERT INTO notes VALUES ('a', 'b', 3);
        """,
        Self.two()
      ) == ["rows dropped", #"notes a new {"id":"a","name":"b","n":3}"#]
    )
  }

  @Test func `a row that takes the number of a removed one is a new row`() throws {
    #expect(
      try lines(
        "DELETE FROM rows; INSERT INTO rows(id, name) VALUES (2, 'a'), (7, 'b')",
        Self.two()
      ) == [
        "rows 1 removed", "rows 2 removed", #"rows 2 new {"id":2,"name":"a"}"#,
        #"rows 7 new {"id":7,"name":"b"}"#,
      ]
    )
  }

  @Test func `a script that uses few columns and one that uses all do the same`() throws {
    var random = SeededGenerator(seed: .random(in: 0 ... .max))
    for script in [
      "UPDATE rows SET int8 = 77 WHERE id % 3 = 0", "UPDATE rows SET text = NULL, int = 1",
      "DELETE FROM rows WHERE id % 2 = 0; UPDATE rows SET bool = 1",
      "UPDATE rows SET id = id + 700, double = 0.5 WHERE id > 50",
      "ALTER TABLE rows RENAME COLUMN text TO body; UPDATE rows SET body = 'b' WHERE id < 9",
      "ALTER TABLE rows ADD COLUMN vip BOOLEAN DEFAULT 1; ALTER TABLE rows DROP COLUMN date",
      "DELETE FROM rows WHERE id > 90; INSERT INTO rows(id, int) VALUES (91, 5), (500, 6)",
      "ALTER TABLE rows RENAME TO other; UPDATE other SET uint32 = id",
      "ALTER TABLE rows ADD COLUMN sum AS (int8 + 1); UPDATE rows SET int = sum",
      "CREATE UNIQUE INDEX i ON rows(id); INSERT OR REPLACE INTO rows(id, int8) VALUES (5, 6)",
    ] {
      let table = try Self.known(100, using: &random)
      let (use, _) = try EntityTables.use(
        checkedBefore: [],
        of: script,
        checkedAfter: [],
        on: [table.records],
        within: .seconds(60)
      )
      let few = try EntityTables([table.records], copying: use)
      let all = try EntityTables([table.records])
      try few.run(script)
      try all.run(script)
      #expect(
        try changes(few).map(Self.text) == changes(all).map(Self.text),
        "\(script) \(random)"
      )
    }
  }

  @Test func `a rebuilt table may have IDs of another kind`() throws {
    let stored = #""score":"NaN","joined":"2001-01-01T00:00:00.123456Z""#
    #expect(
      try lines(
        """
        CREATE TABLE new(id TEXT PRIMARY KEY, name TEXT, age INTEGER);
        INSERT INTO new SELECT 'r' || id, name, age FROM rows WHERE id = 1;
        DROP TABLE rows;
        ALTER TABLE new RENAME TO rows;
        """,
        Self.two()
      ) == [
        "rows 1 removed", "rows 2 removed", #"rows r1 new {"id":"r1","name":"Name 1","age":10}"#,
      ]
    )
    // The columns of a SELECT have no type of their own: what fits the field keeps its kind.
    #expect(
      try lines(
        """
        CREATE TABLE new AS SELECT id + 0 AS id, name, age + 1 AS age, score, joined FROM rows;
        DROP TABLE rows;
        ALTER TABLE new RENAME TO rows;
        """,
        Self.two()
      ) == [
        #"rows 1 {"id":1,"name":"Name 1","age":11,\#(stored)}"#,
        #"rows 2 {"id":2,"name":"Name 2","age":21,\#(stored)}"#,
      ]
    )
  }

  @Test func `tables whose names differ only by case are two tables`() throws {
    var upper = try Self.two()
    upper.entities = upper.entities.map {
      StoredEntity(table: "Rows", id: $0.id, layout: $0.layout, record: $0.record)
    }
    let entities = upper.entities
    let other = EntityRecords("Rows", layouts: upper.layouts) {
      var rest = entities[...]
      return { rest.popFirst() }
    }
    let tables = try EntityTables([try Self.two().records, other])
    try tables.run(#"DELETE FROM "Rows:2" WHERE id = 1; UPDATE rows SET age = 11 WHERE id = 1"#)
    let changes = try changes(tables)
    #expect(changes.map(\.table) == ["Rows", "rows"])
    #expect(changes.map { $0.record == nil } == [true, false])
  }

  @Test func `triggers, views and tables for the time of the script work`() throws {
    #expect(
      try lines(
        """
        CREATE TEMP TABLE kept AS SELECT id, age FROM rows;
        CREATE VIEW young AS SELECT * FROM rows WHERE age < 15;
        CREATE TRIGGER follow AFTER UPDATE ON rows BEGIN
          UPDATE rows SET name = 'was ' || old.age WHERE id = new.id;
        END;
        UPDATE rows SET age = 99 WHERE id IN (SELECT id FROM young);
        """,
        Self.two()
      ).map { $0.prefix(38) } == [#"rows 1 {"id":1,"name":"was 10","age":99"#.prefix(38)]
    )
  }

  @Test func `only the tables that a script uses are copied`() throws {
    var asked: [String] = []
    let sources = try ["a", "b", "c", "d", "e"].map { name in
      let two = try Self.two()
      return EntityRecords(name, layouts: two.layouts) {
        asked.append(name)
        var rest = two.entities[...]
        return { rest.popFirst() }
      }
    }
    let (use, _) = try EntityTables.use(
      checkedBefore: [.init(sql: "SELECT count(*) FROM A", line: 1)],
      of: """
        ALTER TABLE b RENAME COLUMN name TO title;
        CREATE VIEW young AS SELECT * FROM c WHERE age < 15;
        UPDATE b SET age = (SELECT max(age) FROM young);
        INSERT INTO b(id, title) VALUES (random(), 1);
        """,
      checkedAfter: [.init(sql: "SELECT count(*) FROM d", line: 7)],
      on: sources,
      within: .seconds(60)
    )
    #expect(use.tables.keys.sorted() == ["a", "b", "c", "d"])
    #expect(use.functions.contains("random"))
    #expect(asked == [])
    let tables = try EntityTables(sources, copying: use)
    try tables.run("DELETE FROM b")
    #expect(try changes(tables).map(\.table) == ["b", "b"])
    #expect(!asked.contains("e"))
  }

  @Test(
    arguments: [
      "SELECT x.id FROM (SELECT id, name FROM a) x NATURAL JOIN b y",
      "SELECT x.id FROM a x JOIN \"B\" y USING (id, name)",
    ]
  )
  func `a table that a join alone reads is copied`(join: String) throws {
    let sources = try ["a", "b"].map { name in
      let two = try Self.two()
      return EntityRecords(name, layouts: two.layouts) {
        var rest = two.entities[...]
        return { rest.popFirst() }
      }
    }
    let script = "DELETE FROM a WHERE id NOT IN (\(join))"
    let (use, _) = try EntityTables.use(
      checkedBefore: [],
      of: script,
      checkedAfter: [],
      on: sources,
      within: .seconds(60)
    )
    let tables = try EntityTables(sources, copying: use)
    try tables.run(script)
    #expect(try changes(tables).isEmpty)
  }

  @Test func `an error names the line of its statement`() throws {
    let tables = try EntityTables([try Self.two().records])
    func line(_ script: String) -> Int? {
      do {
        try tables.run(script)
        return nil
      } catch EntityTableError.statement(_, let line, _) {
        return line
      } catch {
        return nil
      }
    }
    #expect(line("SELECT 1;\n\n-- text\n  UPDATE rows\n SET age += 1") == 5)
    #expect(line("SELECT 1;\r\nSELECT 'é';\r\nUPDATE rows\r\nSET age = = 1") == 4)
    #expect(
      line("SELECT 1;\nCREATE UNIQUE INDEX i ON rows(name); \n\nUPDATE rows SET name = 1") == 4
    )
  }

  @Test func `a script cannot leave its tables, and is bounded`() throws {
    func error(_ script: String, _ limit: Duration = .seconds(60)) throws -> EntityTableError? {
      do {
        try EntityTables([try Self.two().records], growth: 2 << 20).run(script, timeLimit: limit)
        return nil
      } catch let error as EntityTableError {
        return error
      }
    }
    let endless = "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c)"
    let pragmas = "SELECT * FROM pragma_database_list"
    for (script, refused) in [
      ("ATTACH 'x' AS y", "ATTACH"), ("DETACH main", "DETACH"), ("PRAGMA page_size", "PRAGMA"),
      (pragmas, "PRAGMA"), ("SELECT load_extension('x')", "load_extension()"),
      ("BEGIN", "a transaction"), ("COMMIT", "a transaction"), ("SAVEPOINT s", "SAVEPOINT"),
      ("CREATE VIRTUAL TABLE f USING fts5(a)", "CREATE VIRTUAL TABLE"),
      ("VACUUM INTO '/tmp/strata-escape'", "ATTACH"),
    ] where RawSQLite.loadsExtensions || !script.contains("load_extension") {
      #expect(try error(script) == .refused(refused), "\(script)")
    }
    let short = Duration.milliseconds(50)
    #expect(try error("\(endless) SELECT count(*) FROM c", short) == .timeLimit(short))
    #expect(try error("SELECT 1;\nSELECT randomblob(1e9)") == .valueTooLarge(line: 2))
    #expect(
      try error("\(endless) INSERT INTO rows(name) SELECT randomblob(50000) FROM c") == .tooMuch
    )
    #expect(try error("UPDATE rows SET name = ?") != nil)
  }

  @Test func `a DEFAULT that a file has reaches no further than a script`() throws {
    func error(_ text: String) throws -> EntityTableError? {
      let two = try Self.two()
      let column = DeclaredColumn(
        table: "rows",
        field: .init("name", .scalar(.string)),
        isRequired: true,
        defaultValue: text,
        since: Revision(1)
      )
      do {
        _ = try EntityTables([
          EntityRecords("rows", layouts: two.layouts, declaring: [column]) {
            var rest = two.entities[...]
            return { rest.popFirst() }
          }
        ])
        return nil
      } catch let error as EntityTableError {
        return error
      }
    }
    #expect(try error("'a' -- as it was written") == nil)
    #expect(try error("(1 + 1) || random()") == nil)
    for text in ["1)); ATTACH ':memory:' AS x; CREATE TABLE x.y(id", "1); SELECT 1; SELECT (1"] {
      #expect(try error(text) != nil, "\(text)")
    }
    if RawSQLite.loadsExtensions {
      #expect(try error("load_extension('x')") == .refused("load_extension()"))
    }
  }

  @Test func `what cannot be stored is a typed error`() throws {
    func error(_ script: String) throws -> EntityTableError? {
      do {
        _ = try lines(script, Self.two())
        return nil
      } catch let error as EntityTableError {
        return error
      }
    }
    #expect(
      try error("CREATE TABLE t(id INTEGER); INSERT INTO t VALUES (7), (7)")
        == .sameID(table: "t", id: "7")
    )
    #expect(
      try error("CREATE TABLE t(id INTEGER); INSERT INTO t VALUES (NULL)")
        == .badID(table: "t", value: "NULL")
    )
    #expect(
      try error("ALTER TABLE rows RENAME COLUMN id TO nr") == .renamedID(table: "rows", name: "nr")
    )
    #expect(
      try error("UPDATE rows SET joined = 'soon' WHERE id = 2")
        == .doesNotFit(table: "rows", id: "2", column: "joined", kind: "TIMESTAMP")
    )
    #expect(
      try error("ALTER TABLE rows ADD COLUMN place GEOMETRY")
        == .unknownType(table: "rows", column: "place", type: "GEOMETRY")
    )
    #expect(try error("ATTACH ':memory:' AS x") == .refused("ATTACH"))
    #expect(try error("CREATE TABLE t(a TEXT)") == .noID(table: "t"))
    #expect(
      try error("CREATE TABLE t(id TEXT PRIMARY KEY) WITHOUT ROWID") == .withoutRowID(table: "t")
    )
    #expect(
      try error("UPDATE rows SET name = CAST(x'ff' AS TEXT) WHERE id = 1")
        == .invalidText(table: "rows")
    )
    func message(_ script: String) throws -> String? {
      guard case .statement(_, _, let message)? = try error(script) else { return nil }
      return message
    }
    #expect(try message("UPDATE rows SET nmae = 1") == "no such column: nmae; did you mean name?")
    #expect(try message("UPDATE row SET name = 1") == "no such table: row; did you mean rows?")
    // A word in double quotes is a name, and no text where nothing has that name.
    #expect(try message(#"UPDATE rows SET name = "Ann""#)?.hasPrefix("no such column") == true)
    guard case .statement? = try error("UPDATE rows SET nothing = 1") else {
      Issue.record("a column that does not exist was updated")
      return
    }
  }
}
