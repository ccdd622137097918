import Foundation
import Strata
import StrataBase

/// A small issue tracker, with a history that questions can be asked about.
struct Project: EntityType {
  static let tableName: TableName = "projects"
  let id: EntityID<Project>
  var name: String
}

struct Issue: EntityType {
  struct Device: Codable, Equatable, Sendable {
    var model: String
    var system: String
  }

  typealias RawID = Int
  static let tableName: TableName = "issues"
  let id: EntityID<Issue>
  var project: Project.ID
  var title: String
  var state = "open"
  var assignee: String?
  var labels: [String] = []
  var device: Device?
}

struct TrackerDatabase: DatabaseType {
  var projects = EntityTable<Project>()
  var issues = EntityTable<Issue>()

  static let schema = DatabaseSchema<TrackerDatabase> {
    Entities(\.projects)
    Entities(\.issues)
  }
}

struct TrackerState: StateType {
  struct Settings: Codable, Equatable, Sendable {
    var theme: String
    var pageSize: Int
  }

  var db = TrackerDatabase()
  var settings = Settings(theme: "light", pageSize: 20)

  static var initial: TrackerState {
    var state = TrackerState()
    state.db.projects.insert(contentsOf: [
      Project(id: "web", name: "Website"), Project(id: "app", name: "App 林檎"),
    ])
    state.db.issues.insert(contentsOf: [
      Issue(id: 41, project: "app", title: "Crash on start", labels: ["crash"]),
      Issue(
        id: 42,
        project: "web",
        title: "Login fails",
        // An array that is never empty has one kind, whatever the order in which entities are encoded.
        labels: ["login"],
        device: Issue.Device(model: "iPad", system: "17.1")
      ),
    ])
    return state
  }
}

/// Writes the store of the tracker; each commit has its own time.
struct Tracker {
  let persistence: Persistence<TrackerState, TrackerDatabase>
  let store: Store<TrackerState, Never>
  private let clock = Lock(Date(timeIntervalSince1970: 1_769_936_400))

  /// Opens the store; its clock is at 2026-02-01 09:00 UTC.
  init(at path: String) async throws {
    persistence = try await Persistence.open(
      at: path,
      initialState: .initial,
      database: \.db,
      values: [PersistedValue("settings", \.settings)],
      configuration: PersistenceConfiguration(now: { [clock] in clock.withLock { $0 } })
    )
    store = Store(persistence)
  }

  /// Sets the clock to minutes after 2026-02-01 09:00 UTC.
  func move(to minutes: Int) {
    clock.withLock { $0 = Date(timeIntervalSince1970: 1_769_936_400 + Double(minutes) * 60) }
  }

  /// Makes six commits and a named snapshot.
  func commitSample() async throws {
    move(to: 10)
    let ann = CommitContext(user: "ann", request: "r-7", fields: ["screen": "board"])
    store.commit(
      "issue/assign",
      context: ann,
      fileID: "Tracker/Board.swift",
      function: "assign(_:to:)",
      line: 21
    ) { _ = try? $0.db.issues.updateIfExists(42) { $0.assignee = "bob" } }
    move(to: 65)
    store.commit(
      "issue/edit",
      context: ann,
      fileID: "Tracker/Editor.swift",
      function: "save()",
      line: 88
    ) {
      _ = try? $0.db.issues.updateIfExists(42) {
        $0.title = "Login fails on 👩🏽‍🚀 iPad"
        $0.device?.system = "17.2"
      }
    }
    try await persistence.snapshot(named: "before-import")
    move(to: 1_440)
    store.commit("import", fileID: "Tracker/Import.swift", function: "run()", line: 5) {
      $0.db.issues.insert(contentsOf: [
        Issue(id: 43, project: "web", title: "Typo in footer", labels: ["easy", "text"]),
        Issue(id: 44, project: "app", title: "Crash in settings", labels: ["crash"]),
      ])
    }
    move(to: 1_470)
    store.commit(
      "cleanup",
      context: CommitContext(user: "cron"),
      fileID: "Tracker/Cleanup.swift",
      function: "closeStale()",
      line: 34
    ) {
      for id in [41, 42] as [Issue.ID] {
        _ = try? $0.db.issues.updateIfExists(id) { $0.state = "closed" }
      }
    }
    move(to: 1_471)
    store.commit("issue/delete", fileID: "Tracker/Board.swift", function: "delete(_:)", line: 40) {
      $0.db.issues.remove(44)
    }
    move(to: 1_500)
    store.commit("settings", fileID: "Tracker/Settings.swift", function: "save()", line: 12) {
      $0.settings.theme = "dark"
    }
    try await persistence.flush()
  }
}
