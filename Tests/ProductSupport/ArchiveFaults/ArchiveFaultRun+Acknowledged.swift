import Strata
import StrataJournal
import StrataPersistence
import StrataStorage
import TestSupport

/// The promise: what was acknowledged as replicated is in the archive, or the archive lost it by itself and it is named.
extension ArchiveFaultRun {
  /// What the status says to be replicated is acknowledged, too.
  func noteReplicated(_ leader: Leader) {
    guard let trail = CommitTrail(leader.store.state.db) else {
      return note("the store of a leader lacks commits, or has some twice")
    }
    let replicated = leader.persistence.status.revisions.replicated?.number ?? 0
    acknowledged.formUnion(trail.through(replicated).commits)
  }

  /// What the archive has lost by itself before, leaders may not have sent again.
  func check(acknowledgedIn archived: CommitTrail) {
    for commit in acknowledged.subtracting(archived.commits).subtracting(lostByArchive).sorted() {
      note("commit \(commit) was acknowledged as replicated and is not in the archive")
    }
  }

  /// Checks that the final history has what was acknowledged.
  func checkAcknowledged(in final: CommitTrail) {
    let known = Set(final.commits)
    for commit in acknowledged.subtracting(known).sorted() {
      if !lostByArchive.contains(commit) {
        note("commit \(commit) was acknowledged as replicated and is lost")
      } else if !reported.contains(commit) {
        note("commit \(commit) was acknowledged, the archive lost it, and no report names it")
      }
    }
    summary.acknowledged = acknowledged.count
    summary.lostByArchive = lostByArchive.count
  }
}
