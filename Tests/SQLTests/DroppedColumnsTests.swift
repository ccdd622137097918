import Foundation
import ProductSupport
import Strata
import StrataInspection
import StrataJournal
import StrataMaintaining
import StrataMaintenance
import StrataMigrating
import StrataMigrations
import StrataSQL
import StrataSQLite
import StrataStorage
import TestSupport
import Testing

/// Columns that migrations have dropped or renamed: they leave what shows the present, and stay in the history.
struct DroppedColumnsTests {
  private typealias First = FiveReleases.First

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

  /// The columns that a query, a list and the two forms of an export show; the four are the same.
  private func columns(
    of table: String,
    at expression: RevisionExpression = .head(back: 0),
    path: String? = nil
  ) throws -> [String] {
    let path = path ?? self.path
    var query = StoreQuery(path: path)
    query.at = expression
    let columns = try query.run("SELECT * FROM \(table)").columns
    #expect(try query.list(EntityListing(table: table)).columns == columns)
    try StoreExport(path: path, at: expression, table: table).forEachTable { _, result in
      #expect(result.columns == columns)
    }
    let file = directory.path("\(UUID().uuidString).sqlite")
    _ = try StoreExport(path: path, at: expression, table: table).write(toDatabase: file)
    let connection = try Connection(path: file, mode: .readOnly)
    let exported = try connection.all("SELECT name FROM pragma_table_info(?)", [.text(table)]) {
      try $0.text(0)
    }
    try connection.close()
    #expect(exported == columns)
    return columns
  }

  private func fields(of table: String) throws -> [String] {
    try Inspector(path: path).tables().first { $0.name == table }?.fields.map(\.name) ?? []
  }

  private func dropped(at path: String? = nil) throws -> [String] {
    try Inspector(path: path ?? self.path).query { view in
      view.dropped.map { "\($0.table).\($0.name)" }
    }
  }

  private var head: Revision {
    get throws { Revision(try Inspector(path: path).info().revision) }
  }

  private func run(_ migrations: [DataMigration], _ runs: DeclaredColumnsTests.Runs) async throws {
    if runs == .several {
      for count in 1..<migrations.count {
        try await DataMigrator(Array(migrations.prefix(count)), at: path).up()
      }
    }
    try await DataMigrator(migrations, at: path).up()
  }

