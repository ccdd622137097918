import Foundation
import Strata
import StrataBase
import StrataCore
import StrataInspection
import StrataJournal
import StrataPersistence
import StrataSQLite
import StrataStorage
import TestSupport
import Testing

/// The database at every kept revision, read beside a store in use.
struct HistoryTests {
  let directory: TemporaryDirectory
  let path: String
  let seed = randomSeed()
  let clock = TickingClock()

  init() throws {
    directory = try TemporaryDirectory()
    path = directory.path("app.strata")
  }

  private func open(
    _ policy: SnapshotPolicy,
    on vfs: FaultVFS? = nil
  ) async throws -> Persistence<LibraryState, LibraryDatabase> {
    var configuration = PersistenceConfiguration(
      snapshots: policy,
      recoveryInterval: .milliseconds(5),
      now: { [clock] in clock.tick() }
    )
    configuration.vfs = vfs?.name
    // These tests read the file; `RecentStateTests` read what is in memory.
    configuration.recentStates = 0
    return try await Persistence.open(
      at: path,
      initialState: LibraryState(),
      database: \.db,
      configuration: configuration
    )
  }

  /// How long a history is; under a sanitizer it is shorter.
  private static let revisions = Int64(loopCount("STRATA_REVISIONS", 200))

  /// Keeps everything in one run after snapshot 0.
  private static let never = SnapshotPolicy(minimumJournalBytes: 1 << 40)
  /// Takes snapshots all the time and keeps everything.
  private static let foldsOnly = SnapshotPolicy(
    minimumJournalBytes: 4_000,
    minimumHistoryBytes: 1 << 40
  )
  /// Takes snapshots and trims all the time.
  private static let often = SnapshotPolicy(
    minimumJournalBytes: 4_000,
    minimumHistoryBytes: 12_000
  )

  /// Commits the script up to a revision and returns the database at every revision from 0 on.
  private func commit(
    _ count: Int64,
    to store: LibraryStore,
    _ persistence: Persistence<LibraryState, LibraryDatabase>
  ) async throws -> [LibraryDatabase] {
    var states = [store.state.db]
    let script = LibraryScript(seed: seed)
    for number in 1...count {
      store.commit("step \(number)") { script.commit(number, to: &$0.db) }
      states.append(store.state.db)
      if number % 25 == 0 { try await persistence.flush() }
    }
    return states
  }

  @Test
  func `revisions of one long run without snapshots are the model there`() async throws {
    let persistence = try await open(Self.never)
    let store = LibraryStore(persistence)
    let states = try await commit(Self.revisions, to: store, persistence)
    for revision in stride(from: Int64(0), through: Self.revisions, by: 20) {
      let database = try await persistence.state(at: .revision(Revision(revision)))
      #expect(database == states[Int(revision)], "seed \(seed), revision \(revision)")
    }
    #expect(persistence.revision == Revision(Self.revisions))
    try await persistence.close()
  }

  @Test
  func `every revision of a journal is the model there, across its snapshots`() async throws {
    let persistence = try await open(Self.foldsOnly)
    let store = LibraryStore(persistence)
    let states = try await commit(Self.revisions, to: store, persistence)
    try await settle(persistence)
    for revision in 0...Self.revisions {
      let database = try await persistence.state(at: .revision(Revision(revision)))
      #expect(database == states[Int(revision)], "seed \(seed), revision \(revision)")
    }
    try await persistence.close()
    let info = try Inspector(path: path).info()
    #expect(info.journal.deltas == Self.revisions)
    #expect(info.snapshots.count >= 2)
    printStatistics(
      """
      every one of \(Self.revisions) revisions restored across \(info.snapshots.count) snapshots; \
      seed \(seed)
      """
    )
  }

  @Test
  func `across snapshots and retention a revision is the model there, or refused as trimmed`()
    async throws
  {
    let persistence = try await open(Self.often)
    let store = LibraryStore(persistence)
    let half = Self.revisions / 2
    var states = try await commit(half, to: store, persistence)
    try await persistence.snapshot(named: "half-way")
    let script = LibraryScript(seed: seed)
    for number in half + 1...Self.revisions {
      store.commit { script.commit(number, to: &$0.db) }
      states.append(store.state.db)
      if number % 25 == 0 { try await persistence.flush() }
    }
    try await settle(persistence)
    var oldest = Revision(Self.revisions + 1)
    var restored = 0
    for revision in (0...Self.revisions).reversed() {
      let revision = Revision(revision)
      do {
        let database = try await persistence.state(at: .revision(revision))
        #expect(database == states[Int(revision.number)], "seed \(seed), revision \(revision)")
        restored += 1
        if revision != Revision(half) { oldest = revision }
      } catch {
        guard case .trimmed(revision, let kept) = error.reason else { throw error }
        #expect(kept <= oldest, "seed \(seed)")
        #expect(revision != Revision(half))
      }
    }
    // Both must have happened, or the test checks nothing.
    #expect(oldest > 1, "seed \(seed)")
    #expect(oldest < Revision(Self.revisions), "seed \(seed)")
    #expect(try await persistence.state(at: .snapshot("half-way")) == states[Int(half)])
    printStatistics(
      """
      \(restored) of \(Self.revisions + 1) revisions restored after retention, the others refused \
      as trimmed; seed \(seed)
      """
    )
    try await persistence.close()
  }

