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

/// Followers of an archive that says when there is something new.
struct FollowerHintTests {
  typealias LibraryFollower = Follower<LibraryState, LibraryDatabase>

  let directory: TemporaryDirectory
  let archive: FaultyArchive
  let leader: Persistence<LibraryState, LibraryDatabase>
  let store: LibraryStore

  init() async throws {
    directory = try TemporaryDirectory()
    archive = FaultyArchive(FolderArchive(directory.path("archive")))
    let configuration = PersistenceConfiguration(
      durability: .grouped(maxDelay: .milliseconds(1))
    )
    let policy = ArchivePolicy(maxDelay: .zero)
    leader = try await Persistence.open(
      at: directory.path("app.strata"),
      initialState: LibraryState(),
      database: \.db,
      configuration: configuration,
      with: [.archive(archive, policy: policy)]
    )
    store = LibraryStore(leader)
    try await commit(1)
  }

  /// Commits a book, and waits until the archive has it.
  private func commit(_ number: Int) async throws {
    store.commit { $0.db.books.insert(Book(id: EntityID(number), title: "Volume \(number)")) }
    try await leader.replicated(through: Revision(Int64(number)))
  }

  private func follow(every interval: Duration) async throws -> LibraryFollower {
    var policy = ArchivePolicy()
    policy.pollInterval = interval
    return try await Persistence.follow(
      archive,
      initialState: LibraryState(),
      database: \.db,
      policy: policy
    )
  }

  /// Whether the follower applies a revision within a time that only a deadlock needs.
  ///
  /// It does not ask the follower to look, as `reach` does.
  private func applies(
    _ revision: Revision,
    _ events: AsyncStream<FollowerEvent>
  ) async -> Bool {
    await comes(in: events) { event in
      if case .applied(through: let last) = event { last >= revision } else { false }
    }
  }

  /// Whether an element comes within that time.
  private func comes<Element: Sendable>(
    in stream: AsyncStream<Element>,
    _ isExpected: @escaping @Sendable (Element) -> Bool = { _ in true }
  ) async -> Bool {
    await withTaskGroup(of: Bool.self) { group in
      group.addTask { await stream.contains(where: isExpected) }
      group.addTask {
        do { try await Task.sleep(for: .seconds(20)) } catch _ {}
        return false
      }
      defer { group.cancelAll() }
      return await group.next() ?? false
    }
  }

  private let hour = Duration.seconds(3_600)

  @Test
  func `a hint wakes a follower`() async throws {
    let (hints, hint) = AsyncStream.makeStream(of: Void.self)
    archive.hint { hints }
    let follower = try await follow(every: hour)
    let copy = LibraryStore(follower)
    for number in 2...6 {
      let events = follower.events
      try await commit(number)
      hint.yield()
      #expect(await applies(Revision(Int64(number)), events))
    }
    #expect(copy.state.db == store.state.db)
    try await follower.close()
    try await leader.close()
  }

  @Test
  func `a follower listens again when its hints end`() async throws {
    let calls = Recorder<AsyncStream<Void>.Continuation>()
    archive.hint {
      let (hints, hint) = AsyncStream.makeStream(of: Void.self)
      calls.record(hint)
      return hints
    }
    let follower = try await follow(every: hour)
    let copy = LibraryStore(follower)
    for number in 2...3 {
      // The time is only for a follower that does not listen.
      for _ in 0..<2_000 where calls.elements.count < number - 1 {
        try await Task.sleep(for: .milliseconds(10))
      }
      let hint = try #require(calls.elements.dropFirst(number - 2).first)
      let events = follower.events
      try await commit(number)
      hint.yield()
      #expect(await applies(Revision(Int64(number)), events))
      hint.finish()
    }
    #expect(copy.state.db == store.state.db)
    try await follower.close()
    try await leader.close()
  }

  @Test
  func `what came while nobody listened is read when the hints end`() async throws {
    let (hints, hint) = AsyncStream.makeStream(of: Void.self)
    let isFirst = Lock(true)
    archive.hint {
      let first = isFirst.withLock { isFirst in
        defer { isFirst = false }
        return isFirst
      }
      return first ? hints : nil
    }
    let follower = try await follow(every: hour)
    let copy = LibraryStore(follower)
    var events = follower.events
    try await commit(2)
    hint.yield()
    #expect(await applies(2, events))
    events = follower.events
    try await commit(3)
    hint.finish()
    #expect(await applies(3, events))
    #expect(copy.state.db == store.state.db)
    try await follower.close()
    try await leader.close()
  }

  @Test
  func `a follower whose hints do not come looks by itself`() async throws {
    let (hints, hint) = AsyncStream.makeStream(of: Void.self)
    archive.hint { hints }
    let follower = try await follow(every: .milliseconds(5))
    let copy = LibraryStore(follower)
    let events = follower.events
    for number in 2...5 { try await commit(number) }
    #expect(await applies(5, events))
    #expect(copy.state.db == store.state.db)
    hint.finish()
    try await follower.close()
    try await leader.close()
  }

  @Test
  func `a closed follower listens no more`() async throws {
    let (hints, hint) = AsyncStream.makeStream(of: Void.self)
    let (ends, end) = AsyncStream.makeStream(of: Bool.self)
    hint.onTermination = { _ in end.yield(true) }
    archive.hint { hints }
    let follower = try await follow(every: hour)
    let copy = LibraryStore(follower)
    let events = follower.events
    try await commit(2)
    hint.yield()
    #expect(await applies(2, events))
    try await follower.close()
    #expect(await comes(in: ends))
    #expect(copy.state.db == store.state.db)
    try await leader.close()
  }
}
