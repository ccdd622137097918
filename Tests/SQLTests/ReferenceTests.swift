import Foundation
import ProductSupport
import Strata
import StrataInspection
import StrataJournal
import StrataMigrating
import StrataMigrations
import StrataRecords
import StrataSQL
import StrataSQLite
import StrataScripts
import StrataStorage
import TestSupport
import Testing

/// References in migrations: those that lead to nothing, that are declared, and that do not follow a change of IDs.
struct ReferenceTests {
  let directory: TemporaryDirectory
  let path: String

  init() async throws {
    directory = try TemporaryDirectory()
    path = directory.path("app.strata")
    try await FiveReleases.makeFirst(at: path, users: 3)
  }

  private func script(_ number: Int, _ sql: String) throws -> DataMigration {
    try DataMigration("000\(number)_script", sql: sql)
  }

  private func rows(_ sql: String) throws -> [[Value]] {
    try StoreQuery(path: path).run(sql).rows()
  }

  /// The findings of the last of the steps that it does not allow.
  private func findings(_ migrations: DataMigration...) async throws -> [String] {
    let plan = try await DataMigrator(migrations, at: path).plan()
    return try #require(plan.steps.last).findings.filter { !$0.isAllowed }.map {
      "\($0.kind)(\($0.table ?? "").\($0.field ?? "")) \($0.count)"
    }
  }

  @Test func `a reference to nothing is found where a script updates or inserts it`() async throws {
    #expect(
      try await findings(script(1, "UPDATE notes SET author = 'nobody' WHERE id = 'n1'"))
        == ["dangling(notes.author) 1"]
    )
    let insert = try script(
      1,
      #"INSERT INTO notes(id, text, author, readers, score) VALUES ('n9', 't', 'u9', '["u1","u8"]', 1)"#
    )
    #expect(
      try await findings(insert) == ["dangling(notes.author) 1", "dangling(notes.readers[]) 1"]
    )
    await #expect(throws: PersistenceError.self) { try await DataMigrator([insert], at: path).up() }
    #expect(
      try await findings(
        script(
          1,
          """
          INSERT INTO notes(id, text, author, readers, score) VALUES ('n9', 't', 'u9', '["u9"]', 1);
          INSERT INTO users(id, name) VALUES ('u9', 'User 9');
          """
        )
      ) == []
    )
    // More than a few are found by one pass over the users.
    #expect(
      try await findings(
        script(
          1,
          """
          INSERT INTO notes(id, text, author, readers, score)
            WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 100)
            SELECT 'm' || n, 't', 'u' || n, '[]', 1 FROM c
          """
        )
      ) == ["dangling(notes.author) 97"]
    )
  }

  @Test(arguments: ["text", "author"])
  func `a script renames a table and changes one that refers to it`(_ field: String) async throws {
    let rename = try script(
      1,
      """
      ALTER TABLE users RENAME TO people;
      ALTER TABLE notes RENAME COLUMN \(field) TO other;
      ALTER TABLE notes ADD COLUMN editor TEXT REFERENCES people(id);
      UPDATE notes SET editor = 'u2' WHERE id = 'n1';
      """
    )
    try await DataMigrator([rename], at: path).up()
    let author = field == "author" ? "other" : "author"
    let ids = DataMigration("0002_ids", .changeID(of: "people") { .string("x\($0.id.text ?? "")") })
    try await DataMigrator([rename, ids], at: path).up()
    #expect(
      try rows("SELECT \(author), editor FROM notes ORDER BY id") == [
        [.text("xu1"), .text("xu2")], [.text("xu2"), .null], [.text("xu3"), .null],
      ]
    )
    #expect(try Inspector(path: path).verify().isSound)
  }

  @Test func `a reference to nothing is found where a closure stores it`() async throws {
    let change = DataMigration("0001_nobody", table: "notes") { note in
      if note["id"]?.text == "n2" { note["author"] = .string("nobody") }
    }
    #expect(try await findings(change) == ["dangling(notes.author) 1"])
    await #expect(throws: PersistenceError.self) { try await DataMigrator([change], at: path).up() }
    try await DataMigrator([change.allowing(.dangling("notes.author"))], at: path).up()
  }

  @Test
  func `a reference that led to nothing before is no finding of a step that keeps or moves it`()
    async throws
  {
    let nobody = try script(
      1,
      "-- strata:allow dangling(notes.author)\nUPDATE notes SET author = 'nobody' WHERE id <> 'n2'"
    )
    #expect(
      try await findings(nobody, script(2, "UPDATE notes SET text = text || '!'"))
        == []
    )
    #expect(
      try await findings(nobody, script(2, "UPDATE notes SET id = 'x' || id")) == []
    )
    #expect(try await findings(nobody, script(2, "ALTER TABLE notes RENAME TO memos")) == [])
    #expect(
      try await findings(
        nobody,
        script(2, "ALTER TABLE notes RENAME TO memos; UPDATE memos SET score = 7 WHERE id = 'n1'")
      ) == []
    )
    #expect(
      try await findings(
        nobody,
        script(
          2,
          "ALTER TABLE notes RENAME TO memos; UPDATE memos SET author = 'none' WHERE id = 'n1'"
        )
      ) == ["dangling(memos.author) 1"]
    )
    // One of them goes elsewhere, and one more leads to nobody.
    #expect(
      try await findings(
        nobody,
        script(2, "UPDATE notes SET author = CASE id WHEN 'n1' THEN 'u1' ELSE 'nobody' END")
      ).filter { $0.hasPrefix("dangling") } == []
    )
  }

  /// How a table of phones refers to users.
  private static let phones = DataMigration("0001_phones") { tables in
    for number in 1...2 {
      var phone = MigrationRecord(table: "phones", id: .string("p\(number)"))
      phone["id"] = .string("p\(number)")
      phone["person"] = .string("u\(number)")
      phone["others"] = .array([.string("u3"), .string("u1")])
      try tables.put(phone)
    }
  }
  private static let newIDs = DataMigration(
    "0003_ids",
    .changeID(of: "users") { .string("x\($0.id.text ?? "")") }
  )

  /// Whether steps run together, or each when the others have run.
  enum Runs: CaseIterable { case one, several }

  @Test(arguments: Runs.allCases)
  func `a reference that a step in Swift declares follows, also in what is stored already`(
    _ runs: Runs
  ) async throws {
    let list = [
      Self.phones,
      DataMigration(
        "0002_references",
        .reference("person", to: "users", in: "phones"),
        .reference("others", to: "users", in: "phones")
      ),
      Self.newIDs,
    ]
    if runs == .several {
      try await DataMigrator(Array(list.prefix(1)), at: path).up()
      let revision = try Inspector(path: path).info().revision
      let report = try await DataMigrator(Array(list.prefix(2)), at: path).up()
      #expect(report.steps[0].findings == [])
      #expect(try Inspector(path: path).info().revision == revision + 1)
    }
    let gone = try DataMigration(
      "0003_gone",
      sql: "-- strata:allow deletes(users)\nDELETE FROM users WHERE id = 'u1'"
    )
    #expect(
      try await findings(list[0], list[1], gone).filter { $0.contains("phones") } == [
        "dangling(phones.others[]) 2", "dangling(phones.person) 1",
      ]
    )
    #expect(try await findings(list[0], list[1], list[2]) == [])
    try await DataMigrator(list, at: path).up()
    #expect(
      try rows("SELECT person, others FROM phones ORDER BY id") == [
        [.text("xu1"), .text(#"["xu3","xu1"]"#)], [.text("xu2"), .text(#"["xu3","xu1"]"#)],
      ]
    )
    #expect(try Inspector(path: path).verify().isSound)
  }

  @Test func `a declared reference goes with the names of tables and fields, and is taken back`()
    async throws
  {
    let declare = DataMigration("0002_reference", .reference("person", to: "users", in: "phones"))
    let rename = DataMigration(
      "0003_names",
      .rename("users", to: "people"),
      .rename("phones", to: "numbers"),
      .renameField("person", to: "owner", in: "numbers")
    )
    let ids = DataMigration("0004_ids", .changeID(of: "people") { .string("x\($0.id.text ?? "")") })
    try await DataMigrator([Self.phones, declare, rename], at: path).up()
    try await DataMigrator([Self.phones, declare, rename, ids], at: path).up()
    #expect(try rows("SELECT owner FROM numbers ORDER BY id") == [[.text("xu1")], [.text("xu2")]])

    let other = directory.path("other.strata")
    try await FiveReleases.makeFirst(at: other, users: 3)
    let migrator = DataMigrator([Self.phones, declare], at: other)
    try await migrator.up()
    #expect(
      try Inspector(path: other).query { $0.declared.map(\.field.references?.description) } == [
        "users"
      ]
    )
    try await migrator.down(to: 1)
    #expect(try Inspector(path: other).query { $0.declared.compactMap(\.field.references) } == [])
  }

  @Test func `fields whose values equal old IDs and do not follow are listed`() async throws {
    let columns = try script(
      1,
      """
      ALTER TABLE tags ADD COLUMN person TEXT;
      UPDATE tags SET person = CASE id WHEN 't1' THEN 'u1' WHEN 't2' THEN 'u2' ELSE 'none' END;
      ALTER TABLE users ADD COLUMN boss TEXT;
      UPDATE users SET boss = 'u1' WHERE id = 'u2';
      """
    )
    let ids = DataMigration("0002_ids", .changeID(of: "users") { .string("x\($0.id.text ?? "")") })
    #expect(
      try await findings(columns, ids) == ["unfollowed(tags.person) 2", "unfollowed(users.boss) 1"]
    )
    try await DataMigrator([columns, ids], at: path).up()
    #expect(
      try rows("SELECT person FROM tags ORDER BY id") == [
        [.text("u1")], [.text("u2")], [.text("none")],
      ]
    )
    let numbers = try script(
      3,
      """
      ALTER TABLE tags ADD COLUMN first INTEGER; ALTER TABLE tags ADD COLUMN count INTEGER;
      UPDATE tags SET first = 1 + (id = 't2'), count = CASE id WHEN 't3' THEN 77 ELSE 1 END;
      """
    )
    let integers = DataMigration(
      "0004_integers",
      .changeID(of: "users") { .integer(Int($0.id.text?.dropFirst(2) ?? "") ?? -1) }
    )
    let more = DataMigration(
      "0005_more",
      .changeID(of: "users") { .integer(Int($0.id.integer ?? 0) + 100) }
    )
    #expect(
      try await findings(columns, ids, numbers, integers, more) == ["unfollowed(tags.first) 3"]
    )
  }

  @Test func `the keys of a dictionary lead to records whatever kind their IDs are of`()
    async throws
  {
    let polls = directory.path("polls.strata")
    let persistence = try await Persistence.open(
      at: polls,
      initialState: PollState(),
      database: \.db,
      with: [.migrations([])]
    )
    let store = Store<PollState, Never>(persistence)
    store.commit { state in
      state.db.members.insert(Member(id: 1))
      state.db.members.insert(Member(id: 2))
      state.db.polls.insert(Poll(id: "p", votes: [1: 10]))
    }
    try await persistence.close()
    for (key, findings) in [(2, []), (3, ["dangling"])] {
      let step = DataMigration("0001_votes", table: "polls") { poll in
        poll["votes"] = try RecordValue(encoding: [Member.ID(key): 7])
      }
      let report = try await DataMigrator([step], at: polls).plan()
      #expect(
        report.steps[0].findings.map(\.kind.rawValue) == findings
      )
    }
  }

  private struct Member: EntityType {
    typealias RawID = Int
    static let tableName: TableName = "members"
    let id: EntityID<Member>
  }

  private struct Poll: EntityType {
    static let tableName: TableName = "polls"
    let id: EntityID<Poll>
    var votes: [Member.ID: Int]
  }

  private struct PollDatabase: DatabaseType {
    var members = EntityTable<Member>()
    var polls = EntityTable<Poll>()
    static let schema = DatabaseSchema<PollDatabase> {
      Entities(\.members)
      Entities(\.polls)
    }
  }

  private struct PollState: StateType { var db = PollDatabase() }

  /// Counts the notes of each user.
  private static let count = """
    ALTER TABLE users ADD COLUMN count INTEGER;
    UPDATE users SET count = (SELECT count(*) FROM notes WHERE notes.author = users.id);
    """

  @Test(
    arguments: [
      (ReferenceTests.count, 1), ("\(ReferenceTests.count)\nUPDATE notes SET author = 'u1'", 0),
      ("\(ReferenceTests.count)\nALTER TABLE notes RENAME COLUMN author TO person", 1),
      ("UPDATE notes SET text = author", 0),
      ("UPDATE users SET name = (SELECT min(text) FROM notes)", 0),
    ]
  )
  func `a script that searches by a reference finds an index of it`(
    _ sql: String,
    _ count: Int
  ) async throws {
    let check = """
      -- strata:after SELECT count(*) = \(count) FROM sqlite_schema \
      WHERE type = 'index' AND (sql LIKE '%("author")' OR sql LIKE '%("person")')
      """
    let migration = try script(1, "\(check)\n\(sql)")
    try await DataMigrator([migration.allowing(.destructive("notes.author"))], at: path).up()
  }

  @Test func `a script drops a reference by which it has searched`() async throws {
    let sql = "\(Self.count)\nALTER TABLE notes DROP COLUMN author"
    let migration = try script(1, sql).allowing(.destructive("notes.author"))
    try await DataMigrator([migration], at: path).up()
    #expect(try rows("SELECT count FROM users") == Array(repeating: [.integer(1)], count: 3))
  }
}
