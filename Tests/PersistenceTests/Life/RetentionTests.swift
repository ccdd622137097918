import Foundation
import Strata
import StrataBase
import StrataInspection
import StrataJournal
import StrataMaintenance
import StrataPersistence
import StrataStorage
import TestSupport
import Testing

/// How much history a store keeps, and how it is removed.
struct RetentionTests {
  let directory: TemporaryDirectory
  let path: String
  let script = LibraryScript(seed: 3)

  init() throws {
    directory = try TemporaryDirectory()
    path = directory.path("app.strata")
  }

  private func open(
    _ policy: SnapshotPolicy,
    restore: RestorePolicy = .strict,
    now: @escaping @Sendable () -> Date = { Date() }
  ) async throws -> Persistence<LibraryState, LibraryDatabase> {
    try await Persistence.open(
      at: path,
      initialState: LibraryState(),
      database: \.db,
      configuration: PersistenceConfiguration(snapshots: policy, restore: restore, now: now)
    )
  }

  /// Makes commits, and flushes often, so that snapshots are taken when the policy asks for them.
  private func commit(
    _ numbers: ClosedRange<Int64>,
    to persistence: Persistence<LibraryState, LibraryDatabase>,
    named names: [Int64: String] = [:]
  ) async throws {
    try await commit(numbers, to: LibraryStore(persistence), persistence, named: names)
  }

  private func commit(
    _ numbers: ClosedRange<Int64>,
    to store: LibraryStore,
    _ persistence: Persistence<LibraryState, LibraryDatabase>,
    named names: [Int64: String] = [:]
  ) async throws {
    for number in numbers {
      store.commit { script.commit(number, to: &$0.db) }
      if let name = names[number] { try await persistence.snapshot(named: name) }
      if number % 20 == 0 { try await persistence.flush() }
    }
    try await persistence.flush()
  }

  private func firstKept() throws -> Int64 {
    try #require(try Inspector(path: path).info().journal.first)
  }

  @Test
  func `the last so many revisions stay, and those before them go`() async throws {
    let persistence = try await open(
      SnapshotPolicy(
        minimumJournalBytes: 2_000,
        minimumHistoryBytes: 2_000,
        minimumHistoryRevisions: 700
      )
    )
    try await commit(1...1_500, to: persistence)
    #expect(try await persistence.state(at: .revision(800)) == script.database(after: 800))
    try await persistence.close()
    let first = try firstKept()
    // The snapshot before the first delta is kept with it.
    #expect(first > 1 && first <= 801)
    #expect(try Inspector(path: path).verify().isSound)
  }

  @Test
  func `every moment of the last so long stays, and those before it go`() async throws {
    // Each call of the clock advances it by a second, until it is stopped.
    let clock = Counter()
    let stopped = Counter()
    let persistence = try await open(
      SnapshotPolicy(
        minimumJournalBytes: 2_000,
        minimumHistoryBytes: 2_000,
        minimumHistoryAge: .seconds(400)
      ),
      now: {
        if stopped.count == 0 { clock.add() }
        return Date(timeIntervalSince1970: Double(clock.count))
      }
    )
    try await commit(1...1_500, to: persistence)
    // Maintenance may go on: a running clock would let it trim the moment that is asked for.
    stopped.add()
    let moment = Date(timeIntervalSince1970: Double(clock.count - 400))
    // The revision of the moment may be a snapshot's alone: the delta after it is always kept.
    var next: Revision?
    for try await delta in persistence.deltas() where delta.time > moment {
      next = next ?? delta.revision
    }
    let revision = try #require(next).number - 1
    let database = try await persistence.state(at: .time(moment))
    #expect(revision > 0)
    #expect(database == script.database(after: revision))
    try await persistence.close()
    #expect(try firstKept() > 1)
  }

