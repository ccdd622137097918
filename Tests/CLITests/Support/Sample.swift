import Foundation
import Strata

struct User: EntityType {
  typealias RawID = Int
  struct Place: Codable, Equatable, Sendable {
    var city: String
    var floor: Int
  }

  static let tableName: TableName = "users"
  let id: EntityID<User>
  var name: String
  var email: String?
  var tags: [String] = []
  var home: Place?
}

/// One whose text is `unwritable` refuses to be encoded.
struct Note: EntityType {
  struct UnpersistedChange: Error {}

  static let tableName: TableName = "notes"
  let id: EntityID<Note>
  var text: String

  private enum CodingKeys: String, CodingKey { case id, text }

  func encode(to encoder: any Encoder) throws {
    guard text != "unwritable" else { throw UnpersistedChange() }
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(id, forKey: .id)
    try container.encode(text, forKey: .text)
  }
}

struct SampleDatabase: DatabaseType {
  var users = EntityTable<User>()
  var notes = EntityTable<Note>()

  static let schema = DatabaseSchema<SampleDatabase> {
    Entities(\.users)
    Entities(\.notes)
  }
}

struct SampleState: StateType {
  var db = SampleDatabase()

  /// Ida and a note, who are only in snapshot 0.
  static var initial: SampleState {
    var state = SampleState()
    state.db.users.insert(User(id: 1, name: "Initial Ida"))
    state.db.notes.insert(Note(id: "welcome", text: "hello\nworld"))
    return state
  }
}

final class SampleStore: Store<SampleState, Never>, @unchecked Sendable {}

/// A store that a program has open.
struct OpenSample {
  let persistence: Persistence<SampleState, SampleDatabase>
  let store: SampleStore

  /// Opens the store at a path; the clock stands still at 2026-02-02 02:40:00 UTC.
  init(
    at path: String,
    snapshots: SnapshotPolicy = SnapshotPolicy(),
    initial: SampleState = .initial
  ) async throws {
    persistence = try await Persistence.open(
      at: path,
      initialState: initial,
      database: \.db,
      configuration: PersistenceConfiguration(
        snapshots: snapshots,
        now: { Date(timeIntervalSince1970: 1_770_000_000) }
      )
    )
    store = SampleStore(persistence)
  }

  /// Three commits: two users come, then a note that cannot be written, then Ida goes.
  func commitSample() async throws {
    store.commit("add users", fileID: "App/Users.swift", function: "add()", line: 12) {
      $0.db.users.insert(
        User(
          id: 2,
          name: "Delta Dora",
          email: "dora@example.org",
          tags: ["a", "b"],
          home: User.Place(city: "Zürich", floor: 3)
        )
      )
      $0.db.users.insert(User(id: 42, name: "林 Mei"))
    }
    store.commit("note", fileID: "App/Notes.swift", function: "jot()", line: 7) {
      $0.db.notes.insert(Note(id: "todo", text: "unwritable"))
    }
    store.commit("", fileID: "App/Users.swift", function: "drop()", line: 30) {
      $0.db.users.remove(1)
    }
    try await flush()
  }

  /// Puts on disk what can be: the note that cannot be written is meant to be in the way.
  func flush() async throws {
    do {
      try await persistence.flush()
    } catch {
      guard case .notPersisted = error.reason else { throw error }
    }
  }

  /// Closes the file, which names the note that could not be written.
  func close() async throws {
    do {
      try await persistence.close()
    } catch {
      guard case .notPersisted = error.reason else { throw error }
    }
  }

  /// Commits one user after another, each in a commit of its own.
  func commitUsers(_ ids: Range<Int>, named name: String = "User") {
    for id in ids {
      store.commit { $0.db.users.insert(User(id: EntityID(id), name: "\(name) \(id)")) }
    }
  }
}

extension Folder {
  /// A store with the sample commits that nobody has open.
  func sampleAtRest() async throws -> String {
    let path = path("app.strata")
    let sample = try await OpenSample(at: path)
    try await sample.commitSample()
    try await sample.close()
    return path
  }

  /// A store as a killed writer leaves it, with commits in SQLite's WAL.
  ///
  /// It is the copy of one that is open; the copying is another process's, as closing a descriptor of
  /// a database drops the locks that this process holds on it.
  func sampleLeftBehind() async throws -> String {
    let origin = try Folder()
    let sample = try await OpenSample(at: origin.path("app.strata"))
    try await sample.commitSample()
    for suffix in ["", "-wal", ".lock", ".head"] {
      try await Program.run(
        "/bin/cp",
        [origin.path("app.strata\(suffix)"), path("app.strata\(suffix)")]
      )
    }
    try await sample.close()
    return path("app.strata")
  }
}
