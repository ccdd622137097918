import Foundation
import ProductSupport
import Strata
import StrataArchive
import StrataArchiving
import StrataBase
import StrataJournal
import StrataPersistence
import StrataStorage
import TestSupport
import Testing

/// Processes that follow a store and lead when they may.
struct StandbyTests {
  let directory: TemporaryDirectory
  let memory = MemoryArchive()

  init() throws { directory = try TemporaryDirectory() }

  private func configuration(_ leader: String) -> PersistenceConfiguration {
    let configuration = PersistenceConfiguration(durability: .grouped(maxDelay: .milliseconds(1)))
    return configuration
  }

  private func policy(_ leader: String) -> ArchivePolicy {
    // Long enough that no leader loses it by being slow.
    var policy = ArchivePolicy(
      leader: leader,
      lease: .seconds(60),
      withoutLease: .refuse,
      maxDelay: .zero
    )
    policy.pollInterval = .milliseconds(2)
    policy.closingLimit = .seconds(600)
    return policy
  }

  private func open(_ name: String) async throws -> Persistence<LibraryState, LibraryDatabase> {
    try await Persistence.open(
      at: directory.path("\(name).strata"),
      initialState: LibraryState(),
      database: \.db,
      configuration: configuration(name),
      with: [.archive(memory, policy: policy(name))]
    )
  }

  private func standBy(
    _ name: String,
    in archive: (any Archive)? = nil
  ) async throws -> Follower<LibraryState, LibraryDatabase> {
    try await Persistence.standBy(
      archive ?? memory,
      at: directory.path("\(name).strata"),
      initialState: LibraryState(),
      database: \.db,
      policy: policy(name),
      configuration: configuration(name)
    )
  }

  private func add(_ numbers: ClosedRange<Int>, to store: LibraryStore) {
    for number in numbers {
      store.commit { $0.db.books.insert(Book(id: EntityID(number), title: "Volume \(number)")) }
    }
  }

  /// The events up to one.
  private func events(
    _ stream: AsyncStream<FollowerEvent>,
    through last: (FollowerEvent) -> Bool
  ) async -> [FollowerEvent] {
    var events: [FollowerEvent] = []
    for await event in stream {
      events.append(event)
      if last(event) { break }
    }
    return events
  }

  @Test
  func `a standby follows a leader that works, and leads once it was closed`() async throws {
    let leader = try await open("one")
    let store = LibraryStore(leader)
    add(1...3, to: store)
    try await leader.replicated(through: 3)
    let archive = FaultyArchive(memory)
    let calls = Lock<[String]>([])
    archive.fail { call in
      calls.withLock { $0.append(call) }
      return nil
    }
    let standby = try await standBy("two", in: archive)
    let copy = LibraryStore(standby)
    let stream = standby.events
    for number in 4...40 {
      add(number...number, to: store)
      try await leader.replicated(through: Revision(Int64(number)))
      try await standby.reach(Revision(Int64(number)))
    }
    #expect(!calls.withLock { $0.contains("lead") })
    try await leader.close()
    let heard = await events(stream) { $0 == .leading }
    #expect(!heard.contains { if case .couldNotLead = $0 { true } else { false } })
    #expect(standby.status == .leading)
    let persistence = try await standby.lead()
    #expect(copy.state.db == store.state.db)
    add(41...41, to: copy)
    try await persistence.replicated(through: persistence.revision)
    #expect(try await memory.head()?.leader == "two")
    try await standby.close()
  }

  @Test
  func `of two standbys one leads, and the other one follows it`() async throws {
    let leader = try await open("one")
    add(1...3, to: LibraryStore(leader))
    try await leader.replicated(through: 3)
    let standbys = [try await standBy("two"), try await standBy("three")]
    let stores = standbys.map { LibraryStore($0) }
    let streams = standbys.map(\.events)
    try await leader.close()
    let first = await withTaskGroup(of: Int?.self) { group in
      for (index, stream) in streams.enumerated() {
        group.addTask {
          for await event in stream { if event == .leading { return index } }
          return nil
        }
      }
      defer { group.cancelAll() }
      return await group.next() ?? nil
    }
    let index = try #require(first)
    let persistence = try await standbys[index].lead()
    add(4...9, to: stores[index])
    try await persistence.replicated(through: persistence.revision)
    try await standbys[1 - index].reach(persistence.revision)
    #expect(stores[0].state.db == stores[1].state.db)
    #expect(standbys[1 - index].status != .leading)
    try await standbys[1 - index].close()
    try await standbys[index].close()
  }

  @Test
  func `a standby that cannot lead says so, and goes on following`() async throws {
    let leader = try await open("one")
    let store = LibraryStore(leader)
    add(1...3, to: store)
    try await leader.replicated(through: 3)
    let archive = FaultyArchive(memory)
    let standby = try await standBy("two", in: archive)
    let copy = LibraryStore(standby)
    archive.fail { $0 == "lead" ? .refused : nil }
    let stream = standby.events
    try await leader.close()
    let heard = await events(stream) { if case .couldNotLead = $0 { true } else { false } }
    guard case .couldNotLead(let detail)? = heard.last else {
      Issue.record("\(heard)")
      return
    }
    #expect(detail.contains("another process leads the archive"))
    let second = try await open("three")
    let other = LibraryStore(second)
    add(4...6, to: other)
    try await second.replicated(through: second.revision)
    try await standby.reach(second.revision)
    #expect(copy.state.db == other.state.db)
    try await standby.close()
    try await second.close()
  }

