import Foundation
import ProductSupport
import Strata
import StrataArchive
import StrataArchiving
import StrataBase
import StrataInspection
import StrataJournal
import StrataMigrating
import StrataMigrations
import StrataPersistence
import StrataStorage
import TestSupport
import Testing

/// What is left when one process leads after another.
struct FailoverTests {
  let directory: TemporaryDirectory
  let memory = MemoryArchive()
  /// The archive as the first machine reaches it.
  let archive: FaultyArchive

  init() throws {
    directory = try TemporaryDirectory()
    archive = FaultyArchive(memory)
  }

  /// How a process opens its file.
  private typealias Settings = (configuration: PersistenceConfiguration, policy: ArchivePolicy)

  private func settings(
    _ leader: String,
    maxBacklog: Int64 = 4 << 30,
    maxLag: Duration? = nil,
    snapshots: SnapshotPolicy = SnapshotPolicy(),
    now: @escaping @Sendable () -> Date = { Date() }
  ) -> Settings {
    var configuration = PersistenceConfiguration(
      durability: .grouped(maxDelay: .milliseconds(1)),
      snapshots: snapshots
    )
    configuration.now = now
    var policy = ArchivePolicy(
      leader: leader,
      lease: .milliseconds(100),
      maxDelay: .zero,
      maxBacklog: maxBacklog,
      maxLag: maxLag
    )
    policy.pollInterval = .milliseconds(2)
    policy.closingLimit = .seconds(600)
    return (configuration, policy)
  }

  private func path(_ name: String) -> String { directory.path("\(name).strata") }

  private func open(
    _ name: String,
    through archive: (any Archive)? = nil,
    _ settings: Settings? = nil
  ) async throws -> Persistence<LibraryState, LibraryDatabase> {
    let (configuration, policy) = settings ?? self.settings(name)
    return try await Persistence.open(
      at: path(name),
      initialState: LibraryState(),
      database: \.db,
      configuration: configuration,
      with: [.archive(archive ?? memory, policy: policy)]
    )
  }

  private func follow(
    _ name: String,
    migrations: [DataMigration] = []
  ) async throws -> Follower<LibraryState, LibraryDatabase> {
    let (configuration, policy) = settings(name)
    return try await Persistence.follow(
      archive,
      at: path(name),
      initialState: LibraryState(),
      database: \.db,
      policy: policy,
      configuration: configuration,
      with: [.migrations(migrations)]
    )
  }

  private func add(_ numbers: ClosedRange<Int>, to store: LibraryStore) throws {
    for number in numbers {
      try store.commit("add \(number)") { state throws in
        state.db.books.insert(Book(id: EntityID(number), title: "Volume \(number)"))
      }
    }
  }

  private func books(_ store: LibraryStore) -> [Int] {
    store.state.db.books.map(\.id.raw).sorted()
  }

  private func pulled() async throws -> Inspector {
    let path = directory.path("pulled \(UUID().uuidString).strata")
    _ = try await ArchivePull(
      from: memory,
      to: StorePath(path, for: .archiving),
      on: .system
    ).run()
    return try Inspector(path: path)
  }

  private func pulledBooks() async throws -> [Int] {
    let pulled = try await pulled()
    #expect(try pulled.verify().isSound)
    let last = Revision(try pulled.info().revision)
    return try pulled.database(over: LibraryDatabase(), at: last).books.map(\.id.raw).sorted()
  }

  @Test
  func `a machine that led and committed nothing gets what another one committed`() async throws {
    let first = try await open("first")
    try add(1...3, to: LibraryStore(first))
    try await first.close()
    // It is noted in the file that it was opened, and the archive never gets that.
    let idle = try await open("first")
    try await idle.close()
    let second = try await open("second")
    try add(4...6, to: LibraryStore(second))
    try await second.close()
    let again = try await open("first")
    #expect(again.report.archive?.setAside == nil)
    let store = LibraryStore(again)
    #expect(books(store) == Array(1...6))
    try add(7...8, to: store)
    try await again.close()
    #expect(try Inspector(path: path("first")).verify().isSound)
    #expect(try await pulledBooks() == Array(1...8))
  }

