import Foundation
import Strata
import StrataInspection
import StrataJournal
import StrataMaintenance
import StrataPersistence
import StrataRecords
import StrataSQLite
import StrataStorage
import TestSupport
import Testing

/// A chunk that several snapshots list is damaged.
struct SharedChunkDamageTests {
  let directory: TemporaryDirectory
  let path: String

  init() throws {
    directory = try TemporaryDirectory()
    path = directory.path("app.strata")
  }

  private func open(
    _ restore: RestorePolicy = .strict
  ) async throws -> Persistence<LibraryState, LibraryDatabase> {
    try await Persistence.open(
      at: path,
      initialState: LibraryState(),
      database: \.db,
      configuration: PersistenceConfiguration(
        snapshots: SnapshotPolicy(minimumJournalBytes: 1 << 40),
        restore: restore
      )
    )
  }

  /// Commits, with snapshots at 1 and 2 that share all chunks but one, and a delta after them.
  @discardableResult
  private func work(
    on persistence: Persistence<LibraryState, LibraryDatabase>
  ) async throws -> LibraryStore {
    let store = LibraryStore(persistence)
    store.commit { $0.db.books.insert(contentsOf: (0..<20_000).map { bulkBook($0) }) }
    try await persistence.snapshot(named: "first")
    store.commit { $0.db.books.insert(Book(id: 1_000_001, title: "changed")) }
    try await persistence.snapshot(named: "second")
    store.commit { $0.db.books.insert(Book(id: 1_000_002, title: "later")) }
    try await persistence.flush()
    return store
  }

  /// Replaces the last chunk, which the snapshots share, by zeros.
  private func damage() throws {
    let connection = try Connection(path: path, mode: .readWrite)
    let changed = try connection.run(
      """
      UPDATE chunk SET body = zeroblob(length(body)) WHERE id = (SELECT chunk FROM listing
        GROUP BY chunk HAVING count(*) >= 2 ORDER BY entity_table DESC, first DESC LIMIT 1)
      """
    )
    #expect(changed == 1)
    try connection.close()
  }

  @Test
  func `opening falls back to a snapshot that does not list it`() async throws {
    let persistence = try await open()
    let store = try await work(on: persistence)
    try await persistence.close()
    try damage()
    let again = try await open()
    #expect(again.initialState.db == store.state.db)
    #expect(again.report.snapshotRevision == 0)
    #expect(again.report.notes.filter { $0.contains("skipped snapshot") }.count == 2)
    try await again.close()
  }

  @Test
  func `a snapshot that would share it fails, nothing is trimmed, and the next one is whole`()
    async throws
  {
    let persistence = try await open()
    let store = try await work(on: persistence)
    try damage()
    let error = await #expect(throws: PersistenceError.self) {
      try await persistence.snapshot(named: "third")
    }
    #expect(error?.description.contains("of snapshot 3") == true)
    #expect(persistence.status.newestSnapshot?.revision == 2)
    #expect(try Inspector(path: path).info().journal.first == 1)

    #expect(try await persistence.snapshot(named: "third") == 3)
    #expect(try await persistence.compact().historyFrom == 3)
    try await persistence.close()
    let again = try await open()
    #expect(again.initialState.db == store.state.db)
    #expect(again.report.snapshotRevision == 3)
    #expect(again.report.notes == [])
    try await again.close()
  }

  @Test
  func `history is not trimmed to a snapshot that lists it`() async throws {
    let persistence = try await open()
    let store = try await work(on: persistence)
    try await persistence.close()
    try damage()
    let again = try await open()
    #expect(again.report.snapshotRevision == 0)
    #expect(try await again.compact().historyFrom == 3)
    try await again.close()
    let last = try await open()
    #expect(last.initialState.db == store.state.db)
    #expect(last.report.notes == [])
    try await last.close()
    #expect(try Inspector(path: path).verify().checks.filter { !$0.passed }.count <= 2)
  }

  @Test
  func `best effort restores all without loss where an older snapshot and its deltas are whole`()
    async throws
  {
    let persistence = try await open()
    let store = try await work(on: persistence)
    try await persistence.close()
    try damage()
    let again = try await open(.bestEffort)
    #expect(again.initialState.db == store.state.db)
    #expect(again.report.outcome == .restored)
    try await again.close()
  }

  @Test
  func `best effort restores all but a damaged chunk where no snapshot is whole`() async throws {
    let persistence = try await open()
    let store = try await work(on: persistence)
    try await persistence.compact()
    try await persistence.close()
    let connection = try Connection(path: path, mode: .readWrite)
    #expect(try connection.run("DELETE FROM snapshot WHERE revision = 0") <= 1)
    try connection.close()
    try damage()
    let refusal = await #expect(throws: PersistenceError.self) { _ = try await open() }
    guard case .damaged = refusal?.reason else {
      Issue.record("another reason: \(String(describing: refusal))")
      return
    }

    let again = try await open(.bestEffort)
    let loss = try #require(again.report.loss)
    #expect(again.report.outcome == .restoredWithLoss)
    let missing = try #require(loss.missing.first)
    #expect(loss.missing.count == 1)
    #expect(missing.table == "books")
    #expect(loss.revisions == nil)
    let books = store.state.db.books.sorted { $0.id.raw < $1.id.raw }
    let kept = books.dropLast(missing.count)
    #expect(missing.count > 0 && missing.firstID == "\(books[kept.count].id.raw)")
    #expect(again.initialState.db.books.sorted { $0.id.raw < $1.id.raw } == Array(kept))
    let sentence = "entities of table books from \(missing.firstID) on are lost"
    #expect(loss.description.contains(sentence))
    try await again.close()
    #expect(try Inspector(path: path).verify().isSound)
  }

  @Test
  func `one entity is shown although another chunk is damaged`() async throws {
    let persistence = try await open()
    try await work(on: persistence)
    try await persistence.close()
    try damage()
    let inspector = try Inspector(path: path)
    let shown = try inspector.show(table: "books", id: "1000001")
    #expect(shown.map(\.value["title"]) == [.string("changed")])
    #expect(try inspector.show(table: "books", id: "1000002").count == 1)
    #expect(try inspector.show(table: "books", id: "1000003").count == 1)
  }

  @Test
  func `tables are counted without reading a chunk in which nothing changed`() async throws {
    let persistence = try await open()
    let store = try await work(on: persistence)
    try await persistence.close()
    let expected = try Inspector(path: path).tables().first { $0.name == "books" }
    try damage()
    let counted = try Inspector(path: path).tables().first { $0.name == "books" }
    #expect(counted == expected)
    #expect(counted?.count == store.state.db.books.count)
  }
}
