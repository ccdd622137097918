import Foundation
import Strata
import StrataInspection
import StrataJournal
import StrataPersistence
import StrataStorage
import TestSupport
import Testing

/// A file of format 1 is opened for writing, which brings it up.
struct MigrationScenario: FaultScenario {
  private let vfs: FaultVFS
  private let directory: TemporaryDirectory
  private let path: String

  init(_ vfs: FaultVFS) throws {
    self.vfs = vfs
    directory = try TemporaryDirectory()
    path = directory.path("app.strata")
    try GoldenFile.copy(ofFormat: 1, to: path)
  }

  private func configuration(_ vfs: FaultVFS?) -> PersistenceConfiguration {
    var configuration = PersistenceConfiguration(
      snapshots: SnapshotPolicy(minimumJournalBytes: 1 << 40),
      recoveryInterval: .milliseconds(2)
    )
    configuration.vfs = vfs?.name
    configuration.watch = vfs?.watch
    return configuration
  }

  private func open(
    _ path: String,
    _ configuration: PersistenceConfiguration
  ) async throws -> Persistence<Golden.State<Golden.Second>, Golden.Second> {
    try await Persistence.open(
      at: path,
      initialState: Golden.State(db: Golden.Second()),
      database: \.db,
      configuration: configuration
    )
  }

  func run(_ place: String) async throws {
    do {
      let persistence = try await open(path, configuration(vfs))
      #expect(persistence.initialState.db == Golden.second(at: 12), "\(place)")
      try await persistence.close()
    } catch {
      #expect(vfs.failureCount > 0, "\(place): \(error)")
    }
    vfs.heal()
    let after = try TemporaryDirectory()
    try vfs.cutPower(seed: 1, into: after.url)
    // Nothing is known of a file that could not even be opened.
    if FileManager.default.fileExists(atPath: after.path("app.strata")) {
      var rebooted = configuration(nil)
      rebooted.bootID = UUID()
      try await check(after.path("app.strata"), rebooted, "\(place), cut")
    }
    try await check(path, configuration(nil), place)
  }

  /// Checks that the file has one format or the other, whole, and is brought up by the next opening.
  private func check(
    _ path: String,
    _ configuration: PersistenceConfiguration,
    _ place: String
  ) async throws {
    // An inspector keeps writers out.
    let verification = try Inspector(path: path).verify()
    #expect(verification.isSound, "\(place): \(verification)")
    #expect([1, StoreFormat.known].contains(try Inspector(path: path).info().format), "\(place)")
    let persistence = try await open(path, configuration)
    #expect(persistence.initialState.db == Golden.second(at: 12), "\(place)")
    #expect(persistence.revision == 12, "\(place)")
    try await persistence.close()
    let again = try Inspector(path: path)
    #expect(try again.info().format == StoreFormat.known, "\(place)")
    #expect(try again.verify().isSound, "\(place)")
  }
}