  @Test
  func `a machine whose leadership the archive lost is not refused, and its commits are named`()
    async throws
  {
    let first = try await open("first")
    try add(1...5, to: LibraryStore(first))
    try await first.close()
    let copy = await memory.contents
    let second = try await open("second")
    try add(6...8, to: LibraryStore(second))
    try await second.close()
    // Its epoch is above that of the archive, as the epoch of a file is that was taken back on purpose.
    for _ in 1...2 { try await open("second").close() }
    await memory.replace(by: copy)
    let other = try await open("first")
    try add(11...14, to: LibraryStore(other))
    try await other.close()
    let again = try await open("second")
    #expect(books(LibraryStore(again)) == Array(1...5) + Array(11...14))
    #expect(again.report.archive?.setAside?.revisions == 6...8)
    try await again.close()
  }

  @Test
  func `a machine that never heard that it led is not taken for one that was taken back`()
    async throws
  {
    let first = try await open("first")
    try add(1...3, to: LibraryStore(first))
    try await first.close()
    let second = try await open("second")
    try add(4...5, to: LibraryStore(second))
    try await second.close()
    let before = try #require(try await memory.head())
    let head = try await memory.lead(
      ArchiveCandidate(
        store: before.store,
        epoch: before.epoch,
        leader: "first",
        lease: .milliseconds(100),
        start: before.mark
      )
    )
    try await memory.release(ArchiveTerm(epoch: head.epoch, lease: .milliseconds(100)))
    // A loss that an opening has noticed raises the epoch, and its file goes on alone.
    try RawSQLite.runAndRecomputeHashes(
      "UPDATE store SET epoch = epoch + 1",
      on: path("first")
    )
    let alone = try await Persistence.open(
      at: path("first"),
      initialState: LibraryState(),
      database: \.db
    )
    try add(11...15, to: LibraryStore(alone))
    try await alone.close()
    let again = try await open("first")
    #expect(books(LibraryStore(again)) == Array(1...5))
    #expect(again.report.archive?.setAside?.revisions == 4...8)
    try await again.close()
  }

  @Test
  func `a follower that began with commits of its own names the file they are in`() async throws {
    let first = try await open("first", through: archive)
    let store = LibraryStore(first)
    try add(1...10, to: store)
    try await first.replicated(through: 10)
    archive.fail { _ in .lost }
    try add(11...14, to: store)
    try await first.suspend()
    let second = try await open("second")
    try add(21...26, to: LibraryStore(second))
    try await second.close()
    let follower = try await follow("first")
    let copy = LibraryStore(follower)
    #expect(copy.state.db.books.count == 14)
    let events = follower.events
    archive.work()
    var setAside: ArchiveReport.SetAside?
    for await event in events {
      if case .setAside(let named) = event { setAside = named }
      if case .rewound = event { break }
    }
    #expect(setAside?.revisions == 11...14)
    try await follower.reach(16)
    #expect(books(copy) == Array(1...10) + Array(21...26))
    try await follower.close()
    withExtendedLifetime(first) {}
  }

