import Foundation
import Strata
import StrataArchive
import StrataBase
import StrataJournal
import StrataPersistence
import StrataStorage
import TestSupport
import Testing

/// Leaders that another process deposes, or may depose, while they do something else.
struct LeadershipLossTests {
  let directory: TemporaryDirectory
  let memory = MemoryArchive()
  let archive: FaultyArchive

  init() throws {
    directory = try TemporaryDirectory()
    archive = FaultyArchive(memory)
  }

  private func open(
    _ leader: String,
    lease: Duration,
    _ withoutLease: ArchivePolicy.WithoutLease = .continue
  ) async throws -> Persistence<LibraryState, LibraryDatabase> {
    var configuration = PersistenceConfiguration(durability: .grouped(maxDelay: .milliseconds(1)))
    configuration.archiving = ArchivePolicy(
      leader: leader,
      lease: lease,
      withoutLease: withoutLease,
      maxDelay: .zero
    )
    return try await Persistence.open(
      at: directory.path("\(leader).strata"),
      initialState: LibraryState(),
      database: \.db,
      archive: archive,
      configuration: configuration
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
    guard let head = await memory.head() else { throw ArchiveError(.empty, archive: memory.name) }
    await archive.pause()
    try await memory.release(ArchiveTerm(epoch: head.epoch, lease: .seconds(60)))
    _ = try await memory.lead(
      ArchiveCandidate(
        store: head.store,
        epoch: head.epoch,
        leader: "second",
        lease: .seconds(60),
        start: head.mark
      )
    )
    archive.resume()
    archive.work()
    store.commit { $0.db.books.insert(Book(id: 9, title: "Volume 9")) }
    let error = await #expect(throws: PersistenceError.self) {
      try await leader.replicated(through: leader.revision, within: .seconds(20))
    }
    #expect(error?.reason == .notLeading(by: "second"))
    try await leader.close()
  }
}
