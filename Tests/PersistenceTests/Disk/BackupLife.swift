import Foundation
import Strata
import StrataPersistence
import StrataStorage
import TestSupport
import Testing

/// A backup of a store at work, and its bringing back to another place.
struct BackupLife: FaultedLife {
  private let vfs: FaultVFS
  private let store: DamagedStore

  init(_ vfs: FaultVFS) async throws {
    self.vfs = vfs
    // It is not damaged here.
    store = try await DamagedStore()
  }

  func run(_ place: String) async throws {
    let copy = store.directory.path("copy.strata")
    let place2 = store.directory.path("back.strata")
    let disk = Disk(vfs: vfs.name, watch: vfs.watch)
    do {
      try await backUp(to: copy)
      _ = try await StoreBackup.restore(copy, to: place2, on: disk)
    } catch {
      #expect(vfs.failureCount > 0, "\(place): \(error)")
    }
    vfs.heal()
    // What failed has left nothing in the way of another attempt.
    for made in [copy, place2] where !FileManager.default.fileExists(atPath: made) {
      if made == copy {
        try await backUp(to: copy)
      } else {
        _ = try await StoreBackup.restore(copy, to: place2)
      }
    }
    let names = try FileManager.default.contentsOfDirectory(atPath: store.directory.url.path)
    #expect(!names.contains { $0.contains("creating") }, "\(place): \(names)")
    for made in [store.path, copy, place2] {
      #expect(try Inspector(path: made).verify().isSound, "\(place)")
    }
    let back = try await Persistence.open(
      at: place2,
      initialState: LibraryState(),
      database: \.db
    )
    #expect(back.initialState.db == store.model(at: 50), "\(place)")
    #expect(back.report.position.epoch >= 2, "\(place)")
    #expect(back.report.notes.isEmpty, "\(place): \(back.report.notes)")
    try await back.close()
  }

  private func backUp(to copy: String) async throws {
    var configuration = PersistenceConfiguration(recoveryInterval: .milliseconds(2))
    configuration.vfs = vfs.name
    configuration.watch = vfs.watch
    let persistence = try await Persistence.open(
      at: store.path,
      initialState: LibraryState(),
      database: \.db,
      configuration: configuration
    )
    do {
      try await persistence.backup(to: copy)
    } catch {
      #expect(!FileManager.default.fileExists(atPath: copy))
      do { try await persistence.close() } catch _ {}
      throw error
    }
    try await persistence.close()
  }
}
