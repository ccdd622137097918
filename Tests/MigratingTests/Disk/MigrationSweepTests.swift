import Foundation
import ProductSupport
import Strata
import StrataMigrating
import TestSupport
import Testing

/// A fault at one I/O after the other of a migration: see `FaultSweep`.
struct MigrationSweepTests {
  @Test(arguments: DiskFault.allCases, FaultDuration.allCases)
  func `a fault while data is migrated leaves all of the migrations or none, and says which`(
    fault: DiskFault,
    duration: FaultDuration
  ) async throws {
    try await FaultSweep.run("a run of migrations", fault, duration) {
      try await DataMigrationScenario($0, fault)
    }
  }

  @Test(arguments: [MigrationAction.down, .restore, .fork], DiskFault.allCases)
  func `a fault on the way back from migrations leaves it done or not, and nothing beside`(
    action: MigrationAction,
    fault: DiskFault
  ) async throws {
    for duration in FaultDuration.allCases {
      try await FaultSweep.run("\(action)", fault, duration) {
        try await MigrationActionScenario($0, action)
      }
    }
  }

  /// Finds the places by their results: the later ones are after the transaction.
  @Test
  func `what fails after the migrations have taken effect is a note, and no failure`() async throws
  {
    let vfs = try FaultVFS(name: "sweep-\(UUID().uuidString)")
    let whole = try await DataMigrationScenario(vfs, .noRoom)
    vfs.resetCounts()
    #expect(try await whole.migrate()?.notes == [])
    let targets = vfs.operationCount(for: .noRoom)
    var (failed, noted) = (0, 0)
    for point in 0..<8 {
      vfs.heal()
      vfs.forgetFiles()
      let scenario = try await DataMigrationScenario(vfs, .noRoom)
      vfs.resetCounts()
      vfs.inject(.noRoom, after: point * targets / 8, times: .sticky)
      let report = try await scenario.migrate()
      vfs.heal()
      #expect(try await scenario.check(scenario.path, "\(point)") == (report == nil ? 0 : 2))
      if report == nil { failed += 1 }
      if let notes = report?.notes, !notes.isEmpty {
        noted += 1
        #expect(notes.allSatisfy { !$0.hasSuffix(".") }, "\(notes)")
      }
    }
    #expect(failed > 0 && noted > 0, "\(failed) failed, \(noted) noted")
  }
}
