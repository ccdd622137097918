import Foundation
import Strata
import StrataJournal
import StrataMaintenance
import StrataPersistence
import StrataStorage
import TestSupport
import Testing

private struct LaterNote: EntityType {
  struct Place: Codable, Equatable, Sendable {
    var street = ""
    var floor: Int?
  }

  static let tableName: TableName = "notes"
  let id: EntityID<LaterNote>
  var text: String
  var place = Place()
  var priority: Int?
}

private struct Note: EntityType {
  struct Place: Codable, Equatable, Sendable {
    var street = ""
  }

  static let tableName: TableName = "notes"
  let id: EntityID<Note>
  var text: String
  var place = Place()
}

private struct LaterSettings: Codable, Equatable, Sendable {
  var volume = 1
  var theme: String?
}

private struct Settings: Codable, Equatable, Sendable {
  var volume = 1
}

private struct Later: StateType {
  struct Database: DatabaseType {
    var notes = EntityTable<LaterNote>()
    static let schema = DatabaseSchema<Database> { Entities(\.notes) }
  }

  var db = Database()
  var settings = LaterSettings()
}

private struct Earlier: StateType {
  struct Database: DatabaseType {
    var notes = EntityTable<Note>()
    static let schema = DatabaseSchema<Database> { Entities(\.notes) }
  }

  var db = Database()
  var settings = Settings()
}

/// Fields that a build does not know ride along with what it puts.
struct UnknownFieldsTests {
  private typealias EarlierStore = Store<Earlier, Never>
  private typealias EarlierPersistence = Persistence<Earlier, Earlier.Database>

  let directory: TemporaryDirectory
  let path: String

  init() throws {
    directory = try TemporaryDirectory()
    path = directory.path("app.strata")
  }

  private func later(
    tables: [TableOption<Later.Database>] = [],
    _ body: (Store<Later, Never>) throws -> Void
  ) async throws {
    let persistence = try await Persistence.open(
      at: path,
      initialState: Later(),
      database: \.db,
      values: [PersistedValue("settings", \.settings)],
      tables: tables
    )
    let store = Store<Later, Never>(persistence)
    do {
      try body(store)
    } catch {
      try await persistence.close()
      throw error
    }
    try await persistence.close()
  }

  private func earlier(
    tables: [TableOption<Earlier.Database>] = [],
    _ configuration: PersistenceConfiguration = PersistenceConfiguration(),
    _ body: (EarlierStore, EarlierPersistence) async throws -> Void
  ) async throws {
    let persistence = try await Persistence.open(
      at: path,
      initialState: Earlier(),
      database: \.db,
      values: [PersistedValue("settings", \.settings)],
      tables: tables,
      configuration: configuration
    )
    try await body(EarlierStore(persistence), persistence)
    try await persistence.close()
  }

  private let written = LaterNote(
    id: "a",
    text: "first",
    place: .init(street: "High St", floor: 2),
    priority: 7
  )

  private func write(tables: [TableOption<Later.Database>] = []) async throws {
    try await later(tables: tables) { store in
      store.commit { state in
        state.db.notes = [written, LaterNote(id: "b", text: "second")]
        state.settings.theme = "dark"
      }
    }
  }

  private func check(
    _ expected: LaterNote?,
    tables: [TableOption<Later.Database>] = [],
    _ location: SourceLocation = #_sourceLocation
  ) async throws {
    try await later(tables: tables) { store in
      #expect(store.state.db.notes["a"] == expected, sourceLocation: location)
    }
  }

  @Test func `an update by an earlier build keeps them, also after its next launch`() async throws {
    try await write()
    var expected = written
    for text in ["changed", "again", "and again"] {
      try await earlier { store, _ in
        try store.commit { state throws in
          try state.db.notes.update("a") { $0.text = text }
          try state.db.notes.update("b") { $0.place.street = text }
        }
        store.commit { $0.db.notes.insert(Note(id: "new", text: "new")) }
      }
      expected.text = text
      try await check(expected)
    }
    try await later { store in
      #expect(store.state.db.notes["b"]?.priority == nil)
      #expect(store.state.db.notes["new"] == LaterNote(id: "new", text: "new"))
    }
  }

  @Test func `each of several puts and a snapshot keep them`() async throws {
    try await write()
    var expected = written
    try await earlier { store, persistence in
      for number in 0..<5 {
        try store.commit { state throws in
          try state.db.notes.update("a") { $0.text = "\(number)" }
        }
        if number == 2 { try await persistence.snapshot(named: "between") }
      }
    }
    expected.text = "4"
    try await check(expected)
  }

