import Foundation
import Strata
import StrataBase
import StrataPersistence
import StrataStorage
import TestSupport
import Testing

/// Leaders, followers and an archive, to which faults happen at random.
///
/// Threads and timers take part, so a seed does not determine a run: `Scripts/torture` runs it, and the suite does not.
@Suite(.enabled(if: ArchiveFaultRun.isWanted, "STRATA_ARCHIVE_FAULTS is not set"))
struct ArchiveFaultTests {
  /// The number of faults in each archive.
  static let faults = loopCount("STRATA_ARCHIVE_FAULTS", 60)
  /// The number of faults in one life of an archive.
  static let faultsOfLife = 60

  enum Kind: CaseIterable {
    case memory
    case folder

    func place(in directory: TemporaryDirectory) -> any ArchivePlace {
      switch self {
      case .memory: MemoryPlace()
      case .folder: FolderPlace(in: directory)
      }
    }
  }

  @Test(arguments: Kind.allCases)
  func `no fault loses what is replicated, or loses anything in silence`(
    _ kind: Kind
  ) async throws {
    let first = UInt64.random(in: 0..<1 << 32)
    let started = ContinuousClock.now
    var total = ArchiveFaultRun.Summary()
    var seed = first
    var rest = Self.faults
    while rest > 0 {
      let directory = try TemporaryDirectory()
      let run = ArchiveFaultRun(seed: seed, in: kind.place(in: directory), directory)
      total += try await run.run(faults: min(rest, Self.faultsOfLife))
      rest -= Self.faultsOfLife
      seed += 1
    }
    #expect(total.problems.isEmpty, "\(total.report)")
    printStatistics("\(kind): \(total.text(since: started)); seeds from \(first)")
  }

  @Test(arguments: [MemoryArchive.Fence.on, .off])
  func `what a stopped leader sends later is lost, or noticed where there is no fence`(
    _ fence: MemoryArchive.Fence
  ) async throws {
    let directory = try TemporaryDirectory()
    let run = ArchiveFaultRun(seed: 1, in: MemoryPlace(fence: fence), directory)
    let summary = try await run.runStoppedLeader()
    // One commit of the second leader was acknowledged.
    #expect(summary.problems.count == (fence == .on ? 0 : 1), "\(summary.report)")
  }

  @Test(arguments: Kind.allCases)
  func `the file beside a leader in memory names what the archive has lost`(
    _ kind: Kind
  ) async throws {
    let directory = try TemporaryDirectory()
    let run = ArchiveFaultRun(seed: 1, in: kind.place(in: directory), directory)
    let summary = try await run.runLeaderInMemory()
    #expect(summary.problems.isEmpty, "\(summary.report)")
    #expect(summary.lostByArchive == 1)
    #expect(summary.setAside == 1)
  }
}
