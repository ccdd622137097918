import Foundation
import Strata
import StrataPersistence
import StrataStorage
import TestSupport
import Testing

/// A fault at one I/O after the other of a scenario, of SQLite and of this library.
///
/// Each run of a scenario makes the same I/O, so the fault strikes in every run that is long enough.
struct FaultSweepTests {
  /// The number of I/Os to strike with each kind of fault; if there are fewer, each is struck.
  static let points = loopCount("STRATA_FAULTS", 2)

  /// Opening, appending, a snapshot, trimming, freeing pages, closing.
  @Test(arguments: DiskFault.allCases, FaultDuration.allCases)
  func `wherever a fault strikes, nothing is lost and the store catches up`(
    fault: DiskFault,
    duration: FaultDuration
  ) async throws {
    try await sweep("a store's lifecycle", fault, duration) { try await LifecycleScenario($0) }
  }

  /// The same for only the head and the lock, so that a short sweep meets them too.
  @Test(arguments: DiskFault.allCases, FaultDuration.allCases)
  func `a fault of the head or the lock loses nothing, and the store catches up`(
    fault: DiskFault,
    duration: FaultDuration
  ) async throws {
    try await sweep("head and lock", in: .own, fault, duration) { try await LifecycleScenario($0) }
  }

  @Test(arguments: DiskFault.allCases, FaultDuration.allCases)
  func `a fault while a store is made leaves none, or a whole one`(
    fault: DiskFault,
    duration: FaultDuration
  ) async throws {
    try await sweep("the creation of a store", fault, duration) { try CreationScenario($0) }
  }

  @Test(arguments: DiskFault.allCases, FaultDuration.allCases)
  func `a fault while files are set aside or put back leaves them to be completed`(
    fault: DiskFault,
    duration: FaultDuration
  ) async throws {
    try await sweep("quarantine", in: .own, fault, duration) { try await QuarantineScenario($0) }
  }

  @Test(arguments: DiskFault.allCases, FaultDuration.allCases)
  func `a fault during a salvage costs nothing that can be verified`(
    fault: DiskFault,
    duration: FaultDuration
  ) async throws {
    try await sweep("a salvage", fault, duration) { try await SalvageScenario($0) }
  }

  @Test(arguments: DiskFault.allCases, FaultDuration.allCases)
  func `a fault during a backup or its bringing back leaves no half of one`(
    fault: DiskFault,
    duration: FaultDuration
  ) async throws {
    try await sweep("a backup and its restore", fault, duration) { try await BackupScenario($0) }
  }

  /// The same for only the store's own files, so that a short sweep meets them too.
  @Test(arguments: DiskFault.allCases, FaultDuration.allCases)
  func `a fault of a backup's own files leaves no half of one`(
    fault: DiskFault,
    duration: FaultDuration
  ) async throws {
    try await sweep("a backup's own files", in: .own, fault, duration) {
      try await BackupScenario($0)
    }
  }

  @Test(arguments: DiskFault.allCases, FaultDuration.allCases)
  func `a fault during an erasure leaves the store as it was, or erased`(
    fault: DiskFault,
    duration: FaultDuration
  ) async throws {
    try await sweep("an erasure", fault, duration) { try await ErasureScenario($0) }
  }

  /// The same for only the store's own files, so that a short sweep meets them too.
  @Test(arguments: DiskFault.allCases, FaultDuration.allCases)
  func `a fault of an erasure's own files leaves the store as it was, or erased`(
    fault: DiskFault,
    duration: FaultDuration
  ) async throws {
    try await sweep("an erasure's own files", in: .own, fault, duration) {
      try await ErasureScenario($0)
    }
  }

  @Test(arguments: DiskFault.allCases, FaultDuration.allCases)
  func `a fault while data is migrated leaves all of the migrations or none, and says which`(
    fault: DiskFault,
    duration: FaultDuration
  ) async throws {
    try await sweep("a run of migrations", fault, duration) {
      try await DataMigrationScenario($0, fault)
    }
  }

  @Test(arguments: [MigrationAction.down, .restore, .fork, .stragglers], DiskFault.allCases)
  func `a fault on the way back from migrations leaves it done or not, and nothing beside`(
    action: MigrationAction,
    fault: DiskFault
  ) async throws {
    for duration in FaultDuration.allCases {
      try await sweep("\(action)", fault, duration) {
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

  private func sweep(
    _ name: String,
    in kind: FileKind? = nil,
    _ fault: DiskFault,
    _ duration: FaultDuration,
    _ makeScenario: (FaultVFS) async throws -> any FaultScenario
  ) async throws {
    let vfs = try FaultVFS(name: "sweep-\(UUID().uuidString)")
    let scenario = try await makeScenario(vfs)
    vfs.resetCounts()
    try await scenario.run("no fault")
    let targets = vfs.operationCount(for: fault, in: kind)
    #expect(targets > 0)
    let tried = min(targets, Self.points)
    var struck = 0
    for point in 0..<tried {
      let passing = point * targets / tried
      vfs.heal()
      vfs.forgetFiles()
      let scenario = try await makeScenario(vfs)
      vfs.resetCounts()
      vfs.inject(fault, in: kind, after: passing, times: duration)
      try await scenario.run("\(fault) \(duration) after \(passing)")
      if vfs.failureCount > 0 { struck += 1 }
      // A run may make slightly less I/O than the first one, if maintenance was sliced differently.
      let isMet = vfs.failureCount > 0 || vfs.operationCount(for: fault, in: kind) <= passing
      #expect(isMet, "\(fault) \(duration) after \(passing) met nothing")
    }
    printStatistics(
      "\(name): \(fault) \(duration) at \(tried) of \(targets) I/Os, struck in \(struck) runs"
    )
  }
}

/// A sequence of operations on a disk that may fail at any moment.
protocol FaultScenario {
  /// Runs the operations, heals the disk, and checks the result.
  func run(_ place: String) async throws
}
