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
    _ report: RestoreReport,
    _ database: LibraryDatabase,
    of machine: Int
  ) async throws {
    guard let trail = CommitTrail(database) else {
      return note("what machine \(machine) restored lacks commits, or has some twice")
    }
    let kept = machines[machine].kept
    machines[machine].kept = trail
    let setAside = report.archive?.allSetAside ?? []
    let wasSpoilt = machines[machine].isSpoilt
    // The file is another one.
    if report.loss?.damage != nil || !setAside.isEmpty { machines[machine].isSpoilt = false }
    if trail.continues(kept) { return }
    if let loss = report.loss { return check(loss, of: kept, beside: trail) }
    if setAside.isEmpty {
      return note(
        """
        machine \(machine) had \(kept), now has \(trail), and no report says where the others are
        """
      )
    }
    // It may not be readable.
    if wasSpoilt { return reported.formUnion(kept.commits) }
    var named: [CommitTrail] = []
    for setAside in setAside { named.append(try await self.named(setAside, beside: trail)) }
    if !named.contains(where: { $0.continues(kept) }) {
      note("machine \(machine) had \(kept), what was moved aside has \(named)")
    }
  }

  /// Checks that a damaged file has lost no more than what was named.
  private func check(_ loss: RestoreLoss, of kept: CommitTrail, beside trail: CommitTrail) {
    let lost = kept.revisions[kept.common(trail)]
    if loss.revisions.map({ $0.lowerBound.number > lost }) ?? true {
      note("revision \(lost) was in a damaged file, and the loss is \(loss)")
    }
    reported.formUnion(kept.commits)
  }

  /// What a file has that was moved aside.
  ///
  /// - Parameter trail: The history; nil where it is not known.
  func named(
    _ setAside: ArchiveReport.SetAside,
    beside trail: CommitTrail?
  ) async throws -> CommitTrail {
    let path = setAside.quarantine.directory + "/app.strata"
    let (named, last) = try await contents(ofFileAt: path)
    if let revisions = setAside.revisions, let trail {
      let lost = named.revisions.dropFirst(named.common(trail)).first ?? Int(last.number)
      if revisions.upperBound != last || revisions.lowerBound.number > lost {
        note("the revisions \(revisions) were named, not those from \(lost) to \(last)")
      }
    }
    reported.formUnion(named.commits)
    summary.setAside += 1
    return named
  }
}
