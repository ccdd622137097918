import Foundation
import Strata
import StrataArchive
import StrataJournal
import StrataPersistence
import StrataStorage

/// The promise: what a file had is there, or is in a file that a report names.
extension ArchiveFaultRun {
  /// Checks that what a machine's file had is there, or was moved aside and named.
  func check(
    _ setAside: ArchiveReport.SetAside?,
    _ database: LibraryDatabase,
    of machine: Int
  ) async throws {
    guard let trail = CommitTrail(database) else {
      return note("what machine \(machine) restored lacks commits, or has some twice")
    }
    let kept = machines[machine].kept
    machines[machine].kept = trail
    if trail.continues(kept) { return }
    guard let setAside else {
      return note(
        """
        machine \(machine) had \(kept), now has \(trail), and no report says where the others are
        """
      )
    }
    let named = try await named(setAside, beside: trail)
    if !named.continues(kept) {
      note("machine \(machine) had \(kept), what was moved aside has \(named)")
    }
  }

  /// What a file has that was moved aside.
  func named(
    _ setAside: ArchiveReport.SetAside,
    beside trail: CommitTrail
  ) async throws -> CommitTrail {
    let named = try await self.trail(ofFileAt: setAside.quarantine.directory + "/app.strata")
    let common = Int64(named.common(trail))
    if let revisions = setAside.revisions {
      let last = Revision(Int64(named.commits.count))
      if revisions.upperBound != last || revisions.lowerBound > Revision(common).next {
        note("the revisions \(revisions) were named, not those from \(common + 1) to \(last)")
      }
    }
    reported.formUnion(named.commits)
    summary.setAside += 1
    return named
  }
}
