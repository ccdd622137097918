import Foundation
import ProductSupport
import Strata
import StrataInspection
import StrataMigrating
import StrataPersistence
import StrataStorage
import TestSupport
import Testing

/// A migration is taken back, the backup from before it restored, or the store from before it copied.
struct MigrationActionScenario: FaultScenario {
  private let vfs: FaultVFS
  private let directory: TemporaryDirectory
  private let action: MigrationAction
  private var path: String { directory.path("app.strata") }

  init(_ vfs: FaultVFS, _ action: MigrationAction) async throws {
    self.vfs = vfs
    self.action = action
    directory = try TemporaryDirectory()
    try await action.prepare(at: directory.path("app.strata"))
  }

  func run(_ place: String) async throws {
    var configuration = PersistenceConfiguration()
    configuration.vfs = vfs.name
    configuration.watch = vfs.watch
    var isDone = true
    do {
      try await action.run(at: path, configuration)
    } catch {
      #expect(vfs.failureCount > 0, "\(place): \(error)")
      isDone = false
    }
    vfs.heal()
    try await action.open(path)
    let outcome = try await action.outcome(at: path)
    if isDone { #expect(outcome == .after, "\(place)") }
    if outcome == .before { try await action.run(at: path, PersistenceConfiguration()) }
    #expect(try await action.outcome(at: path) == .after, "\(place)")
    let names = try FileManager.default.contentsOfDirectory(atPath: directory.url.path)
    #expect(
      !names.contains { $0.contains("creating") || $0.hasSuffix(".cut") },
      "\(place): \(names)"
    )
  }
}