  @Test
  func `a clock that jumps ahead trims no history of the promised days, also after a restart`()
    async throws
  {
    let policy = SnapshotPolicy(
      minimumJournalBytes: 2_000,
      minimumHistoryBytes: 2_000,
      minimumHistoryAge: .seconds(30 * 86_400)
    )
    let start = Date(timeIntervalSince1970: 1_770_000_000)
    let offset = Lock(0.0)
    let now: @Sendable () -> Date = { start.addingTimeInterval(offset.withLock { $0 }) }
    var persistence = try await open(policy, now: now)
    var store = LibraryStore(persistence)
    try await commit(1...300, to: store, persistence)
    #expect(persistence.status.heldTimes == nil)
    offset.withLock { $0 = 73 * 365 * 86_400.0 }
    try await commit(301...600, to: store, persistence)
    #expect(persistence.status.heldTimes == nil)
    // The clock is right again, and an hour later the program starts again.
    offset.withLock { $0 = 3_600 }
    try await commit(601...900, to: store, persistence)
    let held = try #require(persistence.status.heldTimes)
    #expect(held.since == 301)
    #expect(
      persistence.status.description.contains("Times are held at 2099-"),
      "\(persistence.status)"
    )
    #expect(try await persistence.state(at: .revision(5)) == script.database(after: 5))
    try await persistence.close()
    persistence = try await open(policy, now: now)
    store = LibraryStore(persistence)
    #expect(persistence.status.heldTimes?.since == 301)
    try await commit(901...1_500, to: store, persistence)
    #expect(try await persistence.state(at: .revision(5)) == script.database(after: 5))
    try await persistence.close()
    #expect(try firstKept() == 1)
    // Bytes bound the history as before.
    persistence = try await open(
      SnapshotPolicy(minimumJournalBytes: 2_000, minimumHistoryBytes: 2_000),
      now: now
    )
    store = LibraryStore(persistence)
    try await commit(1_501...1_600, to: store, persistence)
    try await persistence.close()
    #expect(try firstKept() > 1)
  }

  @Test
  func `what is trimmed while another program reads it is read again`() async throws {
    let persistence = try await open(SnapshotPolicy(minimumJournalBytes: .max))
    try await commit(1...50, to: persistence)
    let (trims, reads) = (Counter(), Counter())
    // A thread of its own, because the query waits for the writer.
    let result = await withCheckedContinuation { continuation in
      Thread.detachNewThread { [path] in
        let result = Result {
          try Inspector(path: path).query { view in
            reads.add()
            if reads.count == 1 {
              let trimmed = DispatchSemaphore(value: 0)
              Task {
                try await persistence.compact()
                trims.add()
                trimmed.signal()
              }
              trimmed.wait()
            }
            return try view.read(at: view.last.revision) { _ in }.base.header.revision
          }
        }
        continuation.resume(returning: result)
      }
    }
    #expect(try result.get() == 50)
    #expect(trims.count == 1 && reads.count == 2)
    try await persistence.close()
  }

  @Test
  func `a store that never takes a snapshot is suspended, resumed and closed`() async throws {
    let persistence = try await open(SnapshotPolicy(minimumJournalBytes: .max))
    try await commit(1...10, to: persistence)
    try await persistence.suspend()
    try await persistence.resume()
    try await persistence.close()
    #expect(try Inspector(path: path).info().revision == 10)
  }

  @Test
  func `all history stays where it is to`() async throws {
    let persistence = try await open(
      SnapshotPolicy(
        minimumJournalBytes: 2_000,
        minimumHistoryBytes: 2_000,
        keepsAllHistory: true
      )
    )
    try await commit(1...600, to: persistence)
    #expect(try await persistence.state(at: .revision(1)) == script.database(after: 1))
    try await persistence.close()
    let info = try Inspector(path: path).info()
    #expect(info.journal.first == 1)
    #expect(info.snapshots.count > 2)
  }

  @Test
  func `a compaction leaves one snapshot and the named ones, and a small file`() async throws {
    let policy = SnapshotPolicy(minimumJournalBytes: 1 << 30)
    let persistence = try await open(policy)
    try await commit(1...2_000, to: persistence, named: [500: "before"])
    let compaction = try await persistence.compact()
    #expect(compaction.snapshot == 2_000)
    #expect(compaction.historyFrom == 2_000)
    #expect(compaction.bytesAfter < compaction.bytesBefore / 2)
    #expect(persistence.status.bytes.database == compaction.bytesAfter)
    #expect(persistence.status.bytes.wal == 0)

    #expect(try await persistence.state(at: .revision(2_000)) == script.database(after: 2_000))
    #expect(
      try await persistence.state(at: .snapshot("before")) == script.database(after: 500)
    )
    let error = await #expect(throws: PersistenceError.self) {
      _ = try await persistence.state(at: .revision(1_999))
    }
    guard case .trimmed = error?.reason else {
      Issue.record("another reason: \(String(describing: error))")
      return
    }
    try await persistence.close()
    #expect(try Inspector(path: path).verify().isSound)
    #expect(try Inspector(path: path).info().snapshots.map(\.revision) == [2_000, 500])

    // The store continues from there.
    let again = try await open(policy)
    #expect(again.initialState.db == script.database(after: 2_000))
    try await commit(2_001...2_010, to: again)
    try await again.close()
    #expect(try firstKept() == 2_001)
  }

  @Test
  func `compacting again finds nothing to do`() async throws {
    let persistence = try await open(SnapshotPolicy())
    try await commit(1...50, to: persistence)
    let first = try await persistence.compact()
    let second = try await persistence.compact()
    #expect(second.snapshot == 50)
    #expect(second.historyFrom == 50)
    #expect(second.bytesBefore == first.bytesAfter)
    #expect(second.bytesAfter == first.bytesAfter)
    try await persistence.close()
  }

  @Test
  func `what somebody reads stays until they have come past`() async throws {
    let persistence = try await open(SnapshotPolicy(minimumJournalBytes: 1 << 30))
    let store = LibraryStore(persistence)
    let title = String(repeating: "thick ", count: 16_000)
    for number in 1...60 {
      store.commit { $0.db.books.insert(Book(id: 1, title: "\(number) \(title)")) }
      if number == 10 { try await persistence.snapshot(named: "ten") }
    }
    try await persistence.flush()
    var iterator: Deltas<LibraryState, LibraryDatabase>.Iterator? =
      persistence.deltas(from: 21, to: 60).makeAsyncIterator()
    #expect(try await iterator?.next()?.revision == 21)
    let compaction = try await persistence.compact()
    #expect(compaction.historyFrom == 10)
    var last: Revision = 21
    while let delta = try await iterator?.next() {
      #expect(delta.revision == last.next)
      last = delta.revision
    }
    #expect(last == 60)
    iterator = nil
    #expect(try await persistence.compact().historyFrom == 60)
    try await persistence.close()
  }

  @Test
  func `a file that is closed, let go or only read is not compacted`() async throws {
    let persistence = try await open(SnapshotPolicy())
    try await commit(1...5, to: persistence)
    try await persistence.suspend()
    await #expect(throws: PersistenceError.self) { try await persistence.compact() }
    try await persistence.resume()
    try await persistence.close()
    await #expect(throws: PersistenceError.self) { try await persistence.compact() }

    let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    let reading = try await open(SnapshotPolicy(), restore: .readOnly)
    let error = await #expect(throws: PersistenceError.self) { try await reading.compact() }
    #expect(error?.reason == .readOnly)
    #expect(error?.operation == .compacting)
    try await reading.close()
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == bytes)
  }
}
