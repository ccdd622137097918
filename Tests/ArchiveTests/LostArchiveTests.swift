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

/// Archives that have lost their store, and clocks of archives that go back.
struct LostArchiveTests {
  let directory: TemporaryDirectory
  private let clock = Lock(Date())
  let memory: MemoryArchive

  init() throws {
    directory = try TemporaryDirectory()
    let clock = clock
    memory = MemoryArchive(now: { clock.withLock { $0 } })
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
    return policy
  }

  private func open(
    _ name: String,
    in archive: (any Archive)? = nil
  ) async throws -> Persistence<LibraryState, LibraryDatabase> {
    try await Persistence.open(
      at: directory.path("\(name).strata"),
      initialState: LibraryState(),
      database: \.db,
      configuration: configuration(name),
      with: [.archive(archive ?? memory, policy: policy(name))]
    )
  }

  private func add(_ numbers: ClosedRange<Int>, to store: LibraryStore) {
    for number in numbers {
      store.commit { $0.db.books.insert(Book(id: EntityID(number), title: "Volume \(number)")) }
    }
  }

  @Test
  func `a leader whose archive lost the store says so, and goes on when it is restored`()
    async throws
  {
    let leader = try await open("leader")
    let store = LibraryStore(leader)
    add(1...3, to: store)
    try await leader.replicated(through: 3)
    let copy = await memory.contents
    var events = leader.archiveEvents.makeAsyncIterator()
    await memory.replace(by: MemoryArchive.Contents())
    add(4...5, to: store)
    var heard: String?
    while heard == nil, let event = await events.next() {
      if case .away(_, let detail) = event { heard = detail }
    }
    #expect(heard == "\(ArchiveError(.empty, archive: memory.name))")
    #expect(heard?.contains("restore the archive, or push the store again") == true)
    guard case .failed(heard, _)? = leader.status.archive?.condition else {
      Issue.record("\(String(describing: leader.status.archive?.condition))")
      return
    }
    await memory.replace(by: copy)
    try await leader.replicated(through: 5)
    while let event = await events.next() { if event == .back { break } }
    guard case .leading? = leader.status.archive?.condition else {
      Issue.record("\(String(describing: leader.status.archive?.condition))")
      return
    }
    try await leader.close()
  }

  @Test
  func `a follower whose archive lost the store says so, and goes on when it is restored`()
    async throws
  {
    let leader = try await open("leader")
    let store = LibraryStore(leader)
    add(1...3, to: store)
    try await leader.replicated(through: 3)
    let archive = FaultyArchive(memory)
    let follower = try await Persistence.follow(
      archive,
      initialState: LibraryState(),
      database: \LibraryState.db,
      policy: policy("follower"),
      configuration: configuration("follower")
    )
    let copy = LibraryStore(follower)
    try await follower.reach(3)
    let contents = await memory.contents
    await memory.replace(by: MemoryArchive.Contents())
    let (calls, call) = AsyncStream.makeStream(of: Void.self)
    archive.fail { _ in
      call.yield()
      return nil
    }
    // The second call comes once the answer to the first is noted.
    var called = calls.makeAsyncIterator()
    for _ in 1...2 { _ = await called.next() }
    #expect(follower.status == .failed("\(ArchiveError(.empty, archive: memory.name))"))
    archive.work()
    await memory.replace(by: contents)
    add(4...5, to: store)
    try await follower.reach(5)
    #expect(copy.state.db == store.state.db)
    try await follower.close()
    try await leader.close()
  }

  @Test(arguments: [4, 6])
  func `a file that has followed a later epoch is not one that was taken back`(
    last: Int
  ) async throws {
    var copy = await memory.contents
    for numbers in [1...1, 2...3] {
      let first = try await open("first")
      let store = LibraryStore(first)
      add(numbers, to: store)
      try await first.replicated(through: first.revision)
      if numbers == 1...1 { copy = await memory.contents }
      try await first.close()
    }
    try await open("second").close()
    for hasGoneBack in [false, true] {
      if hasGoneBack {
        await memory.replace(by: copy)
        clock.withLock { $0 += 60 }
        let third = try await open("third")
        add(4...last, to: LibraryStore(third))
        try await third.replicated(through: third.revision)
        try await third.close()
      }
      let follower = try await Persistence.follow(
        memory,
        at: directory.path("first.strata"),
        initialState: LibraryState(),
        database: \LibraryState.db,
        policy: policy("first"),
        configuration: configuration("first")
      )
      #expect(follower.report.archive?.setAside?.revisions == (hasGoneBack ? 2...3 : nil))
      #expect(follower.revision.number == (hasGoneBack ? Int64(last - 2) : 3))
      try await follower.close()
    }
  }

