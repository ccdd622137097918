import Foundation
import Strata
import StrataJournal
import StrataPersistence
import StrataStorage
import TestSupport
import Testing

/// The files of a store are moved to quarantine, a new store is created in their place, and they are
/// moved back.
struct QuarantineScenario: FaultScenario {
  private static let time = Date(timeIntervalSince1970: 1_790_000_000)

  private let vfs: FaultVFS
  private let store: DamagedStore

  init(_ vfs: FaultVFS) async throws {
    self.vfs = vfs
    // This scenario does not damage it.
    store = try await DamagedStore()
  }

  private var disk: Disk { Disk(vfs: vfs.name, watch: vfs.watch) }

  func run(_ place: String) async throws {
    do {
      let set = try Quarantine.add(
        storeAt: store.path,
        reason: "a test",
        now: Self.time,
        on: disk
      )
      try await openOnFaultyDisk()
      try set.restore(now: Self.time, on: disk)
      // A call that met a fault must not succeed.
      #expect(vfs.failureCount == 0, "\(place)")
    } catch {
      #expect(vfs.failureCount > 0, "\(place): \(error)")
    }
    vfs.heal()
    // Opening completes an interrupted move; every set in quarantine is complete.
    let persistence = try await store.open(.strict)
    let revision = persistence.revision
    #expect([0, 50].contains(revision), "\(place)")
    #expect(persistence.initialState.db == store.model(at: revision), "\(place)")
    try await persistence.close()
    if revision == 50 { return }
    for set in try Quarantine.all(besideStoreAt: store.path) where set.files.count > 1 {
      try set.restore(now: Self.time)
      let returned = try await store.open(.strict)
      #expect(returned.initialState.db == store.model(at: returned.revision), "\(place)")
      let found = returned.revision
      try await returned.close()
      if found == 50 { return }
    }
    Issue.record("\(place): the store is missing from quarantine")
  }

  private func openOnFaultyDisk() async throws {
    var configuration = PersistenceConfiguration()
    configuration.vfs = vfs.name
    configuration.watch = vfs.watch
    let persistence = try await Persistence.open(
      at: store.path,
      initialState: LibraryState(),
      database: \.db,
      configuration: configuration
    )
    try await persistence.close()
  }
}
