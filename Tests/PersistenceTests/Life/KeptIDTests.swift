import Foundation
import Strata
import StrataJournal
import StrataPersistence
import TestSupport
import Testing

/// IDs whose raw values are of types of a program.
struct KeptIDTests {
  @Test
  func `an ID with a set is found again, however the set was filled`() async throws {
    let seed = randomSeed()
    var order = SeededGenerator(seed: .random(in: .min ... .max))
    let directory = try TemporaryDirectory()
    let path = directory.path("app.strata")
    func open() async throws -> Persistence<KeyedState, KeyedState.Database> {
      try await Persistence.open(at: path, initialState: KeyedState(), database: \.db)
    }
    let ids = (0..<50).map { Unordered(seed: seed, number: $0, order: &order) }
    let again = (0..<50).map { Unordered(seed: seed, number: $0, order: &order) }
    let persistence = try await open()
    let store = Store<KeyedState, Never>(persistence)
    store.commit { state in
      for id in ids { state.db.hands.insert(Hand(id: EntityID(id), text: "first")) }
    }
    try await persistence.flush()
    store.commit { state in
      for id in again { state.db.hands.insert(Hand(id: EntityID(id), text: "second")) }
    }
    try await persistence.close()
    let restored = try await open()
    #expect(restored.initialState.db.hands.count == 50, "seed \(seed)")
    #expect(restored.initialState.db.hands.allSatisfy { $0.text == "second" }, "seed \(seed)")
    try await restored.close()
  }

  @Test
  func `an ID that comes back with other bytes is refused at its first commit, by its name`()
    async throws
  {
    let directory = try TemporaryDirectory()
    let path = directory.path("app.strata")
    func open() async throws -> Persistence<KeyedState, KeyedState.Database> {
      try await Persistence.open(at: path, initialState: KeyedState(), database: \.db)
    }
    let persistence = try await open()
    let store = Store<KeyedState, Never>(persistence)
    store.commit {
      $0.db.folders = [
        Folder(id: EntityID(FoldedName("Home")), size: 1),
        Folder(id: EntityID(FoldedName("work")), size: 2),
      ]
    }
    let error = await #expect(throws: PersistenceError.self) { try await persistence.flush() }
    #expect(error?.description.contains("has other bytes when it is decoded") == true)
    #expect(persistence.status.notPersisted.map(\.id) == ["Home"])
    await #expect(throws: PersistenceError.self) { try await persistence.close() }
    let restored = try await open()
    #expect(restored.initialState.db.folders.map(\.size) == [2])
    try await restored.close()
  }

  @Test
  func `an initial state with such an ID is refused before there is a file`() async throws {
    let directory = try TemporaryDirectory()
    var state = KeyedState()
    state.db.folders = [Folder(id: EntityID(FoldedName("Home")), size: 1)]
    let initial = state
    let error = await #expect(throws: PersistenceError.self) {
      try await Persistence.open(
        at: directory.path("app.strata"),
        initialState: initial,
        database: \.db
      )
    }
    #expect(error?.description.contains("its ID Home has other bytes when it is decoded") == true)
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory.url.path) == [])
  }

  @Test
  func `an optional ID traps with the remedy`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let directory = try TemporaryDirectory()
      _ = try await Persistence.open(
        at: directory.path("app.strata"),
        initialState: NamelessState(),
        database: \.db
      )
    }
    // A release build stops without the sentence.
    #if DEBUG
      #expect(result?.standardErrorContent.text.contains("an entity has one") == true)
    #else
      #expect(result != nil)
    #endif
  }
}

struct Hand: EntityType {
  typealias RawID = Unordered
  static let tableName: TableName = "hands"
  let id: EntityID<Hand>
  var text: String
}

/// A name that is decoded in lower case: its encoded form does not come back.
struct FoldedName: Codable, Hashable, Sendable, CustomStringConvertible {
  let description: String

  init(_ name: String) { description = name }

  init(from decoder: any Decoder) throws {
    description = try decoder.singleValueContainer().decode(String.self).lowercased()
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}

struct Folder: EntityType {
  typealias RawID = FoldedName
  static let tableName: TableName = "folders"
  let id: EntityID<Folder>
  var size: Int
}

struct KeyedState: StateType {
  struct Database: DatabaseType {
    var hands = EntityTable<Hand>()
    var folders = EntityTable<Folder>()

    static let schema = DatabaseSchema<Database> {
      Entities(\.hands)
      Entities(\.folders)
    }
  }

  var db = Database()
}

struct NamelessState: StateType {
  struct Nameless: EntityType {
    typealias RawID = String?
    static let tableName: TableName = "nameless"
    let id: EntityID<Nameless>
  }

  struct Database: DatabaseType {
    var nameless = EntityTable<Nameless>()

    static let schema = DatabaseSchema<Database> { Entities(\.nameless) }
  }

  var db = Database()
}
