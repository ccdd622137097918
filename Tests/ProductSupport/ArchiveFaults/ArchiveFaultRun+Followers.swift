import Strata
import StrataArchive
import StrataArchiving
import StrataJournal
import StrataPersistence

/// The promise: what followers show was the history, unless the archive lost it; and they say when they take it back.
extension ArchiveFaultRun {
  /// Checks that a follower said so when it took commits back; it has been closed, or leads.
  ///
  /// Returns what its file has of the commits that it showed: none once an event has named the file as moved aside. One that
  /// waits for a migration goes on showing them.
  func checkFollower(
    _ following: Following,
    showing trail: CommitTrail,
    of machine: Int
  ) async throws -> CommitTrail {
    let followed = following.followed
    let events = await followed.end()
    let observations = followed.observations
    summary.observations += observations.count
    var rewinds = 0
    var (namesStart, kept) = (false, trail)
    for event in events {
      switch event {
      case .rewound:
        rewinds += 1
        kept = trail
      case .setAside(let setAside):
        if machines[machine].isSpoilt {
          // It may not be readable.
          reported.formUnion(followed.start.commits)
          namesStart = true
          continue
        }
        // One that waits for a migration shows nothing of the history.
        let history = trail.commits.isEmpty ? nil : trail
        let named = try await named(setAside, of: machine, beside: history)
        if named?.continues(followed.start) ?? true { namesStart = true }
        if named?.continues(trail) ?? true { kept = CommitTrail() }
      default: break
      }
    }
    summary.rewinds += rewinds
    if observations.allSatisfy({ trail.shows($0) }), trail.continues(followed.start) {
      return kept
    }
    if rewinds == 0 {
      note("a follower on machine \(machine) took commits back and sent no event")
    }
    if !following.isTemporary, !trail.continues(followed.start), !namesStart {
      note(
        """
        a follower on machine \(machine) began with \(followed.start), has \(trail), and no event names \
        the file that was moved aside
        """
      )
    }
    return kept
  }

  /// Checks that the final history has what followers showed.
  func checkFollowed(in final: CommitTrail) {
    for followed in followed {
      for observation in Set(followed.observations) {
        // What its own file had when it started is not the archive's.
        if final.shows(observation) || followed.start.shows(observation) { continue }
        if lostByArchive.contains(observation.last) { continue }
        note("a follower showed commit \(observation.last), which is not part of the history")
      }
    }
  }
}
