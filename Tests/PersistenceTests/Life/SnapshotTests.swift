import Foundation
import Strata
import StrataInspection
import StrataJournal
import StrataPersistence
import StrataSQLite
import StrataStorage
import TestSupport
import Testing

/// Merging the journal into snapshots, trimming it, and what is kept.
struct SnapshotTests {
  let directory: TemporaryDirectory
  let path: String

  init() throws {
    directory = try TemporaryDirectory()
    path = directory.path("app.strata")
  }

  private func run(
    commits: ClosedRange<Int64>,
    policy: SnapshotPolicy,
    naming names: [Int64: String] = [:]
  ) async throws -> LibraryDatabase {
    let persistence = try await Persistence.open(
      at: path,
      initialState: LibraryState(),
      database: \.db,
      configuration: PersistenceConfiguration(snapshots: policy)
    )
    let store = LibraryStore(persistence)
    let script = LibraryScript(seed: 11)
    for number in commits {
      store.commit { script.commit(number, to: &$0.db) }
      if let name = names[number] { try await persistence.snapshot(named: name) }
      if number % 50 == 0 { try await persistence.flush() }
    }
    try await persistence.snapshot(named: "last")
    try await persistence.close()
    return store.state.db
  }

  @Test
  func `the journal is folded and trimmed, and the file stays small and whole`() async throws {
    let policy = SnapshotPolicy(minimumJournalBytes: 10_000, minimumHistoryBytes: 30_000)
    let state = try await run(commits: 1...2_000, policy: policy)
    let inspector = try Inspector(path: path)
    let info = try inspector.info()
    #expect(info.revision == 2_000)
    #expect(info.snapshots.count >= 2)
    #expect(info.snapshots.allSatisfy { $0.verified })
    let first = try #require(info.journal.first)
    #expect(first > 1_000)
    #expect(info.journal.bytes < 200_000)
    #expect(try inspector.verify().isSound)
    #expect(try inspector.database(over: LibraryDatabase(), at: 2_000) == state)
  }

  @Test
  func `a named snapshot outlives the journal around it`() async throws {
    let policy = SnapshotPolicy(minimumJournalBytes: 10_000, minimumHistoryBytes: 30_000)
    _ = try await run(commits: 1...2_000, policy: policy, naming: [100: "before the upgrade"])
    let inspector = try Inspector(path: path)
    let info = try inspector.info()
    #expect(info.snapshots.contains { $0.revision == 100 && $0.names == ["before the upgrade"] })
    #expect(try #require(info.journal.first) > 101)
    let script = LibraryScript(seed: 11)
    #expect(
      try inspector.database(over: LibraryDatabase(), at: 100) == script.database(after: 100)
    )
    #expect(try inspector.verify().isSound)
  }

  @Test
  func `every revision from the oldest snapshot on can be read`() async throws {
    let policy = SnapshotPolicy(minimumJournalBytes: 5_000, minimumHistoryBytes: 20_000)
    _ = try await run(commits: 1...400, policy: policy)
    let inspector = try Inspector(path: path)
    let oldest = try #require(try inspector.info().snapshots.map(\.revision).min())
    let script = LibraryScript(seed: 11)
    var model = script.database(after: oldest)
    for revision in oldest...400 {
      if revision > oldest { script.commit(revision, to: &model) }
      let restored = try inspector.database(over: LibraryDatabase(), at: Revision(revision))
      #expect(restored == model, "revision \(revision)")
    }
  }

  @Test
  func `a broken newest snapshot costs a note, not the state`() async throws {
    let policy = SnapshotPolicy(minimumJournalBytes: 1 << 30)
    let state = try await run(commits: 1...50, policy: policy, naming: [20: "older"])
    let connection = try Connection(path: path, mode: .readWrite)
    #expect(try connection.run(SnapshotDamage.clearing(ownChunksOf: "50")) > 0)
    try connection.close()

    let persistence = try await Persistence.open(
      at: path,
      initialState: LibraryState(),
      database: \.db
    )
    #expect(persistence.initialState.db == state)
    #expect(persistence.report.snapshotRevision == 20)
    #expect(persistence.report.notes.contains { $0.contains("skipped snapshot 50:") })
    try await persistence.close()
  }

  @Test
  func `what was read of a snapshot before its damage was found is forgotten`() async throws {
    let never = SnapshotPolicy(minimumJournalBytes: 1 << 40)
    let configuration = PersistenceConfiguration(snapshots: never)
    let persistence = try await Persistence.open(
      at: path,
      initialState: LibraryState(),
      database: \.db,
      configuration: configuration
    )
    let store = LibraryStore(persistence)
    store.commit { $0.db.books.insert(contentsOf: (0..<9_000).map { bulkBook($0) }) }
    try await persistence.snapshot(named: "of several chunks")
    store.commit { state in
      for number in 0..<100 { state.db.books.remove(bulkBook(number).id) }
    }
    let state = store.state.db
    try await persistence.close()
    let connection = try Connection(path: path, mode: .readWrite)
    let damaged = try connection.run(
      """
      UPDATE chunk SET body = zeroblob(length(body)) WHERE id = (SELECT chunk FROM listing
        WHERE revision = 1 ORDER BY entity_table DESC, first DESC LIMIT 1)
      """
    )
    #expect(damaged == 1)
    try connection.close()

    let again = try await Persistence.open(
      at: path,
      initialState: LibraryState(),
      database: \.db,
      configuration: configuration
    )
    #expect(again.initialState.db == state)
    #expect(again.report.entities == 8_900)
    #expect(again.report.snapshotRevision == 0)
    #expect(again.report.notes.contains { $0.contains("skipped snapshot 1:") })
    try await again.close()
  }

  @Test
  func `a gap in the journal is refused and named`() async throws {
    let policy = SnapshotPolicy(minimumJournalBytes: 1 << 30)
    let persistence = try await Persistence.open(
      at: path,
      initialState: LibraryState(),
      database: \.db,
      configuration: PersistenceConfiguration(snapshots: policy)
    )
    let store = LibraryStore(persistence)
    for number in 1...9 { store.commit { $0.db.books.insert(Book(id: EntityID(number))) } }
    try await persistence.close()
    let connection = try Connection(path: path, mode: .readWrite)
    try connection.run("DELETE FROM delta WHERE revision = 5")
    try connection.close()

    let error = await #expect(throws: PersistenceError.self) {
      _ = try await Persistence.open(at: path, initialState: LibraryState(), database: \.db)
    }
    guard case .damaged(let detail) = error?.reason else {
      Issue.record("another reason: \(String(describing: error))")
      return
    }
    #expect(detail.contains("between revisions 4 and 6"))
    #expect(try Inspector(path: path).verify().isSound == false)
  }
}
