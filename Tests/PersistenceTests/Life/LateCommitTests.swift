import Strata
import StrataJournal
import StrataPersistence
import StrataStorage
import TestSupport
import Testing

private struct RuledLibrary: RuledStateType {
  var db = LibraryDatabase()
  var count = 0
}

/// A commit that a file refuses, because it is closed or only read.
struct LateCommitTests {
  let directory: TemporaryDirectory
  let refused = Recorder<RefusedCommit>()

  init() throws { directory = try TemporaryDirectory() }

  private var path: String { directory.path("app.strata") }

  private func open<State: StateType>(
    _ state: State,
    _ database: StatePath<State, LibraryDatabase>,
    _ restore: RestorePolicy = .strict
  ) async throws -> Persistence<State, LibraryDatabase> {
    try await Persistence.open(
      at: path,
      initialState: state,
      database: database,
      configuration: PersistenceConfiguration(restore: restore)
    )
  }

  private func reasons() -> [PersistenceError.Reason?] {
    refused.elements.map { ($0.error as? PersistenceError)?.reason }
  }

  @Test func `a commit after close is rolled back and reported`() async throws {
    let persistence = try await open(LibraryState(), \.db)
    let store = LibraryStore(persistence)
    store.refusedCommitHandler = { [refused] in refused.record($0) }
    try await persistence.close()
    store.commit("late") { $0.db.books.insert(Book(id: 1)) }
    #expect(store.state.db.books.isEmpty)
    #expect(reasons() == [.closed])
    #expect(refused.elements.first?.trace.name == "late")
    #expect(refused.elements.first?.description.contains("..") == false)
  }

  @Test func `a commit to a store that is only read is rolled back and reported`() async throws {
    try await open(LibraryState(), \.db).close()
    let persistence = try await open(LibraryState(), \.db, .readOnly)
    let store = LibraryStore(persistence)
    store.refusedCommitHandler = { [refused] in refused.record($0) }
    store.commit { $0.db.books.insert(Book(id: 1)) }
    #expect(store.state.db.books.isEmpty)
    #expect(reasons() == [.readOnly])
    try await persistence.close()
  }

  @Test func `in a ruled state both throw where the closure cannot`() async throws {
    let persistence = try await open(RuledLibrary(), \.db)
    let store = Store<RuledLibrary, Never>(persistence)
    try store.commit { $0.db.books.insert(Book(id: 1)) }
    try await persistence.close()
    let closed = #expect(throws: PersistenceError.self) {
      try store.commit { $0.db.books.insert(Book(id: 2)) }
    }
    #expect(closed?.reason == .closed)
    try store.commit { $0.count = 1 }
    let reading = try await open(RuledLibrary(), \.db, .readOnly)
    let reader = Store<RuledLibrary, Never>(reading)
    let readOnly = #expect(throws: PersistenceError.self) {
      try reader.commit { $0.db.books.insert(Book(id: 2)) }
    }
    #expect(readOnly?.reason == .readOnly)
    #expect(reader.state.db.books.count == 1)
    try await reading.close()
  }
}
