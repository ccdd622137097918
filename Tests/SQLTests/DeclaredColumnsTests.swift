import Foundation
import ProductSupport
import Strata
import StrataInspection
import StrataJournal
import StrataMaintaining
import StrataMigrating
import StrataRecords
import StrataSQL
import StrataSQLite
import StrataScripts
import StrataStorage
import TestSupport
import Testing

/// What scripts declare of tables before a record shows it.
struct DeclaredColumnsTests {
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

  private func rows(_ sql: String, at path: String? = nil) throws -> [[Value]] {
    try StoreQuery(path: path ?? self.path).run(sql).rows()
  }

  private func declared(at path: String? = nil) throws -> [String] {
    try Inspector(path: path ?? self.path).query { view in
      view.declared.map { column in
        let reference = column.field.references.map { " to \($0)" } ?? ""
        return "\(column.table).\(column.field.name) \(column.field.kind)\(reference)"
          + (column.isRequired ? " not null" : "") + (column.defaultValue.map { " \($0)" } ?? "")
      }
    }
  }

  /// Whether scripts run together, or each when the others have run.
  enum Runs: CaseIterable { case one, several }

  private func run(_ migrations: [DataMigration], _ runs: Runs) async throws {
    if runs == .several {
      for count in 1..<migrations.count {
        try await DataMigrator(Array(migrations.prefix(count)), at: path).up()
      }
    }
    try await DataMigrator(migrations, at: path).up()
  }

  @Test(arguments: Runs.allCases)
  func `a column without a value is there for the next script`(_ runs: Runs) async throws {
    let migrations = [
      try script(1, "ALTER TABLE notes ADD COLUMN stars INTEGER"),
      try script(2, "ALTER TABLE notes RENAME TO memos"),
      try script(3, "ALTER TABLE memos RENAME COLUMN stars TO points"),
      try script(4, "UPDATE memos SET points = length(text)"),
    ]
    try await run(Array(migrations.prefix(3)), runs)
    #expect(try rows("SELECT id, points FROM memos WHERE points IS NOT NULL") == [])
    #expect(try declared() == ["memos.points int64"])
    try await DataMigrator(migrations, at: path).up()
    #expect(try rows("SELECT DISTINCT points FROM memos") == [[.integer(6)]])
  }

