import Foundation
import Strata
import StrataPersistence
import TestSupport
import Testing

/// A sync that failed may have lost pages that the system shows until it is booted again, and that
/// another sync says nothing of.
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
    let lost = vfs.strikes
    #expect(lost > 0)
    vfs.heal()

    let again = try await open(path, configuration)
    let acknowledged = again.durableRevision
    let database = again.initialState.db
    #expect(database == store.state.db || acknowledged < 20)

    for seed in UInt64(0)..<8 {
      let after = try TemporaryDirectory()
      try vfs.cutPower(seed: seed, into: after.url)
      var rebooted = PersistenceConfiguration()
      rebooted.bootID = UUID()
      let restored = try await open(after.path("app.strata"), rebooted)
      #expect(restored.revision == acknowledged, "seed \(seed)")
      #expect(restored.initialState.db == database, "seed \(seed)")
      try await restored.close()
    }
    try await again.close()
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