  @Test
  func `what was not committed, and who was never named, is refused`() async throws {
    let persistence = try await open(Self.never)
    let store = LibraryStore(persistence)
    _ = try await commit(5, to: store, persistence)
    var error = await #expect(throws: PersistenceError.self) {
      try await persistence.state(at: .revision(6))
    }
    #expect(error?.reason == .notReached(6, last: 5))
    error = await #expect(throws: PersistenceError.self) {
      try await persistence.state(at: .snapshot("never"))
    }
    #expect(error?.reason == .notFound("snapshot named “never”"))
    error = await #expect(throws: PersistenceError.self) {
      try await persistence.state(at: .time(Date(timeIntervalSince1970: 0)))
    }
    guard case .beforeHistory = error?.reason else {
      Issue.record("another reason: \(String(describing: error))")
      return
    }
    // The time that the error advises is one that can be asked for.
    let advice = try #require(error?.description.firstMatch(of: /Ask for (\S+Z) or a later time/))
    let advised = try #require(try? Date(String(advice.1), strategy: .iso8601))
    _ = try await persistence.state(at: .time(advised))
    try await persistence.close()
    error = await #expect(throws: PersistenceError.self) {
      try await persistence.state(at: .revision(5))
    }
    #expect(error?.reason == .closed)
  }

  @Test
  func `a time is the last revision at or before it`() async throws {
    let persistence = try await open(Self.never)
    let store = LibraryStore(persistence)
    var states = [store.state.db]
    var times = [clock.time]
    let script = LibraryScript(seed: seed)
    for number in Int64(1)...60 {
      // Several commits in one microsecond, and a clock that goes back.
      if number % 7 == 0 { clock.advance(by: 10) }
      if number % 13 == 0 { clock.advance(by: -3) }
      store.commit { script.commit(number, to: &$0.db) }
      states.append(store.state.db)
      times.append(max(clock.time, times[times.count - 1]))
    }
    for time in times + times.map({ $0 + 0.5 }) {
      let expected = times.lastIndex { $0 <= time } ?? 0
      let database = try await persistence.state(at: .time(time))
      #expect(database == states[expected], "seed \(seed), \(time)")
    }
    #expect(try await persistence.state(at: .time(.distantFuture)) == states[60])
    for try await delta in persistence.deltas() {
      let database = try await persistence.state(at: .time(delta.time))
      let last = times.lastIndex { abs($0.timeIntervalSince(delta.time)) < 1e-5 }
      #expect(database == states[try #require(last)], "seed \(seed), delta \(delta.revision)")
    }
    try await persistence.close()
  }

  @Test
  func `deltas lead from each revision to the next, with name, place and time`() async throws {
    let persistence = try await open(Self.never)
    let store = LibraryStore(persistence)
    let states = try await commit(300, to: store, persistence)
    for (from, to) in [(1, 300), (1, 1), (77, 180), (300, 300)] as [(Int64, Int64)] {
      var database = states[Int(from) - 1]
      var next = from
      for try await delta in persistence.deltas(from: Revision(from), to: Revision(to)) {
        #expect(delta.revisions == Revision(next)...Revision(next))
        #expect(delta.name == "step \(next)")
        #expect(delta.place.hasPrefix("InspectionTests/HistoryTests.swift:"))
        database.apply(delta.changes)
        #expect(database == states[Int(next)], "seed \(seed), revision \(next)")
        next += 1
      }
      #expect(next == to + 1)
    }
    var all = 0
    for try await _ in persistence.deltas() { all += 1 }
    #expect(all == 300)
    for range in [(Revision(301), Revision?.none), (1, 301)] {
      await #expect(throws: PersistenceError.self) {
        for try await _ in persistence.deltas(from: range.0, to: range.1) {}
      }
    }
    try await persistence.close()
  }

  @Test
  func `what an iterator has not come past is not trimmed, and goes afterwards`() async throws {
    let policy = SnapshotPolicy(minimumJournalBytes: 300_000, minimumHistoryBytes: 3_000_000)
    let persistence = try await open(policy)
    let store = LibraryStore(persistence)
    let title = String(repeating: "thick ", count: 16_000)
    func commit(_ count: Int) async throws {
      for _ in 0..<count {
        store.commit { $0.db.books.insert(Book(id: 1, title: "\(persistence.revision) \(title)")) }
        try await persistence.flush()
      }
    }
    try await commit(30)
    let first = try await firstKept(persistence)
    var iterator: Deltas<LibraryState, LibraryDatabase>.Iterator? =
      persistence.deltas(from: first, to: 30).makeAsyncIterator()
    #expect(try await iterator?.next()?.revision == first)
    try await commit(60)
    try await persistence.snapshot(named: "beside the iterator")
    var last = first
    while let delta = try await iterator?.next() {
      #expect(delta.revision == last.next)
      last = delta.revision
    }
    #expect(last == 30)

    iterator = nil
    try await commit(30)
    #expect(try await firstKept(persistence) > 30)
    try await persistence.close()
  }

  /// The first kept delta, once the writer has trimmed everything it may.
  private func firstKept(
    _ persistence: Persistence<LibraryState, LibraryDatabase>
  ) async throws -> Revision {
    try await settle(persistence)
    for try await delta in persistence.deltas() { return delta.revision }
    return persistence.revision
  }

  /// Lets the writer finish its maintenance: each flush waits for one more slice of it.
  private func settle(
    _ persistence: Persistence<LibraryState, LibraryDatabase>
  ) async throws {
    for _ in 0..<400 {
      try await persistence.flush()
      await Task.yield()
    }
  }

  @Test
  func `the versions of an entity are its changes, one by one`() async throws {
    let persistence = try await open(Self.never)
    let store = LibraryStore(persistence)
    let states = try await commit(300, to: store, persistence)
    for number in 0..<60 {
      let id = Book.ID(number)
      for table in ["books", "archived_books"] as [TableName] {
        let versions = try await persistence.history(of: id, in: table)
        var known: Book?
        var from = 0
        for version in versions {
          #expect(version.revisions.lowerBound == version.revision)
          let revision = Int(version.revision.number)
          for before in from..<revision {
            #expect(book(id, in: states[before], table) == known, "seed \(seed), \(before)")
          }
          known = version.entity
          from = revision
        }
        for after in from...300 {
          #expect(book(id, in: states[after], table) == known, "seed \(seed), \(after)")
        }
      }
    }
    #expect(try await persistence.history(of: Author.ID("nobody")).isEmpty)
    let clock = try await persistence.history(of: Author.ID("clock"))
    #expect(clock.map(\.entity?.name) == (1...300).map { "\($0)" })
    #expect(clock.first?.origin.name == "step 1")
    await #expect(throws: PersistenceError.self) {
      _ = try await persistence.history(of: Author.ID("clock"), in: "books")
    }
    try await persistence.close()
  }

  private func book(_ id: Book.ID, in database: LibraryDatabase, _ table: TableName) -> Book? {
    table == "books" ? database.books[id] : database.archivedBooks[id]
  }

  @Test
  func `the first version of an entity may come from the oldest snapshot`() async throws {
    let persistence = try await open(Self.often)
    let store = LibraryStore(persistence)
    store.commit { $0.db.books.insert(Book(id: 9_999, title: "Dune")) }
    let script = LibraryScript(seed: seed)
    for number in Int64(1)...400 {
      store.commit { state in
        script.commit(number, to: &state.db)
        // The script may have replaced the table.
        state.db.books.insert(Book(id: 9_999, title: "Dune"))
      }
      if number % 25 == 0 { try await persistence.flush() }
    }
    try await settle(persistence)
    store.commit { $0.db.books.remove(9_999) }
    try await persistence.flush()
    let versions = try await persistence.history(of: Book.ID(9_999))
    #expect(versions.first?.origin == .snapshot)
    #expect(versions.first?.entity?.title == "Dune")
    #expect(versions.last?.content == .removed)
    try await persistence.close()
  }

  @Test
  func `a revision inside commits that were merged is refused, and those around it are not`()
    async throws
  {
    let vfs = try FaultVFS(name: "history-\(UUID().uuidString)")
    let persistence = try await open(Self.never, on: vfs)
    let store = LibraryStore(persistence)
    var events = persistence.events.makeAsyncIterator()
    var states = try await commit(5, to: store, persistence)
    try await persistence.flush()
    vfs.failNext(.write, in: .wal, code: .ioerrWrite, times: .sticky)
    store.commit { $0.db.books.insert(Book(id: 500)) }
    states.append(store.state.db)
    await #expect(throws: PersistenceError.self) { try await persistence.flush() }
    for number in 0..<3_000 {
      store.commit { $0.db.books.insert(Book(id: EntityID(500 + number % 5), title: "\(number)")) }
      states.append(store.state.db)
    }
    await #expect(throws: PersistenceError.self) { try await persistence.state(at: .revision(9)) }
    #expect(try await persistence.state(at: .revision(5)) == states[5])
    vfs.heal()
    while let event = await events.next() {
      if case .recovered = event { break }
    }
    var runs: [ClosedRange<Revision>] = []
    for try await delta in persistence.deltas() where delta.revisions.lowerBound < delta.revision {
      runs.append(delta.revisions)
    }
    let run = try #require(runs.first)
    for revision in [run.lowerBound, Revision(run.upperBound.number - 1)] {
      let error = await #expect(throws: PersistenceError.self) {
        try await persistence.state(at: .revision(revision))
      }
      #expect(error?.reason == .merged(run))
      await #expect(throws: PersistenceError.self) {
        for try await _ in persistence.deltas(from: 1, to: revision) {}
      }
    }
    for revision in [Revision(run.lowerBound.number - 1), run.upperBound] {
      let database = try await persistence.state(at: .revision(revision))
      #expect(database == states[Int(revision.number)])
    }
    await #expect(throws: PersistenceError.self) {
      for try await _ in persistence.deltas(from: run.upperBound) {}
    }
    try await persistence.close()
  }

  @Test
  func `reverting is a new commit, and so is reverting that`() async throws {
    let persistence = try await open(Self.never)
    let store = LibraryStore(persistence)
    let states = try await commit(100, to: store, persistence)
    store.commit { $0.count = 7 }
    #expect(try await persistence.revert(to: .revision(40)) == 101)
    #expect(store.state.db == states[40])
    #expect(store.state.count == 7)
    #expect(try await persistence.revert(to: .revision(40)) == 101)
    #expect(try await persistence.revert(to: .revision(100), name: "undo that") == 102)
    #expect(store.state.db == states[100])
    try await persistence.close()

    let again = try await open(Self.never)
    #expect(again.initialState.db == states[100])
    #expect(try await again.state(at: .revision(101)) == states[40])
    let names = try Inspector(path: path)
    try await again.close()
    #expect(try names.log(.last(2)).deltas.map(\.name) == ["revert to revision 40", "undo that"])
  }

  @Test(arguments: [Retention.everything, .little])
  func `the past can be read beside a writer at full speed, and is right`(
    retention: Retention
  ) async throws {
    let persistence = try await open(retention == .everything ? Self.foldsOnly : Self.often)
    let store = LibraryStore(persistence)
    let script = LibraryScript(seed: seed)
    let states = Recorder<LibraryDatabase>()
    states.record(store.state.db)
    let isOver = Recorder<Bool>()
    let committing = inBackground {
      var number: Int64 = 0
      while isOver.elements.isEmpty, number < 10 * Self.revisions {
        number += 1
        store.commit { script.commit(number, to: &$0.db) }
        states.record(store.state.db)
      }
    }
    var random = SeededGenerator(seed: seed)
    var right = 0
    for _ in 0..<80 {
      let last = Int64(states.elements.count - 1)
      let revision = Int64.random(in: max(0, last - 60)...last, using: &random)
      do {
        let database = try await persistence.state(at: .revision(Revision(revision)))
        let model = states.elements[Int(revision)]
        #expect(database == model, "seed \(seed), revision \(revision)")
        right += 1
      } catch {
        guard case .trimmed = error.reason, retention == .little else { throw error }
      }
    }
    isOver.record(true)
    #expect(await committing.isOpen())
    #expect(right == 80 || retention == .little)
    try await persistence.close()
    #expect(try Inspector(path: path).verify().isSound)
  }
}

/// How much history is kept.
enum Retention {
  case everything, little
}

extension EntityVersion.Origin {
  fileprivate var name: String? {
    if case .commit(let name, _) = self { return name }
    return nil
  }
}

/// A clock that the test advances.
final class TickingClock: Sendable {
  private let current = Lock(Date(timeIntervalSince1970: 1_763_000_000.123_457))

  var time: Date { current.withLock { $0 } }

  func tick() -> Date { time }

  func advance(by seconds: TimeInterval) { current.withLock { $0 += seconds } }
}
