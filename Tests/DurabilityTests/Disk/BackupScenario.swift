import Foundation
import Strata
import StrataInspection
import StrataJournal
import StrataMaintaining
import StrataPersistence
import StrataStorage
import TestSupport
import Testing

/// An open store is backed up, and the backup is restored to another path.
struct BackupScenario: FaultScenario {
  private let vfs: FaultVFS
  private let store: DamagedStore

  init(_ vfs: FaultVFS) async throws {
    self.vfs = vfs
    // This scenario does not damage it.
    store = try await DamagedStore()
  }

  func run(_ place: String) async throws {
    let copy = store.directory.path("copy.strata")
    let restoredPath = store.directory.path("back.strata")
    let disk = Disk(vfs: vfs.name, watch: vfs.watch)
    do {
      try await backUp(to: copy)
      _ = try await StoreBackup.restore(copy, to: restoredPath, on: disk)
    } catch {
      #expect(vfs.failureCount > 0, "\(place): \(error)")
    }
    vfs.heal()
    // A failed attempt leaves nothing that prevents another one.
    for made in [copy, restoredPath] where !FileManager.default.fileExists(atPath: made) {
      if made == copy {
        try await backUp(to: copy)
      } else {
        _ = try await StoreBackup.restore(copy, to: restoredPath)
      }
    }
    let names = try FileManager.default.contentsOfDirectory(atPath: store.directory.url.path)
    #expect(!names.contains { $0.contains("creating") }, "\(place): \(names)")
    for made in [store.path, copy, restoredPath] {
      #expect(try Inspector(path: made).verify().isSound, "\(place)")
    }
    let back = try await Persistence.open(
      at: restoredPath,
      initialState: LibraryState(),
      database: \.db
    )
    #expect(back.initialState.db == store.model(at: 50), "\(place)")
    #expect(try Inspector(path: restoredPath).info().lineages.count == 2, "\(place)")
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
