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

/// Tables that a migration has renamed or dropped.
struct EndedTablesTests {
  private typealias First = FiveReleases.First

  let directory: TemporaryDirectory
  let path: String

  init() async throws {
    directory = try TemporaryDirectory()
    path = directory.path("app.strata")
    try await FiveReleases.makeFirst(at: path, users: 3)
  }

  /// The same change in both forms, and in two steps: a rename, and a drop.
  enum Form: String, CaseIterable {
    case sql, swift

    fileprivate func steps() throws -> [DataMigration] {
      switch self {
      case .sql:
        [
          try DataMigration("0001_memos", sql: "ALTER TABLE notes RENAME TO memos"),
          try DataMigration(
            "0002_no_tags",
            sql: "-- strata:allow destructive(tags)\nDROP TABLE tags"
          ),
        ]
      case .swift:
        [
          DataMigration("0001_memos", .rename("notes", to: "memos")),
          DataMigration("0002_no_tags", .dropTable("tags")),
        ]
      }
    }
  }

  /// The build with the steps.
  private struct OtherDatabase: DatabaseType {
    var users = EntityTable<First.User>()
    static let schema = DatabaseSchema<OtherDatabase> { Entities(\.users) }
  }

  private struct OtherState: StateType { var db = OtherDatabase() }

  @Test func `before names got other letters, a query finds what was there by the former ones`()
    async throws
  {
    let steps = [
      try DataMigration("0001_column", sql: "ALTER TABLE notes RENAME COLUMN text TO Text"),
      try DataMigration(
        "0002_table",
        sql: "ALTER TABLE notes RENAME TO other; ALTER TABLE other RENAME TO Notes"
      ),
    ]
    let texts = try notes("text", of: "notes")
    #expect(!texts.isEmpty)
    let before = Revision(try Inspector(path: path).info().revision)
    try await DataMigrator(steps, at: path).up()
    #expect(try notes("Text", of: "Notes") == texts)
    for (column, table) in [("text", "notes"), ("TEXT", "NOTES")] {
      #expect(try notes(column, of: table, at: .point(.revision(before))) == texts)
    }
  }

  /// The values of a column, by the IDs.
  private func notes(
    _ column: String,
    of table: String,
    at expression: RevisionExpression = .head(back: 0)
  ) throws -> [Value] {
    var query = StoreQuery(path: path)
    query.at = expression
    let condition = "\(column) IS NOT NULL ORDER BY id"
    return try query.run("SELECT \(column) FROM \(table) WHERE \(condition)").rows().map { $0[0] }
  }

  private func tables() throws -> [String] { try Inspector(path: path).tables().map(\.name) }

  private func listed(at path: String) throws -> [ListedTable] {
    try Inspector(path: path).query { $0.listed }
  }

  private func openFirst(
    _ unknownTables: UnknownTablePolicy = .refuse,
    _ migrations: [DataMigration] = []
  ) async throws -> RestoreReport {
    var configuration = PersistenceConfiguration()
    configuration.unknownTables = unknownTables
    let persistence = try await Persistence.open(
      at: path,
      initialState: First.State(),
      database: \.db,
      configuration: configuration,
      with: [migrations.isEmpty ? .migrations(.external) : .migrations(migrations)]
    )
    let report = persistence.report
    try await persistence.close()
    return report
  }