  @Test
  func `a process that leads a new archive after another one is compared with it`() async throws {
    let base = try await Persistence.open(
      at: path("first"),
      initialState: LibraryState(),
      database: \.db
    )
    try add(1...3, to: LibraryStore(base))
    try await base.close()
    for file in ["first.strata", "first.strata.head"] {
      try FileManager.default.copyItem(
        atPath: directory.path(file),
        toPath: directory.path(file.replacing("first", with: "second"))
      )
    }
    // Both find no store in the archive; the other one is faster.
    archive.fail { $0 == "lead" ? .paused : nil }
    let second = try await open("second", through: archive)
    try add(21...22, to: LibraryStore(second))
    let first = try await open("first")
    try add(11...14, to: LibraryStore(first))
    try await first.replicated(through: 7)
    try await first.close()
    archive.work()
    let error = await #expect(throws: PersistenceError.self) {
      try await second.replicated(through: 5)
    }
    #expect(error.map { if case .notLeading? = $0.archive?.reason { true } else { false } } == true)
    try await second.close()
    #expect(try await pulledBooks() == Array(1...3) + Array(11...14))
  }

  @Test
  func `an archive that went back to before its first snapshot gets one again`() async throws {
    archive.fail { $0 == "add snapshot" ? .lost : nil }
    let persistence = try await open("first", through: archive)
    let store = LibraryStore(persistence)
    while try await archive.head() == nil { try await Task.sleep(for: .milliseconds(1)) }
    let copy = await memory.contents
    archive.work()
    try add(1...3, to: store)
    try await persistence.replicated(through: 3)
    await archive.pause()
    await memory.replace(by: copy)
    archive.resume()
    try add(4...5, to: store)
    try await persistence.replicated(through: 5)
    #expect(try await pulledBooks() == Array(1...5))
    try await persistence.close()
  }

  @Test
  func `a leader whose epoch another one has too does not replace its commits`() async throws {
    let first = try await open("first")
    try add(1...10, to: LibraryStore(first))
    try await first.close()
    let copy = await memory.contents
    let history = SnapshotPolicy(minimumJournalBytes: 1_000, minimumHistoryBytes: 1)
    let second = try await open(
      "second",
      through: nil,
      settings("second", snapshots: history)
    )
    let store = LibraryStore(second)
    var next = 100
    while second.status.trimmed.map({ $0 <= 20 }) ?? true {
      try add(next...next + 49, to: store)
      next += 50
      try await second.replicated(through: second.revision)
      try await second.flush()
    }
    await memory.replace(by: copy)
    // The archive gives the same epoch again.
    let other = try await open("first")
    let otherStore = LibraryStore(other)
    try add(11...15, to: otherStore)
    try await other.replicated(through: 15)
    let epoch = try #require(try await memory.head()).epoch
    let error = await #expect(throws: PersistenceError.self) {
      // It may know by now.
      try add(next...next, to: store)
      try await second.replicated(through: second.revision)
    }
    #expect(error.map { if case .notLeading? = $0.archive?.reason { true } else { false } } == true)
    try await second.close()
    try add(16...17, to: otherStore)
    try await other.replicated(through: 17)
    #expect(try await memory.head()?.epoch == epoch)
    #expect(try await pulledBooks() == Array(1...17))
    try await other.close()
  }

  @Test
  func `of two machines that start together the one without commits takes the store of the other`()
    async throws
  {
    archive.fail { $0 == "lead" ? .lost : nil }
    var quick = settings("second")
    quick.policy.closingLimit = .milliseconds(10)
    let late = try await open("second", through: archive, quick)
    let first = try await open("first")
    try add(1...3, to: LibraryStore(first))
    try await first.replicated(through: 3)
    try await first.close()
    archive.work()
    try await late.close()
    let again = try await open("second")
    #expect(again.report.archive?.setAside != nil)
    let store = LibraryStore(again)
    #expect(store.state.db.books.count == 3)
    try add(4...5, to: store)
    try await again.replicated(through: 5)
    try await again.close()
    #expect(try await pulledBooks() == Array(1...5))
  }

  @Test
  func `a store with commits does not give way to that of an archive`() async throws {
    archive.fail { $0 == "lead" ? .lost : nil }
    var quick = settings("second")
    quick.policy.closingLimit = .milliseconds(10)
    let own = try await open("second", through: archive, quick)
    try add(1...2, to: LibraryStore(own))
    let first = try await open("first")
    try add(1...3, to: LibraryStore(first))
    try await first.replicated(through: 3)
    try await first.close()
    try await own.close()
    let error = await #expect(throws: PersistenceError.self) {
      try await open("second", through: nil, quick)
    }
    #expect("\(try #require(error))".contains("belongs to the store"))
  }

  enum Kill: CaseIterable {
    case beforeItNotices
    case onceItKnows
  }

  @Test(arguments: Kill.allCases)
  func `what an archive that went back has lost is named by the file of its leader`(
    _ kill: Kill
  ) async throws {
    let first = try await open("first")
    try add(1...10, to: LibraryStore(first))
    try await first.close()
    let copy = await memory.contents
    let history = SnapshotPolicy(minimumJournalBytes: 1_000, minimumHistoryBytes: 1)
    let leader = try await open(
      "first",
      through: archive,
      settings("first", snapshots: history)
    )
    let store = LibraryStore(leader)
    var next = 100
    // The file has nothing left that the archive could be compared by.
    while leader.status.trimmed.map({ $0 <= 20 }) ?? true {
      try add(next...next + 49, to: store)
      next += 50
      try await leader.replicated(through: leader.revision)
      try await leader.flush()
    }
    let acknowledged = leader.revision
    await archive.pause()
    if kill == .beforeItNotices { archive.fail { _ in .lost } }
    await memory.replace(by: copy)
    archive.resume()
    if kill == .onceItKnows {
      // It learns that from a refused call.
      do { try add(next...next, to: store) } catch _ as PersistenceError {}
      let error = await #expect(throws: PersistenceError.self) {
        try await leader.replicated(through: acknowledged.next)
      }
      #expect(
        error.map { if case .notLeading? = $0.archive?.reason { true } else { false } } == true
      )
    }
    // As a kill ends it.
    try await leader.suspend()
    let last = leader.revision
    archive.fail { _ in .lost }
    let follower = try await Persistence.follow(
      memory,
      initialState: LibraryState(),
      database: \.db,
      policy: settings("second").policy,
      configuration: settings("second").configuration
    )
    let copyInMemory = LibraryStore(follower)
    try await follower.lead()
    try add(11...12, to: copyInMemory)
    try await follower.close()
    let again = try await open("first")
    #expect(books(LibraryStore(again)) == Array(1...12))
    let setAside = try #require(again.report.archive?.setAside)
    let file = try Inspector(path: setAside.quarantine.directory + "/first.strata")
    #expect(try file.database(over: LibraryDatabase(), at: last) == store.state.db)
    #expect(last >= acknowledged)
    try await again.close()
  }

  @Test
  func `two calls to lead are one`() async throws {
    let leader = try await open("first")
    try add(1...3, to: LibraryStore(leader))
    try await leader.close()
    let follower = try await follow("second")
    let copy = LibraryStore(follower)
    archive.fail { $0 == "lead" ? .paused : nil }
    async let one = follower.lead()
    async let two = follower.lead()
    archive.work()
    let persistences = try await [one, two]
    #expect(persistences[0] === persistences[1])
    try add(4...6, to: copy)
    try await persistences[0].replicated(through: 6)
    #expect(follower.status == .leading)
    try await follower.close()
    #expect(try await pulledBooks() == Array(1...6))
  }

  @Test
  func `a commit beside leading is refused, or it is the leader's`() async throws {
    let leader = try await open("first")
    try add(1...3, to: LibraryStore(leader))
    try await leader.close()
    let follower = try await follow("second")
    let copy = LibraryStore(follower)
    let isLeading = Lock(false)
    let accepted = Recorder<Int>()
    let committing = inBackground {
      var number = 100
      // Some more once it leads.
      var rest = 20
      while rest > 0, number < 1_000_000 {
        if isLeading.withLock({ $0 }) { rest -= 1 }
        number += 1
        do {
          try copy.commit { state throws in state.db.books.insert(Book(id: EntityID(number))) }
          accepted.record(number)
        } catch {
          guard case .following? = (error as? PersistenceError)?.archive?.reason else {
            Issue.record(error)
            return
          }
        }
      }
    }
    let persistence = try await follower.lead()
    isLeading.withLock { $0 = true }
    #expect(await committing.isOpen())
    try await persistence.replicated(through: persistence.revision)
    #expect(accepted.elements.count >= 20)
    #expect(try await pulledBooks() == Array(1...3) + accepted.elements)
    try await persistence.close()
  }

  @Test
  func `a follower that leads runs the migrations, and the archive has their ledger`() async throws
  {
    let leader = try await open("first")
    try add(1...3, to: LibraryStore(leader))
    try await leader.close()
    let follower = try await follow("second", migrations: LibraryMigrations.all)
    let copy = LibraryStore(follower)
    #expect(follower.report.outcome == .waitingForMigration)
    let persistence = try await follower.lead()
    #expect(persistence.report.migrations?.steps.count == 2)
    #expect(copy.state.db.books[1]?.title == "Volume 1" + LibraryMigrations.mark)
    try add(4...4, to: copy)
    try await persistence.replicated(through: persistence.revision)
    try await persistence.close()
    #expect(try await DataMigrator([], at: path("second")).history().count == 2)
    let pulled = try await pulled()
    #expect(try await DataMigrator([], at: pulled.path.file).history().count == 2)
  }

  @Test
  func `while the file is suspended no commit waits for the archive`() async throws {
    let clock = Lock(Date())
    let persistence = try await open(
      "first",
      through: archive,
      settings("first", maxLag: .milliseconds(20)) { clock.withLock { $0 } }
    )
    let store = LibraryStore(persistence)
    try add(1...2, to: store)
    try await persistence.replicated(through: 2)
    archive.fail { _ in .lost }
    try add(3...3, to: store)
    try await persistence.flush()
    func waitUntilHeldBack() async throws {
      while !persistence.writer.queue.isHeldBack {
        clock.withLock { $0 += 1 }
        try await Task.sleep(for: .milliseconds(1))
      }
    }
    try await waitUntilHeldBack()
    try await persistence.suspend()
    let whileSuspended = inBackground {
      do { try add(4...6, to: store) } catch { Issue.record(error) }
    }
    #expect(await whileSuspended.isOpen())
    try await persistence.resume()
    // The file is there again, and the archive is not.
    try await waitUntilHeldBack()
    let isOver = Lock(false)
    let committing = inBackground {
      do { try add(7...7, to: store) } catch { Issue.record(error) }
      isOver.withLock { $0 = true }
    }
    #expect(!isOver.withLock { $0 })
    archive.work()
    #expect(await committing.isOpen())
    try await persistence.replicated(through: 7)
    try await persistence.close()
  }

  @Test
  func `closing ends while the archive does not answer`() async throws {
    let persistence = try await open("first", through: archive)
    let store = LibraryStore(persistence)
    try add(1...2, to: store)
    try await persistence.replicated(through: 2)
    archive.fail { _ in .hanging }
    try add(3...3, to: store)
    let waiting = Task { try await persistence.replicated(through: 3) }
    // As closing does, which gives it five seconds.
    await persistence.shipper?.stop(within: .milliseconds(20))
    await #expect(throws: PersistenceError.self) { try await waiting.value }
    #expect(persistence.status.archive?.condition == .closed)
    try await persistence.close()
    archive.work()
    let again = try await open("first", through: archive)
    #expect(books(LibraryStore(again)) == [1, 2, 3])
    try await again.replicated(through: 3)
    try await again.close()
    // The call that has failed meanwhile is no news of a file that is closed.
    #expect(persistence.status.archive?.condition == .closed)
  }

  @Test
  func `a follower at a gap of the archive begins again after it, and says so`() async throws {
    let history = SnapshotPolicy(minimumJournalBytes: 1_000, minimumHistoryBytes: 1)
    let leader = try await open(
      "first",
      through: archive,
      settings("first", maxBacklog: 1, snapshots: history)
    )
    let store = LibraryStore(leader)
    try add(1...5, to: store)
    try await leader.replicated(through: 5)
    let follower = try await Persistence.follow(
      memory,
      at: path("second"),
      initialState: LibraryState(),
      database: \.db,
      policy: settings("second").policy,
      configuration: settings("second").configuration
    )
    let copy = LibraryStore(follower)
    let idle = try await follow("third")
    _ = LibraryStore(idle)
    try await idle.close()
    // The file at rest ends where a segment follows, and the gap comes after that.
    try add(6...8, to: store)
    try await leader.replicated(through: 8)
    try await follower.reach(8)
    // One pull has read the head before the gap, and reads the segments after it.
    let link = FaultyArchive(memory)
    let isPulling = Lock(false)
    link.fail { call in
      if call == "segments" { isPulling.withLock { $0 = true } }
      return call == "segments" ? .paused : nil
    }
    let target = try StorePath(path("pulled"), for: .archiving)
    async let pulled = ArchivePull(from: link, to: target, on: .system).run()
    while !isPulling.withLock({ $0 }) { try await Task.sleep(for: .milliseconds(1)) }
    let events = follower.events
    archive.fail { _ in .lost }
    var next = 9
    while leader.status.trimmed.map({ $0 <= 10 }) ?? true {
      try add(next...next + 49, to: store)
      next += 50
      try await leader.flush()
      try await Task.sleep(for: .milliseconds(5))
    }
    archive.work()
    try await leader.replicated(through: leader.revision)
    try add(next...next + 2, to: store)
    try await leader.replicated(through: leader.revision)
    link.work()
    #expect(try await pulled.revision == 8)
    let gap = try #require(leader.status.archive?.gaps.first)
    try await follower.reach(leader.revision)
    #expect(copy.state.db == store.state.db)
    for await event in events {
      guard case .rewound(let before, let now) = event else { continue }
      #expect(before == 8 && now >= gap.upperBound, "\(event), the gap is \(gap)")
      break
    }
    // The same for a file at rest.
    let again = try await follow("third")
    #expect(again.report.archive?.setAside != nil)
    #expect(LibraryStore(again).state.db == store.state.db)
    try await again.close()
    try await follower.close()
    try await leader.close()
  }

  @Test
  func `nothing is replicated while the archive has no snapshot`() async throws {
    let first = try await open("first")
    try add(1...3, to: LibraryStore(first))
    try await first.close()
    let snapshots = try await memory.snapshots().map(\.mark.revision)
    try await memory.remove(segmentsThrough: 0, snapshots: snapshots)
    archive.fail { $0 == "add snapshot" ? .lost : nil }
    let again = try await open("first", through: archive)
    let store = LibraryStore(again)
    try add(4...5, to: store)
    let error = await #expect(throws: PersistenceError.self) {
      try await again.replicated(through: 3, within: .milliseconds(100))
    }
    #expect(error?.archive != nil)
    #expect(again.replicatedRevision == nil)
    archive.work()
    try await again.replicated(through: 5)
    #expect(try await pulledBooks() == Array(1...5))
    try await again.close()
  }
}
