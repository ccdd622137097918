import ProductSupport
import Strata
import StrataArchive
import StrataArchiving
import StrataBase
import StrataMigrating
import StrataMigrations
import StrataPersistence
import StrataStorage
import TestSupport
import Testing

/// A follower's file has the records of a migration and its row in the ledger, or neither.
struct FollowedMigrationTests {
  let directory: TemporaryDirectory
  let memory = MemoryArchive()
  let archive: FaultyArchive

  init() throws {
    directory = try TemporaryDirectory()
    archive = FaultyArchive(memory)
  }

  /// What is stored keeps its type, so nothing but the ledger says that it has run.
  private let double = DataMigration("0001_double", value: "attempts") { attempts in
    attempts["value"] = .integer((try attempts.value(Int.self, of: "value") ?? 0) * 2)
  }

  private var configuration: PersistenceConfiguration {
    let configuration = PersistenceConfiguration(durability: .grouped(maxDelay: .milliseconds(1)))
    return configuration
  }

  private var policy: ArchivePolicy {
    var policy = ArchivePolicy(lease: .milliseconds(300), maxDelay: .zero)
    policy.pollInterval = .milliseconds(5)
    policy.closingLimit = .seconds(600)
    return policy
  }

  private let values = [PersistedValue<LibraryState>("attempts", \.loggedOut.attempts)]

  private func open(
    _ name: String,
    migrations: [DataMigration],
    in archive: any Archive,
    closingWithin limit: Duration = .seconds(600)
  ) async throws -> Persistence<LibraryState, LibraryDatabase> {
    var policy = policy
    policy.closingLimit = limit
    return try await Persistence.open(
      at: directory.path("\(name).strata"),
      initialState: LibraryState(),
      database: \.db,
      values: values,
      configuration: configuration,
      with: [.migrations(migrations), .archive(archive, policy: policy)]
    )
  }

  private func set(
    _ attempts: Int,
    in store: LibraryStore,
    _ persistence: Persistence<LibraryState, LibraryDatabase>
  ) async throws {
    store.commit { $0.loggedOut.attempts = attempts }
    try await persistence.replicated(through: persistence.revision)
  }

  /// Follows in a file.
  private func follow(
    migrations: [DataMigration]
  ) async throws -> Follower<LibraryState, LibraryDatabase> {
    try await Persistence.follow(
      archive,
      at: directory.path("followed.strata"),
      initialState: LibraryState(),
      database: \LibraryState.db,
      values: values,
      policy: policy,
      configuration: configuration,
      with: [.migrations(migrations)]
    )
  }

  @Test(arguments: [21, 0])
  func `what was followed is not migrated again by one that leads while its archive is away`(
    before: Int
  ) async throws {
    let first = try await open("first", migrations: [], in: memory)
    let store = LibraryStore(first)
    for attempts in [7, before] { try await set(attempts, in: store, first) }
    // One of the older build, which can read the records before and after.
    let follower = try await follow(migrations: [])
    let copy = LibraryStore(follower)
    try await follower.reach(first.revision)
    try await first.close()
    let second = try await open("second", migrations: [double], in: memory)
    let migrated = LibraryStore(second)
    #expect(migrated.state.loggedOut.attempts == before * 2)
    // One that has changed nothing is followed by records that it must not change either.
    if before == 0 { try await set(42, in: migrated, second) }
    try await second.replicated(through: second.revision)
    try await follower.reach(second.revision)
    #expect(copy.state.loggedOut.attempts == 42)
    try await follower.close()
    try await second.close()
    archive.fail { _ in .lost }
    let alone = try await open(
      "followed",
      migrations: [double],
      in: archive,
      closingWithin: .zero
    )
    #expect(alone.report.archive?.away != nil)
    #expect(alone.report.migrations == nil)
    #expect(alone.initialState.loggedOut.attempts == 42)
    try await alone.close()
  }

  @Test
  func `a follower waits for a migration also where it can read the records before`() async throws {
    let first = try await open("first", migrations: [], in: memory)
    try await set(21, in: LibraryStore(first), first)
    let follower = try await follow(migrations: [double])
    let copy = LibraryStore(follower)
    #expect(follower.report.outcome == .waitingForMigration)
    while follower.status != .waitingForMigration("0001_double") { await Task.yield() }
    #expect(copy.state.loggedOut.attempts == 0)
    try await first.close()
    let second = try await open("second", migrations: [double], in: memory)
    try await second.replicated(through: second.revision)
    try await follower.reach(second.revision)
    #expect(copy.state.loggedOut.attempts == 42)
    try await follower.close()
    try await second.close()
  }

  @Test
  func `a file that cannot get the ledger does not get the records`() async throws {
    let first = try await open("first", migrations: [], in: memory)
    try await set(21, in: LibraryStore(first), first)
    try await first.close()
    try await open("former", migrations: [], in: memory).close()
    let second = try await open("second", migrations: [double], in: memory)
    try await set(43, in: LibraryStore(second), second)
    try await second.close()
    // The first call compares what was erased.
    let calls = Lock(0)
    archive.fail { name in
      if name != "catalog" { return nil }
      return calls.withLock { count in
        count += 1
        return count > 1 ? .lost : nil
      }
    }
    await #expect(throws: PersistenceError.self) {
      try await open("former", migrations: [double], in: archive)
    }
    archive.fail { _ in .lost }
    let alone = try await open(
      "former",
      migrations: [double],
      in: archive,
      closingWithin: .zero
    )
    #expect(alone.report.archive?.away != nil)
    #expect(alone.initialState.loggedOut.attempts == 42)
    try await alone.close()
  }
}