  @Test
  func `a leader that erased does not replace what another one wrote in the same epoch`()
    async throws
  {
    let first = try await open("first")
    let store = LibraryStore(first)
    add(1...1, to: store)
    try await first.replicated(through: 1)
    try await first.close()
    let copy = await memory.contents
    let archive = FaultyArchive(memory)
    let former = try await open("former", in: archive)
    let formerStore = LibraryStore(former)
    add(2...6, to: formerStore)
    try await former.replicated(through: former.revision)
    archive.fail { _ in .lost }
    formerStore.commit { $0.db.books.remove(EntityID(2)) }
    try await former.erase([Book.ID(2)])
    await memory.replace(by: copy)
    let leader = try await open("leader")
    let leaderStore = LibraryStore(leader)
    add(7...8, to: leaderStore)
    try await leader.replicated(through: leader.revision)
    try await leader.close()
    let head = try #require(try await memory.head())
    #expect(head.epoch == former.report.archive?.epoch)
    var events = former.archiveEvents.makeAsyncIterator()
    archive.work()
    while let event = await events.next() { if case .notLeading = event { break } }
    #expect(try await memory.head()?.mark == head.mark)
    try await former.close()
  }

  /// Lets a process lead that then gives no sign.
  private func leadWithoutSign() async throws {
    let leader = try await open("first")
    add(1...3, to: LibraryStore(leader))
    try await leader.replicated(through: 3)
    try await leader.close()
    let head = try #require(try await memory.head())
    _ = try await memory.lead(
      ArchiveCandidate(
        store: head.store,
        epoch: head.epoch,
        leader: "gone",
        lease: .milliseconds(100),
        start: head.mark
      )
    )
  }

  @Test
  func `a takeover after the clock of the archive went back ends with the cause`() async throws {
    try await leadWithoutSign()
    clock.withLock { $0 -= 3_600 }
    let error = await #expect(throws: PersistenceError.self) { _ = try await open("second") }
    guard let refusal = error?.archive,
      case .leaseTooLong("gone", let rest, .milliseconds(100)) = refusal.reason
    else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(rest > .seconds(3_599))
    #expect(error?.remedy == .retry)
    #expect("\(refusal)".contains("runs for another 1 hour, and a lease is"))
    #expect("\(refusal)".contains("the clock that it runs by went back"))
    clock.withLock { $0 += 7_200 }
    try await open("second").close()
  }

  @Test
  func `only a lease that is renewed is that of a working leader`() {
    let start = ContinuousClock.now
    var wait = LeaseWait(lease: .seconds(10))
    func head(_ lease: Double, epoch: Int64 = 1) -> ArchiveHead {
      ArchiveHead(
        store: UUID(),
        epoch: epoch,
        leader: "one",
        lease: .seconds(lease),
        mark: HistoryMark(revision: 1, chain: String(repeating: "0", count: 32))
      )
    }
    /// What each look finds at a second with the rest of the lease then.
    func findings(_ looks: (second: Double, rest: Double)...) -> [LeaseWait.Finding] {
      wait = LeaseWait(lease: .seconds(10))
      return looks.map { wait.look(at: head($0.rest), start + .seconds($0.second)) }
    }
    #expect(findings((0, 9), (5, 4), (9, 0)) == [.runs, .runs, .runs])
    #expect(findings((0, 9), (3, 9.5)) == [.runs, .isRenewed])
    // The clock went back before the first look, and then between two of them.
    #expect(findings((0, 3_609), (9, 3_600), (10, 3_599)) == [.runs, .runs, .isTooLong])
    #expect(
      findings((0, 9), (2, 3_607), (9, 3_600), (10, 3_599), (3_600, 9))
        == [.runs, .runs, .runs, .isTooLong, .runs]
    )
    // A leader that works asks for longer leases.
    #expect(findings((0, 29), (7, 30), (14, 30.5)) == [.runs, .runs, .isRenewed])
    // It takes longer, and may end in time.
    #expect(findings((0, 19), (9, 10), (12, 7)) == [.runs, .runs, .runs])
    #expect(wait.look(at: head(5, epoch: 2), start + .seconds(13)) == .isRenewed)
  }

  @Test(arguments: [(Duration.milliseconds(100), 1), (.milliseconds(99), 0)])
  func `an opening notes a call that may take longer than a lease`(
    limit: Duration,
    notes: Int
  ) async throws {
    let archive = FaultyArchive(memory, callLimit: limit)
    let leader = try await open("leader", in: archive)
    add(1...1, to: LibraryStore(leader))
    try await leader.replicated(through: 1)
    let follower = try await Persistence.follow(
      archive,
      initialState: LibraryState(),
      database: \LibraryState.db,
      policy: policy("follower"),
      configuration: configuration("follower")
    )
    for report in [leader.report, follower.report] {
      #expect(
        report.notes.filter { $0.contains("ArchivePolicy.lease must be longer") }.count == notes
      )
    }
    try await follower.close()
    try await leader.close()
  }
}
