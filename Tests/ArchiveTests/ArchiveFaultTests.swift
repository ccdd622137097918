import Foundation
import ProductSupport
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
    let total = try await ArchiveFaultRun.run("\(kind)") { kind.place(in: $0) }
    #expect(total.problems.isEmpty, "\(total.report)")
  }

  @Test(arguments: [MemoryArchive.Fence.on, .off])
  func `what a stopped leader sends later is lost, or noticed where there is no fence`(
    _ fence: MemoryArchive.Fence
  ) async throws {
    let directory = try TemporaryDirectory()
    let run = try ArchiveFaultRun(seed: 1, in: MemoryPlace(fence: fence), directory)
    let summary = try await run.runStoppedLeader()
    // One commit of the second leader was acknowledged.
    #expect(summary.problems.count == (fence == .on ? 0 : 1), "\(summary.report)")
  }

  @Test(arguments: Kind.allCases)
  func `the file beside a leader in memory names what the archive has lost`(
    _ kind: Kind
  ) async throws {
    let directory = try TemporaryDirectory()
    let run = try ArchiveFaultRun(seed: 1, in: kind.place(in: directory), directory)
    let summary = try await run.runLeaderInMemory()
    #expect(summary.problems.isEmpty, "\(summary.report)")
    #expect(summary.lostByArchive == 1)
    #expect(summary.setAside == 1)
  }
}
