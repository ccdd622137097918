import Foundation
import Strata
import StrataInspection
import StrataJournal
import StrataPersistence
import TestSupport
import Testing

/// An entity whose `encode(to:)` throws is not persisted; all others are.
struct UnencodableEntityTests {
  @Test
  func `an entity that cannot be encoded is named, and what is stored for it stays`() async throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("app.strata")
    let persistence = try await Persistence.open(
      at: path,
      initialState: MoodState(),
      database: \.db
    )
    let store = Store<MoodState, Never>(persistence)
    var events = persistence.events.makeAsyncIterator()
    store.commit { $0.db.moods = [Mood(id: "a", text: "calm"), Mood(id: "b", text: "gay")] }
    store.commit {
      $0.db.moods.insert(Mood(id: "a", text: "unspeakable"))
      $0.db.moods.insert(Mood(id: "c", text: "glad"))
    }
    store.commit { $0.db.moods.remove("b") }
    let error = await #expect(throws: PersistenceError.self) { try await persistence.flush() }
    #expect(error?.description.contains("moods a: ") == true)

    var refused: [NotPersisted] = []
    while refused.isEmpty, let event = await events.next() {
      if case .notPersisted(let entities) = event { refused = entities }
    }
    #expect(refused.map(\.id) == ["a"])
    #expect(refused.first?.table == "moods")
    #expect(persistence.status.notPersisted == refused)
    #expect(persistence.durableRevision == 3)
    await #expect(throws: PersistenceError.self) { try await persistence.close() }

    let again = try await Persistence.open(at: path, initialState: MoodState(), database: \.db)
    #expect(again.revision == 3)
    #expect(
      again.initialState.db.moods == [Mood(id: "a", text: "calm"), Mood(id: "c", text: "glad")]
    )
    try await again.close()
    let log = try Inspector(path: path).log(.last(2)).deltas
    #expect(log.first?.changes.first?.notPersisted == ["a"])
  }

  @Test
  func `an entity is no longer named once it was put again or removed`() async throws {
    let directory = try TemporaryDirectory()
    let persistence = try await Persistence.open(
      at: directory.path("app.strata"),
      initialState: MoodState(),
      database: \.db
    )
    let store = Store<MoodState, Never>(persistence)
    store.commit {
      $0.db.moods = [Mood(id: "a", text: "unspeakable"), Mood(id: "b", text: "unspeakable")]
    }
    await #expect(throws: PersistenceError.self) { try await persistence.flush() }
    store.commit { $0.db.moods.insert(Mood(id: "a", text: "calm")) }
    await #expect(throws: PersistenceError.self) { try await persistence.flush() }
    #expect(persistence.status.notPersisted.map(\.id) == ["b"])
    store.commit { $0.db.moods.remove("b") }
    try await persistence.flush()
    #expect(persistence.status.notPersisted == [])
    try await persistence.close()
  }

  @Test
  func `a durable commit names its own entities, and no others`() async throws {
    let directory = try TemporaryDirectory()
    let persistence = try await Persistence.open(
      at: directory.path("app.strata"),
      initialState: MoodState(),
      database: \.db
    )
    let store = Store<MoodState, Never>(persistence)
    let error = await #expect(throws: DurabilityError.self) {
      try await store.commitDurably {
        $0.db.moods = [Mood(id: "a", text: "unspeakable"), Mood(id: "b", text: "glad")]
      }
    }
    #expect(error?.outcome == .partlyDurable)
    #expect(error?.description.contains("moods a: ") == true)
    try await store.commitDurably { $0.db.moods.insert(Mood(id: "c", text: "glad")) }
    await #expect(throws: PersistenceError.self) { try await persistence.close() }
  }
}

private struct MoodState: StateType {
  var db = Moods()
}

private struct Moods: DatabaseType {
  var moods = EntityTable<Mood>()
  static let schema = DatabaseSchema<Moods> { Entities(\.moods) }
}

private struct Mood: EntityType {
  static let tableName: TableName = "moods"
  let id: EntityID<Mood>
  var text: String

  struct Unspeakable: Error {}

  enum CodingKeys: CodingKey { case id, text }

  init(id: EntityID<Mood>, text: String) {
    self.id = id
    self.text = text
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(id, forKey: .id)
    if text == "unspeakable" { throw Unspeakable() }
    try container.encode(text, forKey: .text)
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    id = try container.decode(EntityID<Mood>.self, forKey: .id)
    text = try container.decode(String.self, forKey: .text)
  }
}
