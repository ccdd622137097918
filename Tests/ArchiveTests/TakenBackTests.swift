import Foundation
import ProductSupport
import Strata
import StrataArchive
import StrataArchiving
import StrataBase
import StrataInspection
import StrataJournal
import StrataMaintaining
import StrataMaintenance
import StrataPersistence
import StrataStorage
import TestSupport
import Testing

/// Files that were taken back on purpose, beside an archive that goes on.
struct TakenBackTests {
  let directory: TemporaryDirectory
  let memory = MemoryArchive()
  let archive: FaultyArchive
  let path: String
  let backup: String

  init() throws {
    directory = try TemporaryDirectory()
    archive = FaultyArchive(memory)
    path = directory.path("first.strata")
    backup = directory.path("backup.strata")
  }

  private func configuration(_ leader: String) -> PersistenceConfiguration {
    let configuration = PersistenceConfiguration(durability: .grouped(maxDelay: .milliseconds(1)))
    return configuration
  }

  private func policy(_ leader: String) -> ArchivePolicy {
    var policy = ArchivePolicy(
      leader: leader,
      lease: .milliseconds(100),
      maxDelay: .zero
    )
    policy.pollInterval = .milliseconds(2)
    policy.closingLimit = .seconds(600)
    return policy
  }

  private func open(
    _ name: String = "first",
    in archive: (any Archive)?,
    closingWithin limit: Duration = .seconds(600),
    lease: Duration = .milliseconds(100)
  ) async throws -> Persistence<LibraryState, LibraryDatabase> {
    let configuration = configuration(name)
    var policy = policy(name)
    policy.closingLimit = limit
    policy.lease = lease
    guard let archive else {
      return try await Persistence.open(
        at: directory.path("\(name).strata"),
        initialState: LibraryState(),
        database: \.db,
        configuration: configuration
      )
    }
    return try await Persistence.open(
      at: directory.path("\(name).strata"),
      initialState: LibraryState(),
      database: \.db,
      configuration: configuration,
      with: [.archive(archive, policy: policy)]
    )
  }

  private func add(
    _ numbers: ClosedRange<Int>,
    to name: String = "first",
    in archive: (any Archive)?
  ) async throws {
    let persistence = try await open(name, in: archive)
    let store = LibraryStore(persistence)
    for number in numbers {
      store.commit("add \(number)") {
        $0.db.books.insert(Book(id: EntityID(number), title: "Volume \(number)"))
      }
    }
    if archive != nil { try await persistence.replicated(through: persistence.revision) }
    try await persistence.close()
  }

  /// Five commits, a backup, three more; then another machine leads twice, so that the epoch of the archive is beyond that of
  /// the file.
  private func fill() async throws {
    try await add(1...5, in: memory)
    _ = try StoreBackup.copyBlocking(path, to: backup)
    try await add(6...7, in: memory)
    try await add(8...8, to: "second", in: memory)
    for _ in 1...3 { try await open("second", in: memory).close() }
  }

  private func push(
    ifLacking lack: ArchiveOpening.Lack
  ) async throws(PersistenceError) -> ArchivePush.Report {
    try await ArchivePush(
      from: StorePath(path, for: .archiving),
      to: archive,
      ifLacking: lack,
      policy("first"),
      configuration("first")
    ).run()
  }

  private func books(_ path: String) throws -> [Int] {
    let inspector = try Inspector(path: path)
    let last = Revision(try inspector.info().revision)
    return try inspector.database(over: LibraryDatabase(), at: last).books.map(\.id.raw).sorted()
  }

  private func expectRefusal(
    to revision: Revision,
    _ body: () async throws -> Void
  ) async throws {
    let head = try #require(try await memory.head())
    let before = try books(path)
    let error = await #expect(throws: PersistenceError.self) { try await body() }
    let expected = ArchiveError(
      .takenBack(to: revision, archive: head.mark.revision),
      archive: memory.name
    )
    #expect(error?.reason == .archive(expected))
    #expect(error.map { "\($0)".contains("--replace") } == true)
    #expect(try books(path) == before)
    #expect(try await memory.head()?.mark == head.mark)
    #expect(try await memory.head()?.epoch == head.epoch)
  }