  @Test func `they last until the entity is removed`() async throws {
    try await write()
    try await earlier { store, _ in
      store.commit { $0.db.notes.remove("a") }
      store.commit { $0.db.notes.insert(Note(id: "a", text: "another")) }
    }
    try await check(LaterNote(id: "a", text: "another"))
  }

  @Test func `the undo of a removal restores them`() async throws {
    try await write()
    try await earlier { store, _ in
      let undo = UndoStack(of: store, database: \.db)
      store.commit { $0.db.notes.remove("a") }
      try undo.undo()
    }
    try await check(written)
  }

  @Test func `a revert restores those of that time`() async throws {
    try await write()
    try await later { store in
      try store.commit { state throws in
        try state.db.notes.update("a") { note in
          note.priority = 9
          note.text = "later"
        }
      }
    }
    try await earlier { store, persistence in
      try store.commit { state throws in
        try state.db.notes.update("a") { $0.text = "earlier" }
      }
      try await persistence.revert(to: .revision(1))
      #expect(store.state.db.notes["a"]?.text == "first")
    }
    try await check(written)
  }

  @Test func `an undo of commits gives back those of the records from before`() async throws {
    try await write()
    try await later { store in
      try store.commit { state throws in
        try state.db.notes.update("a") { note in
          note.priority = 9
          note.text = "later"
        }
      }
    }
    try await earlier { _, persistence in try await persistence.undo([persistence.revision]) }
    try await check(written)
    try await earlier { store, persistence in
      store.commit { $0.db.notes.remove("a") }
      try await persistence.flush()
      try await persistence.undo([persistence.revision])
    }
    try await check(written)
  }

  @Test func `they are kept in redacted and sealed tables, and in what new options write again`()
    async throws
  {
    try await write()
    let vault = ToyVault(key: 4)
    try await earlier(tables: [
      .sealed(\.notes, with: vault), .redacted(\.notes) { $0.place.street = "-" },
    ]) { store, _ in
      #expect(store.state.db.notes["a"]?.place.street == "-")
    }
    var expected = written
    expected.place.street = "-"
    try await check(expected, tables: [.sealed(\.notes, with: vault)])
    try await earlier(tables: [.sealed(\.notes, with: vault)]) { store, _ in
      try store.commit { state throws in
        try state.db.notes.update("a") { $0.text = "changed" }
      }
    }
    expected.text = "changed"
    try await check(expected, tables: [.sealed(\.notes, with: vault)])
  }

  @Test func `those of a persisted value are kept`() async throws {
    try await write()
    try await earlier { store, _ in store.commit { $0.settings.volume = 5 } }
    try await later { store in
      #expect(store.state.settings == LaterSettings(volume: 5, theme: "dark"))
    }
  }

  @Test func `commits that are merged while the disk fails keep them as one by one`()
    async throws
  {
    try await later { store in
      store.commit { state in
        state.db.notes = EntityTable(
          ["a", "b", "c"].map {
            LaterNote(id: EntityID($0), text: "first", priority: 7)
          }
        )
      }
    }
    let vfs = try FaultVFS(name: "unknown-\(UUID().uuidString)")
    var configuration = PersistenceConfiguration(recoveryInterval: .milliseconds(5))
    configuration.vfs = vfs.name
    try await earlier(configuration) { store, persistence in
      var events = persistence.events.makeAsyncIterator()
      vfs.failNext(.write, in: .wal, code: .ioerrWrite, times: .sticky)
      store.commit { $0.db.notes.insert(Note(id: "x", text: "x")) }
      await #expect(throws: PersistenceError.self) { try await persistence.flush() }
      for text in ["two", "three"] {
        store.commit { $0.db.notes.insert(Note(id: "a", text: text)) }
      }
      store.commit { $0.db.notes.insert(Note(id: "b", text: "put")) }
      store.commit { $0.db.notes.remove("b") }
      store.commit { $0.db.notes.insert(Note(id: "b", text: "new")) }
      store.commit { $0.db.notes.insert(Note(id: "c", text: "put")) }
      store.commit { $0.db.notes.remove("c") }
      for number in 0..<3_000 {
        store.commit { $0.db.notes.insert(Note(id: "y", text: "\(number)")) }
      }
      vfs.heal()
      while let event = await events.next() {
        if case .recovered = event { break }
      }
      try await persistence.flush()
    }
    try await later { store in
      #expect(store.state.db.notes["a"] == LaterNote(id: "a", text: "three", priority: 7))
      #expect(store.state.db.notes["b"] == LaterNote(id: "b", text: "new"))
      #expect(store.state.db.notes["c"] == nil)
    }
  }
}