  @Test
  func `a standby that is closed while it takes over leaves its file`() async throws {
    let leader = try await open("one")
    add(1...3, to: LibraryStore(leader))
    try await leader.replicated(through: 3)
    let archive = FaultyArchive(memory)
    let standby = try await standBy("two", in: archive)
    let copy = LibraryStore(standby)
    let (takeovers, takeover) = AsyncStream.makeStream(of: Void.self)
    archive.fail { call in
      guard call == "lead" else { return nil }
      takeover.yield()
      return .paused
    }
    try await leader.close()
    for await _ in takeovers { break }
    try await standby.close()
    #expect(standby.status == .closed)
    await #expect(throws: PersistenceError.self) { try await standby.lead() }
    let next = try await open("two")
    #expect(next.initialState.db == copy.state.db)
    try await next.close()
  }

  @Test
  func `a standby that is asked to lead while it is closed leaves its file`() async throws {
    let leader = try await open("one")
    add(1...3, to: LibraryStore(leader))
    try await leader.replicated(through: 3)
    for _ in 1...30 {
      let standby = try await standBy("two")
      let store = LibraryStore(standby)
      let asking = Task {
        while true {
          do throws(PersistenceError) {
            try await standby.lead()
            return
          } catch {
            if error.reason == .closed { return }
          }
        }
      }
      try await standby.reach(3)
      try await standby.close()
      // Nothing has the file open.
      let next = try await standBy("two")
      #expect(next.initialState.db == store.state.db)
      try await next.close()
      await asking.value
    }
    try await leader.close()
  }

  private static let candidate = ArchiveCandidate(
    store: UUID(),
    epoch: 0,
    leader: "one",
    lease: .seconds(60),
    start: HistoryMark(revision: 0, chain: String(repeating: "0", count: 32))
  )

  @Test func `a head shows how far the clock of its archive is ahead while a lease runs`()
    async throws
  {
    for ahead in [7_200.0, -7_200] {
      let folder = FolderArchive(directory.path("archive \(ahead)"), on: .system) {
        Date().addingTimeInterval(ahead)
      }
      let head = try await folder.lead(Self.candidate)
      let difference = try #require(head.clockDifference(at: Date())) / .seconds(1)
      #expect(abs(difference - ahead) < 600)
      try await folder.release(ArchiveTerm(epoch: head.epoch, lease: .seconds(60)))
      #expect(try await folder.head()?.clockDifference(at: Date()) == nil)
    }
  }

  @Test
  func `a standby says once that a lease is too long, as after a clock went back`() async throws {
    let ahead = Lock(7_200.0)
    let folder = FolderArchive(directory.path("archive"), on: .system) {
      Date().addingTimeInterval(ahead.withLock { $0 })
    }
    _ = try await folder.lead(Self.candidate)
    // The leader has died, and the clock goes back by an hour: its lease runs for that much longer.
    ahead.withLock { $0 = 3_600 }
    let archive = FaultyArchive(folder)
    let told = Lock<[ArchiveError]>([])
    let looks = Lock(0)
    archive.fail { call in
      guard call == "head" else { return nil }
      let isEnough = looks.withLock { looks in
        looks += 1
        return looks > 400
      }
      // Once it is told, or never is, the lease ends.
      if isEnough { ahead.withLock { $0 = 14_400 } }
      return nil
    }
    let watch = StandbyWatch(archive: archive, lease: .milliseconds(40))
    await watch.run(tooLong: { error in told.withLock { $0.append(error) } }) { .leads }
    let errors = told.withLock { $0 }
    #expect(errors.count == 1)
    guard case .leaseTooLong(let leader, let rest, let lease)? = errors.first?.reason else {
      Issue.record("\(errors)")
      return
    }
    #expect(leader == "one" && rest > .seconds(3_600) && lease == .milliseconds(40))
  }

  @Test
  func `a standby that is an older build tries again only once there is more`() async throws {
    let leader = try await open("leader")
    let store = LibraryStore(leader)
    add(1...1, to: store)
    try await leader.replicated(through: 1)
    try await leader.close()
    let archive = FaultyArchive(memory)
    let (looks, look) = AsyncStream.makeStream(of: Void.self)
    archive.fail { call in
      if call == "head" { look.yield() }
      return nil
    }
    let attempts = Lock(0)
    let watch = StandbyWatch(archive: archive, lease: .milliseconds(4))
    let watching = Task {
      await watch.run {
        attempts.withLock { $0 += 1 }
        return .isOlderBuild
      }
    }
    var looked = looks.makeAsyncIterator()
    for _ in 1...5 { _ = await looked.next() }
    #expect(attempts.withLock { $0 } == 1)
    let again = try await open("leader")
    add(2...2, to: LibraryStore(again))
    try await again.replicated(through: 2)
    try await again.close()
    while attempts.withLock({ $0 }) < 2 { await Task.yield() }
    watching.cancel()
    await watching.value
  }
}
