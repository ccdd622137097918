import Foundation
import Strata
import StrataInspection
import StrataJournal
import StrataMaintaining
import StrataPersistence
import StrataStorage
import TestSupport
import Testing

/// An author is erased from a closed store.
struct ErasureScenario: FaultScenario {
  private let vfs: FaultVFS
  private let store: PlantedStore

  init(_ vfs: FaultVFS) async throws {
    self.vfs = vfs
    store = try await PlantedStore.copy()
  }

  func run(_ place: String) async throws {
    var configuration = PersistenceConfiguration()
    configuration.vfs = vfs.name
    configuration.watch = vfs.watch
    let entities = ErasedEntities([.init(table: "authors", meantBy: PlantedStore.id.raw)])
    do {
      _ = try StoreErasure.run(at: store.path, entities, .refuse, configuration)
    } catch {
      #expect(vfs.failureCount > 0, "\(place): \(error)")
    }
    vfs.heal()
    #expect(try Inspector(path: store.path).verify().isSound, "\(place)")
    // The old store or the new one, as a whole.
    if try Inspector(path: store.path).info().lineages.count == 1 {
      #expect(try store.wordsInFiles().count > 0, "\(place)")
      _ = try StoreErasure.run(at: store.path, entities, .refuse)
    }
    #expect(try store.wordsInFiles() == [], "\(place)")
    let persistence = try await store.open()
    #expect(persistence.initialState.db == store.model(at: PlantedStore.last), "\(place)")
    #expect(try await persistence.state(at: .revision(30)) == store.model(at: 30), "\(place)")
    try await persistence.close()
    let names = try FileManager.default.contentsOfDirectory(atPath: store.directory.url.path)
    #expect(!names.contains { $0.contains("creating") }, "\(place): \(names)")
    #expect(try Inspector(path: store.path).verify().isSound, "\(place)")
  }
}
