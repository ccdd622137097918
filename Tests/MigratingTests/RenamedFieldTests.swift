import Strata
import StrataJournal
import StrataMigrating
import TestSupport
import Testing

/// A field that has another name in a later build.
struct RenamedFieldTests {
  private enum Old {
    struct Note: EntityType {
      static let tableName: TableName = "notes"
      let id: EntityID<Note>
      var text: String
      var color: String?
    }

    struct Database: DatabaseType {
      var notes = EntityTable<Note>()
      static let schema = DatabaseSchema<Database> { Entities(\.notes) }
    }

    struct State: StateType { var db = Database() }
  }

  private enum New {
    struct Note: DefaultingEntityType {
      static let tableName: TableName = "notes"
      let id: EntityID<Note>
      var title: String
      var color: String?
      var isDone = false
      static var defaults: Note { Note(id: "", title: "untitled") }
    }

    struct Database: DatabaseType {
      var notes = EntityTable<Note>()
      static let schema = DatabaseSchema<Database> { Entities(\.notes) }
    }

    struct State: StateType { var db = Database() }
  }

  let directory: TemporaryDirectory
  let path: String

  init() throws {
    directory = try TemporaryDirectory()
    path = directory.path("app.strata")
  }

  private func writeOld() async throws {
    try await withPersistence(
      at: path,
      initialState: Old.State(),
      database: \.db,
      store: Store<Old.State, Never>.init
    ) { store in
      store.commit { $0.db.notes.insert(Old.Note(id: "a", text: "milk", color: "red")) }
    }
  }

  private func openNew(_ migrations: [DataMigration] = []) async throws -> RestoreReport {
    let persistence = try await Persistence.open(
      at: path,
      initialState: New.State(),
      database: \.db,
      migrations: migrations
    )
    try await persistence.close()
    return persistence.report
  }

  private static let rename = DataMigration(
    "0001_title",
    .renameField("text", to: "title", in: "notes")
  )

  @Test
  func `a renamed field that is read from the defaults is noted, with the migration for it`()
    async throws
  {
    try await writeOld()
    let note = """
      records of notes have text, which this build does not know, and lack title, which is read from the \
      defaults; if a field was renamed, write a migration with .renameField("text", to: "title", in: "notes")
      """
    #expect(try await openNew().notes == [note])
  }

  @Test func `with its migration there is nothing to note`() async throws {
    try await writeOld()
    let report = try await openNew([Self.rename])
    #expect(report.notes == [])
    let users = try #require(report.migrations?.steps.first?.tables.first)
    #expect("\(users)" == "notes: 1 updated; 1 in all")
    #expect(try await openNew([Self.rename]).notes == [])
  }

  @Test func `an unknown field, or a new one with a default, alone is not noted`() async throws {
    try await withPersistence(
      at: path,
      initialState: New.State(),
      database: \.db,
      store: Store<New.State, Never>.init
    ) { store in store.commit { $0.db.notes.insert(New.Note(id: "a", title: "milk")) } }
    try await DataMigrator(
      [DataMigration("0001_extra", table: "notes") { $0["extra"] = .integer(1) }],
      at: path
    ).up()
    #expect(try await openNew().notes == [])
    try await DataMigrator(
      [
        DataMigration("0001_extra", table: "notes") { $0["extra"] = .integer(1) },
        DataMigration("0002_less", table: "notes") { note in
          note.remove("extra")
          note.remove("isDone")
        }.allowing(.destructive("notes.extra"), .destructive("notes.isDone")),
      ],
      at: path
    ).up()
    #expect(try await openNew().notes == [])
  }

  @Test
  func `an older build that cannot read a record names the migrations that it lacks`()
    async throws
  {
    try await writeOld()
    _ = try await openNew([Self.rename])
    let error = try await #require(throws: PersistenceError.self) {
      try await Persistence.open(at: path, initialState: Old.State(), database: \.db)
    }
    guard case .undecodable("notes", "a", let detail) = error.reason else {
      Issue.record("another reason: \(error)")
      return
    }
    let lack = "; a newer build has changed the data, and this one lacks its migration 0001_title"
    #expect(detail.hasSuffix(lack), "\(detail)")
  }
}
