import Foundation
import Strata
import StrataInspection
import StrataJournal
import StrataPersistence
import StrataStorage
import TestSupport
import Testing

/// Ways to open a store, the traces of its commits, and progress.
struct OpeningTests {
  let directory: TemporaryDirectory
  let path: String

  init() throws {
    directory = try TemporaryDirectory()
    path = directory.path("app.strata")
  }

  /// Opens without `async`, as the `main` of a script does.
  private func openNow() throws -> Persistence<LibraryState, LibraryDatabase> {
    try Persistence.openBlocking(at: path, initialState: LibraryState(), database: \.db)
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

  @Test
  func `openings and snapshots tell how far they are, up to the end`() async throws {
    let reported = Recorder<PersistenceProgress>()
    var configuration = PersistenceConfiguration(
      snapshots: SnapshotPolicy(minimumJournalBytes: 1 << 40)
    )
    configuration.progress = { reported.record($0) }
    for round in 0..<2 {
      let persistence = try await Persistence.open(
        at: path,
        initialState: LibraryState(),
        database: \.db,
        configuration: configuration
      )
      let store = LibraryStore(persistence)
      store.commit { state in
        state.db.books = EntityTable((0..<30_000).map { bulkBook($0 + round * 100_000) })
      }
      for number in 0..<50 {
        store.commit { $0.db.authors.insert(Author(id: EntityID("\(round) \(number)"))) }
      }
      if round == 0 { try await persistence.snapshot(named: "first") }
      try await persistence.snapshot(named: "second")
      // Not a multiple of a hundred, so that the last report is not on a boundary.
      for number in 0..<299 {
        store.commit { $0.db.authors.insert(Author(id: EntityID("\(round) 1"), name: "\(number)")) }
      }
      try await persistence.close()
    }
    let progress = reported.elements
    for activity in [PersistenceProgress.Activity.replaying, .loading, .snapshotting] {
      let reports = progress.filter { $0.activity == activity }
      #expect(reports.last?.fraction == 1, "\(activity)")
      #expect(reports.allSatisfy { $0.done <= $0.total }, "\(activity)")
      for (a, b) in zip(reports, reports.dropFirst()) where b.done < a.done {
        #expect(b.done == 0 && a.done == a.total, "\(activity) started again before it ended")
      }
    }
    #expect(progress.count { $0.activity == .loading && $0.total > 30_000 } > 3)
    #expect(progress.contains { $0.activity == .replaying && $0.done == 299 && $0.total == 299 })
  }
}
