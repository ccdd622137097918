import Foundation
import Strata
import StrataJournal
import StrataPersistence
import StrataRecords
import TestSupport
import Testing

/// The same file opened by builds with more, fewer or other tables and fields.
struct EvolutionTests {
  let directory: TemporaryDirectory
  let path: String

  init() throws {
    directory = try TemporaryDirectory()
    path = directory.path("app.strata")
  }

  private func run<Database: DatabaseType>(
    _ initial: Database,
    _ body: (Store<OneDatabase<Database>, Never>, RestoreReport) throws -> Void
  ) async throws {
    let persistence = try await Persistence.open(
      at: path,
      initialState: OneDatabase(db: initial),
      database: \.db
    )
    let store = Store<OneDatabase<Database>, Never>(persistence)
    do {
      try body(store, persistence.report)
    } catch {
      try await persistence.close()
      throw error
    }
    try await persistence.close()
  }

  @Test
  func `a table that is new to the file starts from the initial state, as one delta`() async throws
  {
    try await run(Version1()) { store, _ in
      store.commit { $0.db.notes.insert(NoteV1(id: "a", text: "first")) }
    }
    var initial = Version2()
    initial.tags = [Tag(id: "red")]
    try await run(initial) { store, report in
      #expect(report.newTables == ["tags"])
      #expect(report.revision == 1)
      #expect(store.state.db.tags.count == 1)
    }
    initial.tags = []
    try await run(initial) { store, report in
      #expect(report.newTables == [])
      #expect(report.revision == 2)
      #expect(store.state.db.tags["red"] != nil)
    }
  }

  @Test
  func `a build that does not know a table loses nothing of it, across a snapshot`() async throws {
    try await run(Version2()) { store, _ in
      store.commit { $0.db.tags.insert(Tag(id: "red")) }
    }
    let persistence = try await Persistence.open(
      at: path,
      initialState: OneDatabase(db: Version1()),
      database: \.db
    )
    #expect(persistence.report.unknownTables == ["tags"])
    let store = Store<OneDatabase<Version1>, Never>(persistence)
    store.commit { $0.db.notes.insert(NoteV1(id: "a", text: "first")) }
    try await persistence.snapshot(named: "downgraded")
    try await persistence.close()

    try await run(Version2()) { store, report in
      #expect(report.snapshotRevision == 2)
      #expect(store.state.db.tags["red"] != nil)
      #expect(store.state.db.notes["a"]?.text == "first")
    }
  }

  @Test
  func `a field this build does not know survives a put of its entity`() async throws {
    try await run(Version2()) { store, _ in
      store.commit {
        $0.db.notes = [
          NoteV2(id: "a", text: "first", stars: 5), NoteV2(id: "b", text: "second", stars: 4),
        ]
      }
    }
    try await run(Version1()) { store, _ in
      store.commit { $0.db.notes.insert(NoteV1(id: "b", text: "changed")) }
    }
    try await run(Version2()) { store, _ in
      #expect(store.state.db.notes["a"] == NoteV2(id: "a", text: "first", stars: 5))
      #expect(store.state.db.notes["b"] == NoteV2(id: "b", text: "changed", stars: 4))
    }
  }

  @Test
  func `a record that does not fit the type is refused, named, and left as it is`() async throws {
    try await run(Version1()) { store, _ in
      store.commit { $0.db.notes.insert(NoteV1(id: "a", text: "first")) }
    }
    let before = try StoreBytes(path)
    let error = await #expect(throws: PersistenceError.self) {
      try await run(Version3()) { _, _ in }
    }
    guard case .undecodable(let table, let id, let detail) = error?.reason else {
      Issue.record("another reason: \(String(describing: error))")
      return
    }
    #expect(table == "notes")
    #expect(id == "a")
    #expect(detail.contains("author"))
    #expect(error?.description.contains("DefaultingEntityType") == true)
    #expect(try StoreBytes(path) == before)
    try await run(Version1()) { store, _ in #expect(store.state.db.notes.count == 1) }
  }
}

/// A state that is only a database.
private struct OneDatabase<Database: DatabaseType>: StateType {
  var db: Database
}

private struct Tag: EntityType {
  static let tableName: TableName = "tags"
  let id: EntityID<Tag>
}

private struct NoteV1: EntityType {
  static let tableName: TableName = "notes"
  let id: EntityID<NoteV1>
  var text: String
}

/// One more field, with a default for notes that were written before.
private struct NoteV2: DefaultingEntityType {
  static let tableName: TableName = "notes"
  static let defaults = NoteV2(id: "", text: "", stars: 3)
  let id: EntityID<NoteV2>
  var text: String
  var stars: Int
}

/// One more field without a default.
private struct NoteV3: EntityType {
  static let tableName: TableName = "notes"
  let id: EntityID<NoteV3>
  var text: String
  var author: String
}

private struct Version1: DatabaseType {
  var notes = EntityTable<NoteV1>()
  static let schema = DatabaseSchema<Version1> { Entities(\.notes) }
}

private struct Version2: DatabaseType {
  var notes = EntityTable<NoteV2>()
  var tags = EntityTable<Tag>()
  static let schema = DatabaseSchema<Version2> {
    Entities(\.notes)
    Entities(\.tags)
  }
}

private struct Version3: DatabaseType {
  var notes = EntityTable<NoteV3>()
  static let schema = DatabaseSchema<Version3> { Entities(\.notes) }
}
