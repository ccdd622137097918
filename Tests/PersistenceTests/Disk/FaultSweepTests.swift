import Foundation
import Strata
import StrataPersistence
import StrataStorage
import TestSupport
import Testing

/// A fault at one I/O after the other of a life of a store, SQLite's and our own.
///
/// Each life asks the disk for the same, so the fault strikes in every one that is long enough.
struct FaultSweepTests {
  /// At how many I/Os for each kind of fault; more than there are means at each.
  static let points = loopCount("STRATA_FAULTS", 6)

  /// Opening, appending, a snapshot, trimming, giving pages back, closing.
  @Test(arguments: DiskFault.allCases, FaultDuration.allCases)
  func `wherever a fault strikes, nothing is lost and the store catches up`(
    fault: DiskFault,
    duration: FaultDuration
  ) async throws {
    try await sweep("a store's life", fault, duration) { try await StoreLife($0) }
  }

  /// The same at the head and the lock alone, so that a short sweep meets them too.
  @Test(arguments: DiskFault.allCases, FaultDuration.allCases)
  func `a fault of the head or the lock loses nothing, and the store catches up`(
    fault: DiskFault,
    duration: FaultDuration
  ) async throws {
    try await sweep("head and lock", in: .own, fault, duration) { try await StoreLife($0) }
  }

  @Test(arguments: DiskFault.allCases, FaultDuration.allCases)
  func `a fault while a store is made leaves none, or a whole one`(
    fault: DiskFault,
    duration: FaultDuration
  ) async throws {
    try await sweep("the making of a store", fault, duration) { try CreationLife($0) }
  }

  @Test(arguments: DiskFault.allCases, FaultDuration.allCases)
  func `a fault while files are set aside or put back leaves them to be completed`(
    fault: DiskFault,
    duration: FaultDuration
  ) async throws {
    try await sweep("setting aside", in: .own, fault, duration) { try await SettingAsideLife($0) }
  }

  @Test(arguments: DiskFault.allCases, FaultDuration.allCases)
  func `a fault during a salvage costs nothing that can be proved`(
    fault: DiskFault,
    duration: FaultDuration
  ) async throws {
    try await sweep("a salvage", fault, duration) { try await SalvageLife($0) }
  }

  @Test(arguments: DiskFault.allCases, FaultDuration.allCases)
  func `a fault during a backup or its bringing back leaves no half of one`(
    fault: DiskFault,
    duration: FaultDuration
  ) async throws {
    try await sweep("a backup and back", fault, duration) { try await BackupLife($0) }
  }

  /// The same at the store's own files alone, so that a short sweep meets them too.
  @Test(arguments: DiskFault.allCases, FaultDuration.allCases)
  func `a fault of a backup's own files leaves no half of one`(
    fault: DiskFault,
    duration: FaultDuration
  ) async throws {
    try await sweep("a backup's own files", in: .own, fault, duration) { try await BackupLife($0) }
  }

  private func sweep(
    _ name: String,
    in kind: FileKind? = nil,
    _ fault: DiskFault,
    _ duration: FaultDuration,
    _ makeLife: (FaultVFS) async throws -> any FaultedLife
  ) async throws {
    let vfs = try FaultVFS(name: "sweep-\(UUID().uuidString)")
    let life = try await makeLife(vfs)
    vfs.resetCounts()
    try await life.run("no fault")
    let targets = vfs.operationCount(for: fault, in: kind)
    #expect(targets > 0)
    let tried = min(targets, Self.points)
    var struck = 0
    for point in 0..<tried {
      let passing = point * targets / tried
      vfs.heal()
      vfs.forgetFiles()
      let life = try await makeLife(vfs)
      vfs.resetCounts()
      vfs.inject(fault, in: kind, after: passing, times: duration)
      try await life.run("\(fault) \(duration) after \(passing)")
      if vfs.failureCount > 0 { struck += 1 }
      // A life may ask a little less than the first one did, where slices of maintenance fell otherwise.
      let isMet = vfs.failureCount > 0 || vfs.operationCount(for: fault, in: kind) <= passing
      #expect(isMet, "\(fault) \(duration) after \(passing) met nothing")
    }
    printStatistics(
      "\(name): \(fault) \(duration) at \(tried) of \(targets) I/Os, struck in \(struck) lives"
    )
  }
}

/// Something that is done on a disk that may fail at any moment.
protocol FaultedLife {
  /// Does it, lets the disk work again, and sees that all is as it must be.
  func run(_ place: String) async throws
}
