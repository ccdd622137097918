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
        with: [.migrations([])]
      )
    }
    let backup = path + ".before-1"
    guard
      case .olderBuild(["0001_title"], let detail, backup)? = error.dataMigration
    else {
      Issue.record("another reason: \(error)")
      return
    }
    #expect(detail.hasPrefix("the record a of table notes cannot be decoded"), "\(detail)")
    #expect(
      error.description.contains(
        "a newer build has migrated this store, and this build lacks 0001_title: "
      )
    )
    #expect(error.description.contains("`strata restore '\(path)' '\(backup)'`"))
    // Reading does not need the newer build's shape either.
    let reading = await #expect(throws: PersistenceError.self) {
      try await Persistence.open(
        at: path,
        initialState: Old.State(),
        database: \.db,
        configuration: PersistenceConfiguration(restore: .readOnly),
        with: [.migrations([])]
      )
    }
    #expect(reading?.reason == error.reason)
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
      guard case .olderBuild(_, _, let backup)? = error.dataMigration else { throw error }
      return backup
    }
    let own = path + ".before-2-2"
    #expect(try await backup() == own)
    try FileManager.default.removeItem(atPath: own)
    #expect(FileManager.default.fileExists(atPath: path + ".before-2"))
    #expect(try await backup() == nil)
  }

  @Test
  func `a build without a list is noticed after steps in SQL, and what follows is said`()
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
      with: [.migrations([])]
    )
    #expect(older.report.newerMigrations == ["0001_title"])
    #expect(
      older.report.notes == [
        """
        a newer build has migrated this store, and this one lacks 0001_title: a field or table that they have renamed \
        reads as missing or as its default, and what this build writes has the old shape until a newer one opens the \
        store; use the newer build, or restore \(path).before-1
        """
      ]
    )
    let store = Store<Optional.State, Never>(older)
    store.commit { $0.db.notes.insert(Optional.Note(id: "b", text: "tea")) }
    try await older.close()
    let migrator = DataMigrator([script], at: path)
    #expect(try await migrator.status().stragglers == ["notes": 1])
    let error = await #expect(throws: PersistenceError.self) { try await migrator.up() }
    #expect(error?.reason == .dataMigration(.stragglers("0001_title", tables: ["notes": 1])))
    let straggler = try #require(try await migrator.stragglers().first)
    #expect(straggler.table == "notes" && straggler.id == "b" && straggler.known == 0)
    // The way on: it is removed, after a backup, and the newer build opens the store.
    let report = try await migrator.resolveStragglers(.remove)
    #expect(report.backup != nil && report.after.number == report.before.number + 1)
    #expect(try await migrator.status().stragglers == [:])
    let newer = try await Persistence.open(
      at: path,
      initialState: New.State(),
      database: \.db,
      with: [.migrations([script])]
    )
    #expect(newer.initialState.db.notes.map(\.title) == ["milk"])
    try await newer.close()
  }

  @Test func `records of an older build that have the new shape can be kept`() async throws {
    try await writeOld()
    let script = try DataMigration(
      "0001_title",
      sql: "ALTER TABLE notes RENAME COLUMN text TO title"
    )
    try await DataMigrator([script], at: path).up()
    // Without the policy .external a program without a list is an older build.
    let program = try await Persistence.open(
      at: path,
      initialState: New.State(),
      database: \.db,
      with: [.migrations([])]
    )
    let store = Store<New.State, Never>(program)
    store.commit { $0.db.notes.insert(New.Note(id: "b", title: "tea")) }
    try await program.close()
    let migrator = DataMigrator([script], at: path)
    let before = try await migrator.status()
    #expect(before.stragglers == ["notes": 1])
    let report = try await migrator.resolveStragglers(.keep)
    #expect(report.after == before.revision && report.backup != nil)
    #expect(try await migrator.stragglers().isEmpty)
    #expect(try await migrator.up().steps.isEmpty)
    #expect(try await migrator.resolveStragglers(.keep).backup == nil)
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
      with: [.migrations([], MigrationConfiguration(policy: .external))]
    )
    #expect(persistence.report.newerMigrations == [] && persistence.report.notes == [])
    let store = Store<New.State, Never>(persistence)
    store.commit { $0.db.notes.insert(New.Note(id: "b", title: "tea")) }
    try await persistence.close()
    #expect(try await DataMigrator([script], at: path).status().stragglers == [:])
    #expect(try await DataMigrator([script], at: path).up().steps.isEmpty)
  }
}
