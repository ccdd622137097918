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
