import Foundation
import Strata
import StrataArchive
import StrataArchiving
import StrataJournal
import StrataPersistence
import StrataStorage
import TestSupport

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
    if report.loss?.damage != nil || !setAside.isEmpty { noteNewFile(of: machine) }
    if report.loss?.damage != nil { machines[machine].isSalvaged = true }
    var named: [CommitTrail?] = []
    for setAside in wasSpoilt ? [] : setAside {
      named.append(try await self.named(setAside, of: machine, beside: trail))
    }
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
    if wasSpoilt || named.contains(nil) { return reported.formUnion(kept.commits) }
    if !named.compactMap(\.self).contains(where: { $0.continues(kept) }) {
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

  /// What a file has that was moved aside; nil if it cannot be read because its medium had changed it.
  ///
  /// - Parameter trail: The history; nil where it is not known.
  func named(
    _ setAside: ArchiveReport.SetAside,
    of machine: Int,
    beside trail: CommitTrail?
  ) async throws -> CommitTrail? {
    let path = setAside.quarantine.directory + "/app.strata"
    if machines[machine].wasSpoilt, !isSound(path) { return nil }
    let (named, last) = try await contents(ofFileAt: path)
    if let revisions = setAside.revisions, let trail {
      let lost = Array(zip(named.commits, named.revisions)).dropFirst(named.common(trail))
      // An archive that went back between two openings has lost more than the first one of them saw.
      let untold = lost.prefix { $0.1 < revisions.lowerBound.number }.map(\.0)
      if revisions.upperBound != last || !lostByArchive.isSuperset(of: untold) {
        let first = lost.first?.1 ?? Int(last.number)
        note("the revisions \(revisions) were named, not those from \(first) to \(last)")
      }
    }
    reported.formUnion(named.commits)
    summary.setAside += 1
    return named
  }
}
