import Foundation
import Strata
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
