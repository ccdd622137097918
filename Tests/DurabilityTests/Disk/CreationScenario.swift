import Foundation
import Strata
import StrataInspection
import StrataPersistence
import StrataStorage
import TestSupport
import Testing

/// A store is created.
struct CreationScenario: FaultScenario {
  private let vfs: FaultVFS
  private let directory: TemporaryDirectory
  private let path: String
  private let initial: LibraryState

  init(_ vfs: FaultVFS) throws {
    self.vfs = vfs
    directory = try TemporaryDirectory()
    path = directory.path("app.strata")
    var initial = LibraryState()
    initial.db = LibraryScript(seed: 31).database(after: 40)
    self.initial = initial
  }

  func run(_ place: String) async throws {
    var configuration = PersistenceConfiguration()
    configuration.vfs = vfs.name
    configuration.watch = vfs.watch
    do {
      let persistence = try await Persistence.open(
        at: path,
        initialState: initial,
        database: \.db,
        configuration: configuration
      )
      #expect(persistence.initialState.db == initial.db)
      try await persistence.close()
    } catch {
      #expect(vfs.failureCount > 0, "\(place): \(error)")
    }
    vfs.heal()
    let again = try await Persistence.open(at: path, initialState: initial, database: \.db)
    #expect(again.initialState.db == initial.db, "\(place)")
    #expect(again.revision == 0, "\(place)")
    try await again.close()
    #expect(try Inspector(path: path).verify().isSound, "\(place)")
    let names = try FileManager.default.contentsOfDirectory(atPath: directory.url.path)
    #expect(!names.contains { $0.contains("creating") }, "\(place): \(names)")
  }
}