  @Test(arguments: DeclaredColumnsTests.Runs.allCases)
  func `a declared column that no record had a value in is gone`(
    _ runs: DeclaredColumnsTests.Runs
  ) async throws {
    try await run(
      [
        try script(1, "ALTER TABLE tags ADD COLUMN stars INTEGER"),
        try script(2, "ALTER TABLE tags ADD COLUMN color TEXT"),
        try script(3, "ALTER TABLE tags RENAME COLUMN color TO shade"),
        try script(4, "ALTER TABLE tags DROP COLUMN stars"),
      ],
      runs
    )
    #expect(try columns(of: "tags") == ["id", "shade"])
    #expect(try Set(fields(of: "tags")).isSubset(of: ["id", "shade"]))
    #expect(throws: QueryError.self) {
      try StoreQuery(path: path).run("SELECT stars FROM tags")
    }
    #expect(try Inspector(path: path).verify().isSound)
  }

  /// The same drop and rename in both forms.
  enum Form: String, CaseIterable {
    case sql, swift, closure

    fileprivate func steps() throws -> [DataMigration] {
      switch self {
      case .sql:
        [
          try DataMigration(
            "0001_no_score",
            sql: "-- strata:allow destructive(notes.score)\nALTER TABLE notes DROP COLUMN score"
          ),
          try DataMigration("0002_body", sql: "ALTER TABLE notes RENAME COLUMN text TO body"),
        ]
      case .swift:
        [
          DataMigration("0001_no_score", table: "notes") { $0.remove("score") }
            .allowing(.destructive("notes.score")),
          DataMigration("0002_body", .renameField("text", to: "body", in: "notes")),
        ]
      case .closure:
        [
          DataMigration("0001_no_score") { tables in
            try tables.forEach(in: "notes") { $0.remove("score") }
          }.allowing(.destructive("notes.score")),
          DataMigration("0002_body", table: "notes") { $0.rename("text", to: "body") },
        ]
      }
    }
  }

  @Test(arguments: Form.allCases)
  func `a column whose values are gone or renamed is in the history only`(_ form: Form) async throws
  {
    let before = try head
    let all = ["id", "text", "author", "readers", "score"]
    #expect(try columns(of: "notes") == all)
    try await DataMigrator(try form.steps(), at: path).up()
    #expect(try Set(columns(of: "notes")) == ["id", "body", "author", "readers"])
    #expect(try Set(fields(of: "notes")) == ["id", "body", "author", "readers"])
    #expect(try dropped() == ["notes.score", "notes.text"])
    #expect(try Set(columns(of: "notes", at: .point(.revision(before)))).isSuperset(of: all))
    let history = try StoreQuery(path: path).run("SELECT * FROM notes_history").columns
    #expect(Set(history).isSuperset(of: all))
    let rows = try StoreQuery(path: path)
      .run("SELECT text, score FROM notes_at(\(before.number)) ORDER BY id").rows()
    #expect(rows.first == [.text("text 1"), .real(-0.0)])
    #expect(try Inspector(path: path).verify().isSound)
  }

  @Test func `a field that only some records have lost or renamed stays`() async throws {
    try await DataMigrator(
      [
        DataMigration("0001_some", table: "notes") { note in
          if note.id.text == "n1" { note.remove("score") } else { note.rename("text", to: "body") }
        }.allowing(.lossy("notes.score"))
      ],
      at: path
    ).up()
    let shown = try Set(columns(of: "notes"))
    #expect(shown == ["id", "text", "body", "author", "readers", "score"])
    #expect(try dropped() == [])
  }

  @Test func `a column whose values are all set to NULL stays`() async throws {
    let sql = "-- strata:allow destructive(notes.score)\nUPDATE notes SET score = NULL"
    try await DataMigrator([try script(1, sql)], at: path).up()
    #expect(try columns(of: "notes").contains("score"))
  }

  /// What writes a value into a field that was dropped.
  enum Return: CaseIterable { case build, closure, script, csv }

  @Test(arguments: Return.allCases)
  func `a column is there again with its first value`(_ way: Return) async throws {
    // A file may only have fields that the newest layout has.
    var steps =
      way == .csv
      ? [
        DataMigration("0001_no_city", table: "users") { $0.remove("city") }
          .allowing(.destructive("users.city"))
      ]
      : [
        try script(1, "-- strata:allow destructive(users.city)\nALTER TABLE users DROP COLUMN city")
      ]
    try await DataMigrator(steps, at: path).up()
    #expect(try !columns(of: "users").contains("city"))
    switch way {
    case .build:
      let persistence = try await Persistence.open(
        at: path,
        initialState: First.State(),
        database: \.db,
        with: [.migrations(.external)]
      )
      let store = Store<First.State, Never>(persistence)
      store.commit { $0.db.users.insert(First.User(id: "u8", name: "8")) }
      try await persistence.flush()
      #expect(try dropped() == ["users.city"])
      store.commit { $0.db.users.insert(First.User(id: "u9", name: "9", city: "Bonn")) }
      try await persistence.close()
    case .closure:
      steps.append(DataMigration("0002_city", table: "users") { $0["city"] = .string("Bonn") })
    case .script:
      steps.append(try script(2, "ALTER TABLE users ADD COLUMN city TEXT"))
    case .csv:
      let file = directory.path("users.csv")
      try Data("id,name,city\nu9,9,Bonn\n".utf8).write(to: URL(fileURLWithPath: file))
      _ = try EntityImport(of: file, into: "users", of: path, missingValues: .accept).run(.write)
    }
    try await DataMigrator(steps, at: path).up()
    #expect(try columns(of: "users").contains("city"))
    #expect(try dropped() == [])
    #expect(try Inspector(path: path).verify().isSound)
  }

  @Test(arguments: [1, 2])
  func `a way back shows the columns again`(_ count: Int) async throws {
    let migrator = DataMigrator(
      [
        try DataMigration(
          "0001_body",
          sql: "ALTER TABLE notes RENAME COLUMN text TO body",
          down: "ALTER TABLE notes RENAME COLUMN body TO text"
        ),
        DataMigration("0002_points", .renameField("score", to: "points", in: "notes")),
      ],
      at: path
    )
    let before = try head
    let shown = try Set(columns(of: "notes"))
    for _ in 1...count {
      try await migrator.up()
      #expect(try dropped() == ["notes.score", "notes.text"])
      try await migrator.down(to: 0)
      #expect(try Set(columns(of: "notes")) == shown)
    }
    try await migrator.up()
    try await migrator.revert(to: before)
    #expect(try dropped() == [])
    #expect(try Set(columns(of: "notes")).isSuperset(of: shown))
  }

  @Test func `copies have the dropped columns of their revision`() async throws {
    let before = try head
    let steps =
      try Form.sql.steps() + [
        DataMigration("0003_memos", .rename("notes", to: "memos")),
        try script(4, "ALTER TABLE memos ADD COLUMN stars INTEGER REFERENCES tags(id)"),
      ]
    try await DataMigrator(steps, at: path).up()
    let gone = ["memos.score", "memos.text"]
    let shown = try columns(of: "memos")
    #expect(Set(shown) == ["id", "body", "author", "readers", "stars"])
    #expect(try dropped() == gone)
    let first = directory.path("first.strata")
    try await StoreBackup.fork(path, at: .revision(before), to: first)
    #expect(try dropped(at: first) == [])
    #expect(try columns(of: "notes", path: first).contains("score"))
    let last = directory.path("last.strata")
    try await StoreBackup.fork(path, at: .revision(try head), to: last)
    let persistence = try await Persistence.open(
      at: path,
      initialState: OtherState(),
      database: \.db,
      with: [.migrations(.external)]
    )
    let copy = directory.path("copy.strata")
    try await persistence.backup(to: copy)
    _ = try await persistence.compact()
    try await persistence.close()
    for path in [path, last, copy] {
      #expect(try dropped(at: path) == gone)
      #expect(try columns(of: "memos", path: path) == shown)
      let declared = try Inspector(path: path).query { $0.declared.map(\.field.name) }
      #expect(declared == ["stars"])
      #expect(try Inspector(path: path).verify().isSound)
    }
  }

  private struct OtherDatabase: DatabaseType {
    var users = EntityTable<First.User>()
    static let schema = DatabaseSchema<OtherDatabase> { Entities(\.users) }
  }

  private struct OtherState: StateType { var db = OtherDatabase() }

  @Test func `a store of five releases shows what the last of them has`() async throws {
    try await DataMigrator(FiveReleases.migrations, at: path).up()
    #expect(try Set(columns(of: "users")) == ["id", "name", "age"])
    #expect(try Set(columns(of: "memos")) == ["id", "body", "author", "readers", "score"])
  }

  @Test func `a table that was dropped leaves no dropped column behind`() async throws {
    try await DataMigrator(
      try Form.sql.steps() + [DataMigration("0003_no_notes", .dropTable("notes"))],
      at: path
    ).up()
    #expect(try dropped() == [])
  }
}
