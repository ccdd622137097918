import Strata
import StrataArchive
import StrataPersistence
import StrataStorage
import TestSupport
import Testing

/// Followers that wait until a leader has run a migration of their build.
struct WaitingFollowerTests {
  let directory: TemporaryDirectory
  let place = MemoryPlace()

  init() throws { directory = try TemporaryDirectory() }

  private var configuration: PersistenceConfiguration {
    var configuration = PersistenceConfiguration(durability: .grouped(maxDelay: .milliseconds(1)))
    configuration.archiving = ArchivePolicy(lease: .milliseconds(300), maxDelay: .zero)
    configuration.archiving.pollInterval = .milliseconds(5)
    configuration.archiving.closingLimit = .seconds(600)
    return configuration
  }

  private func open(
    _ name: String,
    _ build: ProgramBuild
  ) async throws -> Persistence<LibraryState, LibraryDatabase> {
    try await Persistence.open(
      at: directory.path(name),
      initialState: LibraryState(),
      database: \.db,
      values: build.values,
      migrations: build.migrations,
      archive: place.direct(),
      configuration: configuration
    )
  }

  private func commit(_ number: Int, to store: LibraryStore, _ build: ProgramBuild) {
    store.commit { state in
      CommitTrail.add(number, to: &state.db)
      build.note(number, in: &state)
    }
  }

  @Test
  func `a follower that waits for a migration reports that the history was taken back`()
    async throws
  {
    let first = try await open("first.strata", .first)
    commit(1, to: LibraryStore(first), .first)
    try await first.replicated(through: first.revision)
    await place.keepCopy()
    try await first.close()
    let second = try await open("second.strata", .second)
    commit(2, to: LibraryStore(second), .second)
    try await second.replicated(through: second.revision)
    let build = ProgramBuild.second
    let follower = try await Persistence.follow(
      place.direct(),
      initialState: LibraryState(),
      database: \LibraryState.db,
      values: build.values,
      migrations: build.migrations,
      configuration: configuration
    )
    let copy = LibraryStore(follower)
    var events = follower.events.makeAsyncIterator()
    let before = second.revision
    try await follower.reach(before)
    try await second.close()
    await place.goBack()
    while follower.status != .waitingForMigration("0001_last_as_text") { await Task.yield() }
    #expect(CommitTrail.last(of: copy.state.db) == 2)

    let third = try await open("third.strata", .second)
    while follower.status != .current { await Task.yield() }
    #expect(CommitTrail.last(of: copy.state.db) == 1)
    #expect(build.noted(in: copy.state) == 1)
    try await follower.close()
    var told: [FollowerEvent] = []
    while let event = await events.next() { told.append(event) }
    #expect(told.contains(.rewound(from: before, to: third.revision)), "\(told)")
    try await third.close()
  }
}