  @Test
  func `a restored file is refused beside an archive that goes on, wherever others have led`()
    async throws
  {
    try await fill()
    try await StoreBackup.restore(backup, replacing: path)
    for _ in 1...2 {
      try await expectRefusal(to: 5) { try await open(in: memory).close() }
    }
    try await expectRefusal(to: 5) {
      try await Persistence.follow(
        memory,
        at: path,
        initialState: LibraryState(),
        database: \LibraryState.db,
        policy: policy("first"),
        configuration: configuration("first")
      ).close()
    }
    try await expectRefusal(to: 5) { _ = try await push(ifLacking: .refuse) }
    // What is committed without the archive changes nothing.
    try await add(21...29, in: nil)
    try await expectRefusal(to: 5) { try await open(in: memory).close() }
  }

  @Test
  func `a file that was pulled after a replacement follows the next one`() async throws {
    try await fill()
    try await StoreBackup.restore(backup, replacing: path)
    _ = try await push(ifLacking: .replaceIfTakenBack)
    let pulled = try StorePath(directory.path("third.strata"), for: .archiving)
    _ = try await ArchivePull(from: memory, to: pulled, on: .system).run()
    try await add(6...7, in: memory)
    try await StoreBackup.restore(backup, replacing: path)
    _ = try await push(ifLacking: .replaceIfTakenBack)

    let third = try await open("third", in: memory)
    #expect(third.report.archive?.pulled == 0...5)
    #expect(LibraryStore(third).state.db.books.count == 5)
    try await third.close()
  }

  @Test
  func `a restored file on a new machine, a fork and a pulled past are refused too`() async throws {
    try await fill()
    try Quarantine.add(storeAt: path, reason: "lost")
    try await StoreBackup.restore(backup, to: path)
    try await expectRefusal(to: 5) { try await open(in: memory).close() }
    try Quarantine.add(storeAt: path, reason: "again")
    try await StoreBackup.fork(directory.path("second.strata"), at: .revision(3), to: path)
    try await open("second", in: memory).close()
    try await expectRefusal(to: 3) { try await open(in: memory).close() }
    try Quarantine.add(storeAt: path, reason: "and again")
    let pull = ArchivePull(from: memory, to: try StorePath(path, for: .archiving), on: .system)
    _ = try await pull.run(to: .point(.revision(4)))
    for _ in 1...3 { try await open("second", in: memory).close() }
    try await expectRefusal(to: 4) { try await open(in: memory).close() }
  }

  @Test
  func `a restored file that the archive's history starts with, or that continues it, is opened`()
    async throws
  {
    try await add(1...5, in: memory)
    _ = try StoreBackup.copyBlocking(path, to: backup)
    try await StoreBackup.restore(backup, replacing: path)
    try await add(6...7, in: memory)
    #expect(try await memory.head()?.mark.revision == 7)
    // It has led since, so it is as any other file.
    try await add(8...8, to: "second", in: memory)
    let again = try await open(in: memory)
    #expect(again.report.archive?.pulled == 8...8)
    try await again.close()
  }

  @Test
  func `a push may replace the archive's history, which stays beside the file, and is followed`()
    async throws
  {
    try await fill()
    let follower = try await Persistence.follow(
      memory,
      at: directory.path("replica.strata"),
      initialState: LibraryState(),
      database: \LibraryState.db,
      policy: policy("replica"),
      configuration: configuration("replica")
    )
    let copy = LibraryStore(follower)
    try await follower.reach(8)
    var events = follower.events.makeAsyncIterator()
    try await StoreBackup.restore(backup, replacing: path)
    let report = try await push(ifLacking: .replaceIfTakenBack)
    #expect(report.hasRestarted)
    #expect(report.revision == 5)
    let replaced = try #require(report.replaced)
    #expect(replaced.revisions == 6...8)
    #expect(replaced.directory.contains(".set-aside-"))
    #expect(try Quarantine.all(besideStoreAt: path).contains(replaced))
    let kept = replaced.directory + "/first.strata"
    #expect(try books(kept) == Array(1...8))
    #expect(try Inspector(path: kept).query { $0.first } == 1)
    #expect(try Inspector(path: kept).verify().isSound)

    var heard: [FollowerEvent] = []
    while let event = await events.next() {
      heard.append(event)
      if case .rewound = event { break }
    }
    #expect(heard.contains { if case .rewound(from: 8, _) = $0 { true } else { false } })
    let leader = try await open(in: memory)
    #expect(leader.report.archive?.setAside == nil)
    let store = LibraryStore(leader)
    store.commit { $0.db.books.insert(Book(id: 11, title: "Volume 11")) }
    try await leader.replicated(through: 6)
    try await follower.reach(6)
    #expect(copy.state.db == store.state.db)
    try await leader.close()
    try await follower.close()
    // The other machine has commits that the history no longer has.
    let second = try await open("second", in: memory)
    #expect(second.report.archive?.setAside?.revisions == 6...8)
    try await second.close()
  }