  @Test(arguments: Runs.allCases)
  func `a table without records keeps its columns`(_ runs: Runs) async throws {
    let create = try script(
      1,
      """
      CREATE TABLE phones(
        id TEXT, number TEXT NOT NULL, kind TEXT NOT NULL DEFAULT 'home', person TEXT REFERENCES users(id)
      )
      """
    )
    try await DataMigrator([create], at: path).up()
    #expect(
      try declared() == [
        "phones.number string not null", "phones.kind string not null 'home'",
        "phones.person string to users",
      ]
    )
    #expect(try rows("SELECT number, kind, person FROM phones") == [])
    let without = try script(2, "INSERT INTO phones(id, kind) VALUES ('p1', 'work')")
    await #expect(throws: PersistenceError.self) {
      try await DataMigrator([create, without], at: path).up()
    }
    let with = try script(2, "INSERT INTO phones(id, number) VALUES ('p1', '12')")
    try await run([create, with], runs)
    #expect(
      try rows("SELECT number, kind, person FROM phones") == [[.text("12"), .text("home"), .null]]
    )
  }

  @Test func `a table that gets the name of a dropped one has none of its columns`() async throws {
    let steps = [
      try script(1, "CREATE TABLE drafts(id INTEGER PRIMARY KEY, number INTEGER NOT NULL)"),
      try script(2, "DROP TABLE drafts; ALTER TABLE notes RENAME TO drafts"),
    ]
    try await DataMigrator(steps, at: path).up()
    #expect(try declared() == [])
    #expect(try !StoreQuery(path: path).run("SELECT * FROM drafts").columns.contains("number"))
  }

  @Test func `a plan says what is not kept`() async throws {
    let step = try script(
      1,
      """
      CREATE TABLE phones(id INTEGER PRIMARY KEY AUTOINCREMENT, number TEXT UNIQUE, kind TEXT CHECK (kind <> ''));
      CREATE INDEX by_text ON notes(text);
      CREATE VIEW short AS SELECT id FROM notes WHERE length(text) < 9;
      CREATE TRIGGER follow AFTER INSERT ON phones BEGIN SELECT 1; END;
      ALTER TABLE notes ADD COLUMN upper TEXT AS (upper(text));
      ALTER TABLE users ADD COLUMN rank INTEGER CHECK (rank > 0);
      """
    )
    let findings = try await DataMigrator([step], at: path).plan().steps[0].findings
    #expect(findings.filter(\.isRefused) == [])
    #expect(
      findings.filter { $0.kind == .notKept }.map(\.detail) == [
        "the index by_text of notes holds in this script only",
        "the trigger follow of phones holds in this script only",
        "the view short holds in this script only",
        "AUTOINCREMENT, CHECK, UNIQUE of phones hold in this script only",
        "CHECK of users holds in this script only",
        "notes.upper has the values that it has now, and is computed no more",
      ]
    )
  }

  @Test func `a plan says what is declared of fields that are there`() async throws {
    let migrations = [
      try script(
        1,
        "CREATE TABLE labels(id TEXT, name TEXT); INSERT INTO labels VALUES ('t1', 'a'), ('t2', 'b')"
      ),
      try script(
        2,
        """
        CREATE TABLE t(id TEXT, name TEXT NOT NULL DEFAULT 'x', user TEXT REFERENCES users(id));
        INSERT INTO t(id, name) SELECT id, name FROM labels; DROP TABLE labels;
        ALTER TABLE t RENAME TO labels
        """
      ),
      try script(3, "ALTER TABLE users RENAME TO people; ALTER TABLE labels RENAME name TO title"),
      try script(
        4,
        """
        CREATE TABLE t(id TEXT, title TEXT, user TEXT REFERENCES notes(id));
        INSERT INTO t SELECT * FROM labels; DROP TABLE labels; ALTER TABLE t RENAME TO labels
        """
      ),
    ]
    let report = try await DataMigrator(migrations, at: path).plan()
    #expect(report.steps.map(\.added) == [["labels"], ["labels.user"], [], []])
    #expect(
      report.steps.map(\.declared) == [
        [], ["labels.name NOT NULL DEFAULT 'x'"], [],
        ["nothing of labels.title", "labels.user REFERENCES notes"],
      ]
    )
    #expect("\(report)".contains("\n  declared  labels.name NOT NULL DEFAULT 'x'\n"))
  }

  @Test func `a record that a program has written without a value gets the DEFAULT`() async throws {
    let first = [
      try script(1, "ALTER TABLE notes ADD COLUMN lang TEXT NOT NULL DEFAULT en"),
      // As a program that does not know of the column.
      DataMigration("2_program", table: "notes") { note, _ in
        if note.id == .string("n2") { note.remove("lang") }
      }.allowing(.lossy("notes.lang")),
    ]
    try await DataMigrator(first, at: path).up()
    #expect(try rows("SELECT id FROM notes WHERE lang IS NULL") == [[.text("n2")]])
    let upper = try script(3, "UPDATE notes SET lang = upper(lang)")
    try await DataMigrator(first + [upper], at: path).up()
    #expect(try rows("SELECT DISTINCT lang FROM notes") == [[.text("EN")]])
    let more =
      first + [
        upper, try script(4, "CREATE TABLE tasks(id INTEGER PRIMARY KEY, text TEXT NOT NULL)"),
        DataMigration("5_program") { tables in
          try tables.put(MigrationRecord(table: "tasks", id: .integer(7), []))
        },
      ]
    try await DataMigrator(more, at: path).up()
    let error = await #expect(throws: PersistenceError.self) {
      try await DataMigrator(
        more + [try self.script(6, "UPDATE tasks SET text = 'x'")],
        at: self.path
      ).up()
    }
    #expect("\(error.map { "\($0)" } ?? "")".contains("tasks 7 has no value in text"))
  }

  @Test(arguments: Runs.allCases)
  func `a reference that a script declares follows a change of IDs`(_ runs: Runs) async throws {
    try await run(
      [
        try script(1, "CREATE TABLE phones(id TEXT, person TEXT REFERENCES users(id))"),
        try script(2, "INSERT INTO phones VALUES ('p1', 'u1'), ('p2', NULL)"),
        try script(3, "ALTER TABLE tags ADD COLUMN person TEXT REFERENCES users"),
        try script(4, "UPDATE tags SET person = 'u2' WHERE id = 't1'"),
        DataMigration(
          "0005_ids",
          .changeID(of: "users") { .string("x\($0.id.text ?? "")") }
        ),
      ],
      runs
    )
    #expect(try rows("SELECT person FROM phones ORDER BY id") == [[.text("xu1")], [.null]])
    #expect(try rows("SELECT person FROM tags ORDER BY id") == [[.text("xu2")], [.null], [.null]])
  }

  @Test func `what was declared goes with copies, forks and dropped columns`() async throws {
    let before = Revision(try Inspector(path: path).info().revision)
    let add = try script(1, "ALTER TABLE notes ADD COLUMN stars INTEGER REFERENCES tags(id)")
    let insert = try script(2, "UPDATE users SET name = 'a' WHERE id = 'u1'")
    try await DataMigrator([add, insert], at: path).up()
    let fork = directory.path("fork.strata")
    let after = Revision(try Inspector(path: path).info().revision)
    try await StoreBackup.fork(path, at: .revision(after.previous), to: fork)
    #expect(try declared(at: fork) == ["notes.stars int64 to tags"])
    try await DataMigrator(
      [add, insert, try script(3, "ALTER TABLE notes DROP COLUMN stars")],
      at: path
    ).up()
    #expect(try declared() == [])
    let first = directory.path("first.strata")
    try await StoreBackup.fork(path, at: .revision(before.previous), to: first)
    #expect(try declared(at: first) == [])
    #expect(try Inspector(path: path).verify().isSound)
  }

  private func head() throws -> Revision { Revision(try Inspector(path: path).info().revision) }

  private func fork(at revision: Revision) async throws -> String {
    let fork = directory.path("\(UUID().uuidString).strata")
    try await StoreBackup.fork(path, at: .revision(revision), to: fork)
    #expect(try Inspector(path: fork).verify().isSound)
    return fork
  }

  /// Two scripts with ways back: the first declares a column, and no record has a value in it.
  private func reversible() throws -> [DataMigration] {
    [
      try DataMigration(
        "0001_stars",
        sql: "ALTER TABLE notes ADD COLUMN stars INTEGER REFERENCES tags(id)",
        down: "ALTER TABLE notes DROP COLUMN stars"
      ),
      try DataMigration(
        "0002_names",
        sql: "UPDATE users SET name = name || '!'",
        down: "UPDATE users SET name = rtrim(name, '!')"
      ),
    ]
  }

  @Test func `a fork has what a step had declared that was taken back since`() async throws {
    let migrator = DataMigrator(try reversible(), at: path)
    try await migrator.up()
    let ran = try head()
    try await migrator.down(to: 0)
    let back = try head()
    #expect(try declared() == [])
    let copy = try await fork(at: ran)
    #expect(try declared(at: copy) == ["notes.stars int64 to tags"])
    let copied = DataMigrator(try reversible(), at: copy)
    #expect(try await copied.status().pending == [])
    try await copied.down(to: 0)
    #expect(try declared(at: copy) == [])
    #expect(try declared(at: try await fork(at: back)) == [])

    try await migrator.revert(to: ran)
    #expect(try declared() == ["notes.stars int64 to tags"])
    #expect(try declared(at: try await fork(at: back)) == [])
    #expect(try declared(at: try await fork(at: ran)) == ["notes.stars int64 to tags"])
  }

  @Test(
    arguments: [
      ("ALTER TABLE notes DROP COLUMN stars", []),
      ("-- strata:allow destructive(notes)\nDROP TABLE notes", []),
      ("ALTER TABLE notes RENAME COLUMN stars TO points", ["notes.points int64 to tags"]),
      ("ALTER TABLE notes RENAME TO memos", ["memos.stars int64 to tags"]),
      ("ALTER TABLE tags RENAME TO labels", ["notes.stars int64 to labels"]),
    ]
  )
  func `a fork has what was declared before a later script`(
    _ sql: String,
    _ expected: [String]
  ) async throws {
    let migrations = try reversible()
    try await DataMigrator(migrations, at: path).up()
    let ran = try head()
    try await DataMigrator(
      migrations + [try script(3, sql), try script(4, "UPDATE users SET name = 'all'")],
      at: path
    ).up()
    #expect(try declared() == expected)
    #expect(try declared(at: try await fork(at: ran)) == ["notes.stars int64 to tags"])
    #expect(try declared(at: try await fork(at: try head())) == expected)
  }
}
