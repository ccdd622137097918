import Strata
import StrataPersistence
import TestSupport
import Testing

/// Undo in the history of a file; what an undo does to the state is in `UndoTests`.
struct UndoHistoryTests {
  @Test
  func `an undo is journaled as a delta of its own`() async throws {
    let directory = try TemporaryDirectory()
    let persistence = try await Persistence.open(
      at: directory.path("app.strata"),
      initialState: LibraryState(),
      database: \.db
    )
    let store = LibraryStore(persistence)
    let undo = UndoStack(of: store, database: \.db)
    store.commit("put") { $0.db.authors.insert(Author(id: "a", name: "Ada")) }
    try undo.undo()
    try undo.redo()
    var names: [String] = []
    for try await delta in persistence.deltas() { names.append(delta.name) }
    #expect(names == ["put", "undo put", "redo put"])
    try await persistence.close()
  }
}
