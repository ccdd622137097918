import Foundation
import Strata
import StrataJournal
import StrataMaintaining
import StrataMigrating
import StrataMigrations
import StrataScripts
import StrataStorage
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

  private func writeOld(_ id: String = "a") async throws {
    try await withPersistence(
      at: path,
      initialState: Old.State(),
      database: \.db,
      store: Store<Old.State, Never>.init
    ) { store in
      store.commit { $0.db.notes.insert(Old.Note(id: EntityID(id), text: "milk", color: "red")) }
    }
  }

  private func openNew(_ migrations: [DataMigration] = []) async throws -> RestoreReport {
    let persistence = try await Persistence.open(
      at: path,
      initialState: New.State(),
      database: \.db,
      with: [.migrations(migrations)]
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
    let extra = DataMigration("0001_extra", table: "notes") { $0["extra"] = .integer(1) }
    #expect(try await openNew([extra]).notes == [])
    let less = DataMigration("0002_less", table: "notes") { note in
      note.remove("extra")
      note.remove("isDone")
    }.allowing(.destructive("notes.extra"), .destructive("notes.isDone"))
    #expect(try await openNew([extra, less]).notes == [])
  }

  @Test
  func `an older build that cannot read a record names the migrations that it lacks`()
    async throws
  {
    try await writeOld()
    _ = try await openNew([Self.rename])
    let error = try await #require(throws: PersistenceError.self) {
      try await Persistence.open(
        at: path,
        initialState: Old.State(),
        database: \.db,
        configuration: PersistenceConfiguration(restore: .readOnly),
        with: [.migrations([])]
      )
    }
    let older = try #require(error.olderBuild)
    #expect(older.lacks == ["0001_title"] && older.backup == path + ".before-1")
    let detail = try #require(older.detail)
    #expect(detail.hasPrefix("the record a of table notes cannot be decoded"), "\(detail)")
    #expect(error.description.contains(detail))
  }

  @Test
  func `a backup of commits that a restore has taken out of the history is not named`() async throws
  {
    try await writeOld()
    let monday = directory.path("monday.strata")
    try await StoreBackup.fork(path, at: .revision(1), to: monday)
    try await writeOld("b")
    _ = try await openNew([Self.rename])
    try await StoreBackup.restore(monday, replacing: path)
    try await writeOld("c")
    _ = try await openNew([Self.rename])

    func backup() async throws -> String? {
      let error = try await #require(throws: PersistenceError.self) {
        try await Persistence.open(
          at: path,
          initialState: Old.State(),
          database: \.db,
          with: [.migrations([])]
        )
      }
      return try #require(error.olderBuild).backup
    }
    let own = path + ".before-2-2"
    #expect(try await backup() == own)
    try FileManager.default.removeItem(atPath: own)
    #expect(FileManager.default.fileExists(atPath: path + ".before-2"))
    #expect(try await backup() == nil)
  }

  @Test
  func `an older build that reads what it can is told what it lacks`()
    async throws
  {
    try await writeOld()
    let script = try DataMigration(
      "0001_title",
      sql: "ALTER TABLE notes RENAME COLUMN text TO title"
    )
    _ = try await openNew([script])
    enum Optional {
      struct Note: DefaultingEntityType {
        static let tableName: TableName = "notes"
        let id: EntityID<Note>
        var text: String
        static var defaults: Note { Note(id: "", text: "") }
      }
      struct Database: DatabaseType {
        var notes = EntityTable<Note>()
        static let schema = DatabaseSchema<Database> { Entities(\.notes) }
      }
      struct State: StateType { var db = Database() }
    }
    let older = try await Persistence.open(
      at: path,
      initialState: Optional.State(),
      database: \.db,
      configuration: PersistenceConfiguration(restore: .readOnly)
    )
    #expect(older.report.newerMigrations == ["0001_title"])
    #expect(
      older.report.notes == [
        """
        migrations up to 1 ran on this store, and this build knows none: it lacks 0001_title: a field or table that they have \
        renamed reads as missing or as its default, and this build must not write to the store
        """
      ]
    )
    try await older.close()
  }

  @Test
  func `a program whose migrations the command runs is no older build if it says so`() async throws
  {
    try await writeOld()
    let script = try DataMigration(
      "0001_title",
      sql: "ALTER TABLE notes RENAME COLUMN text TO title"
    )
    try await DataMigrator([script], at: path).up()
    let persistence = try await Persistence.open(
      at: path,
      initialState: New.State(),
      database: \.db,
      with: [.migrations(.external)]
    )
    #expect(persistence.report.newerMigrations == [] && persistence.report.notes == [])
    let store = Store<New.State, Never>(persistence)
    store.commit { $0.db.notes.insert(New.Note(id: "b", title: "tea")) }
    try await persistence.close()
    #expect(try await DataMigrator([script], at: path).up().steps.isEmpty)
  }
}
