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
  /// Opening, appending, a snapshot, trimming, freeing pages, closing.
  @Test(arguments: DiskFault.allCases, FaultDuration.allCases)
  func `wherever a fault strikes, nothing is lost and the store catches up`(
    fault: DiskFault,
    duration: FaultDuration
  ) async throws {
    try await FaultSweep.run("a store's lifecycle", fault, duration) {
      try await LifecycleScenario($0)
    }
  }

  /// The same for only the head and the lock, so that a short sweep meets them too.
  @Test(arguments: DiskFault.allCases, FaultDuration.allCases)
  func `a fault of the head or the lock loses nothing, and the store catches up`(
    fault: DiskFault,
    duration: FaultDuration
  ) async throws {
    try await FaultSweep.run("head and lock", in: .own, fault, duration) {
      try await LifecycleScenario($0)
    }
  }

  @Test(arguments: DiskFault.allCases, FaultDuration.allCases)
  func `a fault while a store is made leaves none, or a whole one`(
    fault: DiskFault,
    duration: FaultDuration
  ) async throws {
    try await FaultSweep.run("the creation of a store", fault, duration) {
      try CreationScenario($0)
    }
  }

  @Test(arguments: DiskFault.allCases, FaultDuration.allCases)
  func `a fault while files are set aside or put back leaves them to be completed`(
    fault: DiskFault,
    duration: FaultDuration
  ) async throws {
    try await FaultSweep.run("quarantine", in: .own, fault, duration) {
      try await QuarantineScenario($0)
    }
  }

  @Test(arguments: DiskFault.allCases, FaultDuration.allCases)
  func `a fault during a salvage costs nothing that can be verified`(
    fault: DiskFault,
    duration: FaultDuration
  ) async throws {
    try await FaultSweep.run("a salvage", fault, duration) { try await SalvageScenario($0) }
  }

  @Test(arguments: DiskFault.allCases, FaultDuration.allCases)
  func `a fault during a backup or its bringing back leaves no half of one`(
    fault: DiskFault,
    duration: FaultDuration
  ) async throws {
    try await FaultSweep.run("a backup and its restore", fault, duration) {
      try await BackupScenario($0)
    }
  }

  /// The same for only the store's own files, so that a short sweep meets them too.
  @Test(arguments: DiskFault.allCases, FaultDuration.allCases)
  func `a fault of a backup's own files leaves no half of one`(
    fault: DiskFault,
    duration: FaultDuration
  ) async throws {
    try await FaultSweep.run("a backup's own files", in: .own, fault, duration) {
      try await BackupScenario($0)
    }
  }

  @Test(arguments: DiskFault.allCases, FaultDuration.allCases)
  func `a fault during an erasure leaves the store as it was, or erased`(
    fault: DiskFault,
    duration: FaultDuration
  ) async throws {
    try await FaultSweep.run("an erasure", fault, duration) { try await ErasureScenario($0) }
  }

  /// The same for only the store's own files, so that a short sweep meets them too.
  @Test(arguments: DiskFault.allCases, FaultDuration.allCases)
  func `a fault of an erasure's own files leaves the store as it was, or erased`(
    fault: DiskFault,
    duration: FaultDuration
  ) async throws {
    try await FaultSweep.run("an erasure's own files", in: .own, fault, duration) {
      try await ErasureScenario($0)
    }
  }
}
