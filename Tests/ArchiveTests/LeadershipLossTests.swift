import Foundation
import ProductSupport
import Strata
import StrataArchive
import StrataArchiving
import StrataBase
import StrataJournal
import StrataMaintenance
import StrataPersistence
import StrataStorage
import TestSupport
import Testing

/// Leaders that another process deposes, or may depose, while they do something else.
struct LeadershipLossTests {
  let directory: TemporaryDirectory
  let memory = MemoryArchive()
  let archive: FaultyArchive
  private let renewals = Lock(0)

  init() throws {
    directory = try TemporaryDirectory()
    archive = FaultyArchive(memory)
  }

  private func open(
    _ leader: String,
    lease: Duration,
    _ withoutLease: ArchivePolicy.WithoutLease = .continue,
    in other: FaultyArchive? = nil
  ) async throws -> Persistence<LibraryState, LibraryDatabase> {
    let configuration = PersistenceConfiguration(durability: .grouped(maxDelay: .milliseconds(1)))
    let policy = ArchivePolicy(
      leader: leader,
      lease: lease,
      withoutLease: withoutLease,
      maxDelay: .zero
    )
    return try await Persistence.open(
      at: directory.path("\(leader).strata"),
      initialState: LibraryState(),
      database: \.db,
      configuration: configuration,
      with: [.archive(other ?? archive, policy: policy)]
    )
  }

  @Test
  func `a leader that is deposed before it restarts the archive finds out who leads`() async throws
  {
    let leader = try await open("first", lease: .seconds(60))
    let store = LibraryStore(leader)
    for number in 1...3 {
      store.commit { $0.db.books.insert(Book(id: EntityID(number), title: "Volume \(number)")) }
    }
    try await leader.replicated(through: 3)
    let (restarts, restart) = AsyncStream.makeStream(of: Void.self)
    archive.fail { call in
      guard call == "restart" else { return nil }
      restart.yield()
      return .lost
    }
    store.commit { $0.db.books.remove(1) }
    try await leader.replicated(through: 4)
    try await leader.erase([Book.ID(1)])
    for await _ in restarts { break }
    let found = try await memory.head()
    guard let head = found else { throw ArchiveError(.empty, archive: memory.name) }
    await archive.pause()
    try await memory.release(ArchiveTerm(epoch: head.epoch, lease: .seconds(60)))
    let led = try await memory.lead(
      ArchiveCandidate(
        store: head.store,
        epoch: head.epoch,
        leader: "second",
        lease: .seconds(60),
        start: head.mark
      )
    )
    // It works: a lease that ends would be waited for, as it has added nothing.
    let renewing = Task { [memory] in
      while !Task.isCancelled {
        try await memory.renew(ArchiveTerm(epoch: led.epoch, lease: .seconds(60)))
        try await Scheduling.sleep(for: .milliseconds(5))
      }
    }
    defer { renewing.cancel() }
    archive.resume()
    archive.work()
    store.commit { $0.db.books.insert(Book(id: 9, title: "Volume 9")) }
    let error = await #expect(throws: PersistenceError.self) {
      try await leader.replicated(through: leader.revision, within: .seconds(300))
    }
    guard case .notLeading(by: "second", because: _)? = error?.archive?.reason else {
      throw error ?? ArchiveError(.refused, archive: memory.name)
    }
    try await leader.close()
  }

  /// Lets a leader that has ended give the archive a commit.
  private func addCommit(in archive: FaultyArchive) async throws {
    let first = try await open("first", lease: .seconds(60), in: archive)
    LibraryStore(first).commit { $0.db.books.insert(Book(id: 1, title: "Volume 1")) }
    try await first.replicated(through: 1)
    try await first.close()
  }

  /// Opens a new file that is pulled for as long as the lease is, which is not renewed meanwhile, while calls fail.
  private func openAfterLease(
    failing calls: Set<String>
  ) async throws -> Persistence<LibraryState, LibraryDatabase> {
    try await addCommit(in: archive)
    let lease = Duration.milliseconds(300)
    let end = Lock<ContinuousClock.Instant?>(nil)
    archive.fail { [renewals] call in
      let isPulling = end.withLock { $0 }.map { .now < $0 } == true
      switch call {
      case _ where calls.contains(call): return .lost
      case "head": return nil
      case "renew":
        if isPulling { return .lost }
        renewals.withLock { $0 += 1 }
        return nil
      case "lead":
        end.withLock { $0 = .now + lease }
        return nil
      default: return isPulling ? .paused : nil
      }
    }
    return try await open("second", lease: lease, .refuse)
  }

  @Test(.timeLimit(.minutes(10)))
  func `a leader that pulls for longer than its lease leads all the while`() async throws {
    let clock = Lock(Scheduling.date)
    let memory = MemoryArchive { clock.withLock { $0 } }
    let archive = FaultyArchive(memory)
    try await addCommit(in: archive)
    let lease = Duration.seconds(2)
    let (leads, isPulling) = (Lock(0), Lock(true))
    let (renewed, renewal) = AsyncStream.makeStream(of: Void.self)
    archive.fail { call in
      switch call {
      case "head": return nil
      case "lead":
        leads.withLock { $0 += 1 }
        return nil
      case "renew":
        // Twice as much later, the lease would have ended.
        clock.withLock { $0 += 1 }
        renewal.yield()
        return nil
      default: return isPulling.withLock { $0 } ? .paused : nil
      }
    }
    async let opening = open("second", lease: lease, in: archive)
    var renewals = renewed.makeAsyncIterator()
    // The lease that it took has ended by the clock of the archive.
    for _ in 1...3 { _ = await renewals.next() }
    let found = try await memory.head()
    let head = try #require(found)
    let candidate = ArchiveCandidate(
      store: head.store,
      epoch: head.epoch,
      leader: "third",
      lease: lease,
      start: head.mark
    )
    let error = await #expect(throws: ArchiveError.self) { try await memory.lead(candidate) }
    guard case .led(by: "second", for: _) = error?.reason else {
      throw error ?? ArchiveError(.refused, archive: memory.name)
    }
    isPulling.withLock { $0 = false }
    let leader = try await opening
    let store = LibraryStore(leader)
    store.commit { $0.db.books.insert(Book(id: 2, title: "Volume 2")) }
    try await leader.replicated(through: leader.revision)
    #expect(leads.withLock { $0 } == 1)
    try await leader.close()
    // No renewal comes after the release.
    #expect(try await memory.head()?.lease == .zero)
  }

  @Test
  func `a lease that has ended during a pull lets no commit be accepted`() async throws {
    let leader = try await openAfterLease(failing: ["renew", "append"])
    let store = LibraryStore(leader)
    #expect(store.state.db.books.count == 1)
    #expect(!leader.writer.queue.acceptsCommits)
    archive.work()
    while !leader.writer.queue.acceptsCommits {
      try await Scheduling.sleep(for: .milliseconds(1))
    }
    store.commit { $0.db.books.insert(Book(id: 2, title: "Volume 2")) }
    try await leader.replicated(through: leader.revision)
    try await leader.close()
  }

  @Test
  func `a lease that has ended during a pull is renewed before the opening returns`() async throws {
    let leader = try await openAfterLease(failing: [])
    #expect(renewals.withLock { $0 } > 0)
    try await leader.close()
  }
}