  @Test(arguments: Form.allCases)
  func `a renamed or dropped table ends, and its history stays`(_ form: Form) async throws {
    let before = try Inspector(path: path).info().revision
    let report = try await DataMigrator(try form.steps(), at: path).up()
    #expect(try tables() == ["memos", "users"])
    #expect(try Inspector(path: path).info().tables == ["memos", "users"])
    #expect(
      try listed(at: path).map { [$0.name: $0.until] } == [
        ["memos": nil], ["notes": report.steps[0].revision], ["tags": report.steps[1].revision],
        ["users": nil],
      ]
    )
    let inspector = try Inspector(path: path)
    #expect(
      try inspector.tables(at: .point(.revision(Revision(before)))).map(\.name) == [
        "memos", "notes", "tags", "users",
      ]
    )
    #expect(try inspector.show(table: "notes", at: .point(.revision(Revision(before)))).count == 3)
    #expect(throws: PersistenceError.self) { try inspector.show(table: "notes") }
    var query = StoreQuery(path: path)
    #expect(throws: QueryError.self) { try query.run("SELECT * FROM notes") }
    #expect(try query.run("SELECT * FROM notes_history").rows().count == 6)
    query.at = .point(.revision(Revision(before)))
    #expect(try query.run("SELECT * FROM notes").rows().count == 3)
    #expect(try inspector.verify().isSound)
  }

  @Test(arguments: Form.allCases)
  func `an older build is told by the ledger that its table is gone`(_ form: Form) async throws {
    let steps = try form.steps()
    try await DataMigrator(steps, at: path).up()
    let bytes = try StoreBytes(path)
    for known in [[], [DataMigration("0001_memos", .rename("notes", to: "memos"))]] {
      let error = await #expect(throws: PersistenceError.self) {
        try await openFirst(.refuse, known)
      }
      guard known.isEmpty || form == .swift else { continue }
      let older = try #require(error?.olderBuild)
      #expect(older.lacks == (known.isEmpty ? ["0001_memos", "0002_no_tags"] : ["0002_no_tags"]))
      // A build with a list is refused before its tables are looked at.
      #expect(older.detail?.contains("tables notes, tags") == (known.isEmpty ? true : nil))
      #expect(older.backup != nil)
    }
    #expect(try StoreBytes(path) == bytes)
    let report = try await openFirst(.keep)
    #expect(report.newTables == ["notes", "tags"])
    #expect(try tables() == ["memos", "notes", "tags", "users"])
  }

  @Test(arguments: Form.allCases)
  func `a table that is brought back, restored or forked away from its end is there`(
    _ form: Form
  ) async throws {
    let before = Revision(try Inspector(path: path).info().revision)
    let migrator = DataMigrator(try form.steps(), at: path)
    try await migrator.up()
    let fork = directory.path("fork.strata")
    try await StoreBackup.fork(path, at: .revision(before), to: fork)
    #expect(try Inspector(path: fork).tables().map(\.name) == ["notes", "tags", "users"])
    try await migrator.revert(to: before)
    #expect(try tables() == ["notes", "tags", "users"])
    #expect(try Inspector(path: path).show(table: "notes").count == 3)
    try await migrator.up()
    #expect(try tables() == ["memos", "users"])
    let ends = try listed(at: path)
    let persistence = try await Persistence.open(
      at: path,
      initialState: OtherState(),
      database: \.db,
      with: [.migrations(try form.steps())]
    )
    let copy = directory.path("copy.strata")
    try await persistence.backup(to: copy)
    _ = try await persistence.compact()
    try await persistence.close()
    for path in [path, copy] {
      #expect(try listed(at: path).filter { $0.until != nil } == ends.filter { $0.until != nil })
    }
  }

  @Test func `a way back brings the name back`() async throws {
    let migrator = DataMigrator(
      [DataMigration("0001_memos", .rename("notes", to: "memos"))],
      at: path
    )
    try await migrator.up()
    #expect(try tables() == ["memos", "tags", "users"])
    try await migrator.down(to: 0)
    #expect(try tables() == ["notes", "tags", "users"])
    _ = try await openFirst()
  }

  @Test func `a suggested migration has the next free number`() async throws {
    let step = DataMigration("0001_memos", .rename("notes", to: "memos"))
    try await DataMigrator([step], at: path).up()
    struct NewDatabase: DatabaseType {
      var users = EntityTable<First.User>()
      var words = EntityTable<Word>()
      static let schema = DatabaseSchema<NewDatabase> {
        Entities(\.users)
        Entities(\.words)
      }
    }
    struct Word: EntityType {
      static let tableName: TableName = "words"
      let id: EntityID<Word>
    }
    struct NewState: StateType { var db = NewDatabase() }
    let error = await #expect(throws: PersistenceError.self) {
      try await Persistence.open(
        at: path,
        initialState: NewState(),
        database: \.db,
        with: [.migrations([step])]
      )
    }
    #expect(error?.description.contains(#"DataMigration("0002_rename""#) == true)
  }

  @Test func `the newest build finds nothing that was left in the file`() async throws {
    try await DataMigrator(FiveReleases.migrations, at: path).up()
    let persistence = try await Persistence.open(
      at: path,
      initialState: FiveReleases.Last.State(),
      database: \.db,
      with: [.migrations(FiveReleases.migrations)]
    )
    #expect(persistence.report.unknownTables == [])
    try await persistence.close()
  }
}
