import Foundation
import Strata
import StrataJournal
import StrataPersistence
import StrataStorage
import TestSupport
import Testing

/// A failed sync may have lost pages that can still be read until the next boot, and a later sync succeeds
/// without them.
struct FailedSyncTests {
  @Test(arguments: [Durability.everyCommit, .onFlush])
  func `what a failed sync may have lost is written again by the next opening`(
    durability: Durability
  ) async throws {
    let directory = try TemporaryDirectory()
    let vfs = try FaultVFS(name: "failed-sync-\(UUID().uuidString)")
    var configuration = PersistenceConfiguration(
      durability: durability,
      recoveryInterval: .seconds(1_000)
    )
    configuration.vfs = vfs.name
    configuration.watch = vfs.watch
    let path = directory.path("app.strata")
    let persistence = try await open(path, configuration)
    let store = LibraryStore(persistence)
    let script = LibraryScript(seed: 8)
    vfs.failNext(.sync, in: .wal, code: .ioerrFsync, times: .sticky)
    for number in Int64(1)...20 { store.commit { script.commit(number, to: &$0.db) } }
    await #expect(throws: PersistenceError.self) { try await persistence.close() }
    let lost = vfs.failureCount
    #expect(lost > 0)
    vfs.heal()

    let again = try await open(path, configuration)
    let acknowledged = again.durableRevision
    let database = again.initialState.db
    #expect(database == store.state.db || acknowledged < 20)

    try await expectAfterPowerCut(vfs, acknowledged, database)
    try await again.close()
  }

  @Test
  func `nor does what is no delta take later ones along`() async throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("app.strata")
    let vfs = try FaultVFS(name: "failed-sync-\(UUID().uuidString)")
    let persistence = try await open(path, configuration(vfs))
    let store = LibraryStore(persistence)
    try await commit(to: store, persistence)
    // The WAL has pages of the snapshot, which no revision accounts for.
    vfs.failNext(.sync, code: .ioerrFsync, times: .sticky)
    await #expect(throws: PersistenceError.self) { try await persistence.snapshot(named: "n") }
    await #expect(throws: PersistenceError.self) { try await persistence.close() }
    vfs.heal()

    try await expectUsable(path, vfs)
  }

  @Test(arguments: 0..<6)
  func `an opening that met one is made good by the next`(passing: Int) async throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("app.strata")
    let vfs = try FaultVFS(name: "failed-sync-\(UUID().uuidString)")
    let first = try await open(path, configuration(vfs))
    try await commit(to: LibraryStore(first), first)
    try await first.close()
    vfs.resetCounts()
    vfs.failNext(.sync, code: .ioerrFsync, after: passing, times: .once)
    let second = try? await open(path, configuration(vfs))
    #expect((second == nil) == (vfs.failureCount == 1))
    // A later sync is one of the closing.
    try? await second?.close()
    #expect(vfs.failureCount == 1)
    vfs.heal()

    try await expectUsable(path, vfs)
  }

  @Test(arguments: 0..<6)
  func `a resume that met one is made good by the next`(passing: Int) async throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("app.strata")
    let vfs = try FaultVFS(name: "failed-sync-\(UUID().uuidString)")
    let persistence = try await open(path, configuration(vfs))
    let store = LibraryStore(persistence)
    try await commit(to: store, persistence)
    try await persistence.suspend()
    for number in Int64(100)...120 { store.commit { Self.script.commit(number, to: &$0.db) } }
    vfs.resetCounts()
    vfs.failNext(.sync, code: .ioerrFsync, after: passing, times: .once)
    try? await persistence.resume()
    vfs.heal()

    try await persistence.resume()
    try await persistence.flush()
    try await expectAfterPowerCut(vfs, persistence.revision, store.state.db)
    try await persistence.close()
  }

  private static let script = LibraryScript(seed: 8)

  private func configuration(_ vfs: FaultVFS) -> PersistenceConfiguration {
    var configuration = PersistenceConfiguration(recoveryInterval: .seconds(1_000))
    configuration.vfs = vfs.name
    configuration.watch = vfs.watch
    return configuration
  }

  private func commit(
    to store: LibraryStore,
    _ persistence: Persistence<LibraryState, LibraryDatabase>
  ) async throws {
    for _ in 0..<10 {
      let number = persistence.revision.number + 1
      store.commit { Self.script.commit(number, to: &$0.db) }
    }
    try await persistence.flush()
  }

  /// Opens the file again and commits: what was acknowledged then survives a power cut.
  private func expectUsable(
    _ path: String,
    _ vfs: FaultVFS,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let again = try await open(path, configuration(vfs))
    let store = LibraryStore(again)
    try await commit(to: store, again)
    try await expectAfterPowerCut(
      vfs,
      again.durableRevision,
      store.state.db,
      sourceLocation: sourceLocation
    )
    try await again.close()
  }

  private func expectAfterPowerCut(
    _ vfs: FaultVFS,
    _ acknowledged: Revision,
    _ database: LibraryDatabase,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    for seed in UInt64(0)..<8 {
      let after = try TemporaryDirectory()
      try vfs.cutPower(seed: seed, into: after.url)
      var rebooted = PersistenceConfiguration()
      rebooted.bootID = UUID()
      let restored = try await open(after.path("app.strata"), rebooted)
      #expect(restored.revision == acknowledged, "seed \(seed)", sourceLocation: sourceLocation)
      #expect(
        restored.initialState.db == database,
        "seed \(seed)",
        sourceLocation: sourceLocation
      )
      try await restored.close()
    }
  }

  private func open(
    _ path: String,
    _ configuration: PersistenceConfiguration
  ) async throws -> Persistence<LibraryState, LibraryDatabase> {
    try await Persistence.open(
      at: path,
      initialState: LibraryState(),
      database: \.db,
      configuration: configuration
    )
  }
}
