import Foundation
import Strata
import StrataInspection
import StrataPersistence
import StrataStorage
import TestSupport
import Testing

/// A damaged store is opened with `.bestEffort`.
struct SalvageScenario: FaultScenario {
  private let vfs: FaultVFS
  private let store: DamagedStore
  private let original: Data

  init(_ vfs: FaultVFS) async throws {
    self.vfs = vfs
    store = try await DamagedStore()
    try store.damage("DELETE FROM delta WHERE revision = 45")
    original = try Data(contentsOf: URL(fileURLWithPath: store.path))
  }

  func run(_ place: String) async throws {
    var configuration = PersistenceConfiguration(restore: .bestEffort)
    configuration.vfs = vfs.name
    configuration.watch = vfs.watch
    do {
      let persistence = try await Persistence.open(
        at: store.path,
        initialState: LibraryState(),
        database: \.db,
        configuration: configuration
      )
      #expect(persistence.initialState.db == store.model(at: 44), "\(place)")
      try await persistence.close()
    } catch {
      #expect(vfs.failureCount > 0, "\(place): \(error)")
    }
    vfs.heal()
    let again = try await store.open(.bestEffort)
    #expect(again.initialState.db == store.model(at: 44), "\(place)")
    #expect(try Inspector(path: store.path).info().lineages.count >= 2, "\(place)")
    try await again.close()
    let sets = try Quarantine.all(besideStoreAt: store.path)
    let kept = try sets.contains { set in
      try contentsOfFiles(in: set.directory)["app.strata"] == original
    }
    #expect(kept, "\(place)")
    #expect(try Inspector(path: store.path).verify().isSound, "\(place)")
  }
}
