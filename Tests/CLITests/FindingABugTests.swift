import Foundation
import Strata
import StrataMaintenance
import StrataMigrating
import StrataMigrations
import Testing

/// The test of the page `FindingABug.md`: it shows the bug in a fork of the user's file.
@Suite struct FindingABugTests {
  /// The code that the page is about: it closes issues that are assigned too.
  private func closeStale(in store: Store<TrackerState, Never>) {
    store.commit("cleanup") { state in
      for id in [41, 42] as [Issue.ID] {
        _ = try? state.db.issues.updateIfExists(id) { $0.state = "closed" }
      }
    }
  }

  @Test func `a fork of the user's file shows the bug again`() async throws {
    let folder = try Folder()
    let file = folder.path("app.strata")
    let tracker = try await Tracker(at: file)
    try await tracker.commitSample()
    try await tracker.persistence.close()

    let persistence = try await Persistence.fork(
      of: file,
      at: .revision(3),
      to: folder.path("fork.strata"),
      initialState: TrackerState.initial,
      database: \.db
    )
    let store = Store<TrackerState, Never>(persistence)
    #expect(store.state.db.issues[42]?.state == "open")
    #expect(store.state.db.issues[42]?.assignee == "bob")
    closeStale(in: store)
    // The bug: it is assigned, and it is closed.
    #expect(store.state.db.issues[42]?.state == "closed")
    let blame = try await persistence.blame(of: Issue.ID(42))
    let state = try #require(blame.first { $0.field == "state" })
    #expect(state.value == "\"closed\"")
    #expect(state.commit?.name == "cleanup")
    #expect(state.commit?.revisions == 4...4)
    try await persistence.close()
  }
}

/// A store whose second table came at revision 1.
private struct People: StateType {
  struct Person: EntityType, Codable, Equatable {
    static let tableName: TableName = "people"
    let id: EntityID<Person>
    var name: String
  }

  struct Thing: EntityType, Codable, Equatable {
    static let tableName: TableName = "things"
    let id: EntityID<Thing>
    var name: String
  }

  struct Tables: DatabaseType {
    var people = EntityTable<Person>()
    var things = EntityTable<Thing>()

    static let schema = DatabaseSchema<Tables> {
      Entities(\.people)
      Entities(\.things)
    }
  }

  var db = Tables()
}

@Suite struct ForkTests {
  let folder: Folder
  let file: String
  let copy: String

  init() async throws {
    folder = try Folder()
    file = folder.path("app.strata")
    copy = folder.path("copy.strata")
    let lines = folder.path("lines.csv")
    try Data("id,name\nu1,Ada\n".utf8).write(to: URL(fileURLWithPath: lines))
    for table in ["people", "things"] {
      let imported = try await Program.strata("import", file, table, lines, "--create")
      #expect(imported.errors == "")
    }
  }

  @Test func `a fork from before a table was added opens without it`() async throws {
    let forked = try await Program.strata("fork", file, copy, "--at", "0")
    #expect(forked.errors == "")
    #expect(try await Program.strata("verify", copy).status == 0)
    #expect(try await Program.strata("show", copy, "people", "u1").status == 0)
    #expect(try await Program.strata("show", copy, "things", "u1").status == 3)

    let other = folder.path("other.strata")
    let persistence = try await Persistence.fork(
      of: file,
      at: .revision(0),
      to: other,
      initialState: People(),
      database: \.db
    )
    let store = Store<People, Never>(persistence)
    #expect(store.state.db.people["u1"]?.name == "Ada")
    #expect(store.state.db.things.isEmpty)
    store.commit { $0.db.things.insert(People.Thing(id: "u2", name: "Lamp")) }
    try await persistence.close()
    #expect(try await Program.strata("verify", other).status == 0)
  }

  @Test func `migrations bring a fork up, as a launch would have`() async throws {
    let upper = try DataMigration("0001_upper", sql: "UPDATE people SET name = upper(name);")
    let persistence = try await Persistence.fork(
      of: file,
      at: .revision(1),
      to: copy,
      initialState: People(),
      database: \.db,
      with: [.migrations([upper])]
    )
    #expect(Store<People, Never>(persistence).state.db.people["u1"]?.name == "ADA")
    try await persistence.close()
  }

  @Test func `a fork that fails names the file that is wrong, and leaves nothing behind`()
    async throws
  {
    let before = try await folder.contents()
    let absent = try await Program.strata("fork", file, copy, "--at", "7")
    #expect(absent.status == 3)
    #expect(absent.errors.contains("\(file): there is no revision 7"))
    #expect(try await folder.contents() == before)

    try Data("no store".utf8).write(to: URL(fileURLWithPath: copy))
    let taken = try await Program.strata("fork", file, copy, "--at", "0")
    #expect(taken.errors.contains(copy))
    #expect(try String(contentsOfFile: copy, encoding: .utf8) == "no store")
  }
}

/// The test that the page shows, when the bug is gone.
@Suite struct FoundBugTests {
  let folder: Folder
  let file: String
  var directory: String { folder.path("fork") }

  init() async throws {
    folder = try Folder()
    file = folder.path("app.strata")
    try FileManager.default.createDirectory(
      atPath: folder.path("fork"),
      withIntermediateDirectories: true
    )
    let tracker = try await Tracker(at: file)
    try await tracker.commitSample()
    try await tracker.persistence.close()
  }

  private func closeStale(in store: Store<TrackerState, Never>) {
    store.commit("cleanup") { state in
      for id in [41, 42] as [Issue.ID] where state.db.issues[id]?.assignee == nil {
        _ = try? state.db.issues.updateIfExists(id) { $0.state = "closed" }
      }
    }
  }

  @Test func `a cleanup leaves issues that are assigned`() async throws {
    let persistence = try await Persistence.fork(
      of: file,
      at: .revision(3),
      to: directory + "/app.strata",
      initialState: TrackerState.initial,
      database: \.db
    )
    let store = Store<TrackerState, Never>(persistence)
    closeStale(in: store)
    #expect(store.state.db.issues[42]?.state == "open")  // fails: it is closed
    try await persistence.close()
  }
}
