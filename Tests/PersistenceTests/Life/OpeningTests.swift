import Foundation
import Strata
import StrataPersistence
import TestSupport
import Testing

/// Ways to open a store, and what it writes down of who commits.
struct OpeningTests {
  let directory: TemporaryDirectory
  let path: String

  init() throws {
    directory = try TemporaryDirectory()
    path = directory.path("app.strata")
  }

  /// Without `async`, as in the `main` of a script.
  private func openNow() throws -> Persistence<LibraryState, LibraryDatabase> {
    try Persistence.open(at: path, initialState: LibraryState(), database: \.db)
  }

  @Test
  func `a store is opened, restored and refused without waiting asynchronously`() async throws {
    let first = try openNow()
    #expect(first.report.outcome == .fresh)
    let store = LibraryStore(first)
    store.commit { $0.db.books.insert(Book(id: 1)) }
    let error = #expect(throws: PersistenceError.self) { _ = try openNow() }
    guard case .alreadyOpen = error?.reason else {
      Issue.record("another reason: \(String(describing: error))")
      return
    }
    try await first.close()
    let second = try openNow()
    #expect(second.initialState.db == store.state.db)
    try await second.close()
  }

  @Test(arguments: [
    (CommitTraces.nameAndPlace, "secret", true), (.nameOnly, "secret", false), (.none, "", false),
  ])
  func `a delta says of its commit what it is told to`(
    traces: CommitTraces,
    name: String,
    hasPlace: Bool
  ) async throws {
    let persistence = try await Persistence.open(
      at: path,
      initialState: LibraryState(),
      database: \.db,
      configuration: PersistenceConfiguration(commitTraces: traces)
    )
    let store = LibraryStore(persistence)
    store.commit("secret") { $0.db.books.insert(Book(id: 1)) }
    for try await delta in persistence.deltas() {
      #expect(delta.name == name)
      #expect(delta.place.isEmpty != hasPlace)
    }
    try await persistence.close()
    let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    #expect((bytes.range(of: Data("secret".utf8)) != nil) == !name.isEmpty)
    #expect((bytes.range(of: Data("OpeningTests.swift".utf8)) != nil) == hasPlace)
    #expect(try Inspector(path: path).verify().isSound)
  }
}