  @Test
  func `a push does not bring back what was erased from the archive, unless it is told to`()
    async throws
  {
    try await fill()
    let second = try await open("second", in: memory)
    LibraryStore(second).commit { $0.db.books.remove(EntityID(2)) }
    try await second.erase([Book.ID(2)])
    try await second.replicated(through: second.revision)
    try await second.close()
    try await StoreBackup.restore(backup, replacing: path)
    let before = try await memory.head()
    let error = await #expect(throws: PersistenceError.self) {
      try await push(ifLacking: .replaceIfTakenBack)
    }
    #expect("\(String(describing: error))".contains("the erasure of 1 entity"))
    #expect(try await memory.head()?.mark == before?.mark)
    let report = try await push(ifLacking: .replaceWithErased)
    #expect(report.hasRestarted)
    #expect(report.replaced != nil)
  }

  @Test(arguments: ["restart", "lead", "segments", "snapshots"])
  func `a replacement that fails leaves one history or the other, and can be repeated`(
    _ call: String
  ) async throws {
    try await fill()
    try await StoreBackup.restore(backup, replacing: path)
    archive.fail { $0 == call ? .lost : nil }
    await #expect(throws: PersistenceError.self) {
      try await push(ifLacking: .replaceIfTakenBack)
    }
    archive.work()
    for _ in 1...2 { try await open("second", in: memory).close() }
    try await expectRefusal { try await open(in: memory).close() }
    let report = try await push(ifLacking: .replaceIfTakenBack)
    #expect(report.revision == 5)
    #expect(report.replaced?.revisions == 6...8)
    try await open(in: memory).close()
    #expect(try await memory.head()?.mark.revision == 5)
  }

  /// Expects that an opening is refused because the file was taken back.
  private func expectRefusal(_ body: () async throws -> Void) async throws {
    let error = await #expect(throws: PersistenceError.self) { try await body() }
    guard let refusal = error?.archive, case .takenBack = refusal.reason else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test
  func `only a file that was taken back replaces a history, and no working leader's`() async throws
  {
    try await fill()
    let error = await #expect(throws: PersistenceError.self) {
      try await push(ifLacking: .replaceIfTakenBack)
    }
    guard let refusal = error?.archive, case .unusable = refusal.reason else {
      Issue.record("\(String(describing: error))")
      return
    }
    try await StoreBackup.restore(backup, replacing: path)
    // Longer than this process may get no time.
    let leader = try await open("second", in: memory, lease: .seconds(600))
    let store = LibraryStore(leader)
    store.commit { $0.db.books.insert(Book(id: 9, title: "Volume 9")) }
    try await leader.replicated(through: 9)
    let led = await #expect(throws: PersistenceError.self) {
      try await push(ifLacking: .replaceIfTakenBack)
    }
    guard let refused = led?.archive, case .led = refused.reason else {
      Issue.record("\(String(describing: led))")
      return
    }
    #expect(try await memory.head()?.mark.revision == 9)
    try await leader.close()
  }

  @Test
  func `a restored file that is opened while the archive is away says so once it is back`()
    async throws
  {
    try await fill()
    try await StoreBackup.restore(backup, replacing: path)
    archive.fail { _ in .lost }
    let leader = try await open(in: archive, closingWithin: .milliseconds(10))
    #expect(leader.report.archive?.away != nil)
    let events = leader.archiveEvents
    archive.work()
    for await event in events {
      if case .away(_, let detail) = event, detail.contains("taken back") { break }
    }
    guard case .failed(let detail, _)? = leader.status.archive?.condition else {
      Issue.record("\(String(describing: leader.status.archive))")
      return
    }
    #expect(detail.contains("taken back to revision 5"))
    #expect(try await memory.head()?.mark.revision == 8)
    try await leader.close()
  }
}
