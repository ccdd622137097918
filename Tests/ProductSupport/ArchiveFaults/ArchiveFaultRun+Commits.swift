import Foundation
import Strata
import StrataArchive
import StrataArchiving
import StrataBase
import StrataJournal
import StrataPersistence
import StrataStorage
import TestSupport

/// What processes do that lead, or believe so.
extension ArchiveFaultRun {
  /// Every process that leads, or believes so, commits.
  func work() async throws {
    try await noteTakeovers()
    for machine in machines.indices {
      guard case .leader(let leader) = machines[machine].process else { continue }
      for _ in 0..<number(below: 4) { commit(leader) }
      if number(below: 3) != 0 { try await commitReplicated(leader, within: .milliseconds(30)) }
      noteReplicated(leader)
    }
    if number(below: 3) == 0 { try await Scheduling.sleep(for: .milliseconds(number(below: 30))) }
  }

  private func nextCommit() -> Int {
    lastCommit += 1
    return lastCommit
  }

  private nonisolated func add(_ commit: Int, of leader: Leader, to state: inout LibraryState) {
    CommitTrail.add(commit, as: leader.persistence.revision.next.number, to: &state.db)
    leader.build.note(commit, in: &state)
  }

  /// Whether the commit was accepted.
  @discardableResult
  func commit(_ leader: Leader) -> Bool {
    let commit = nextCommit()
    do {
      // A place of its own: that of this line would be stored, and change what a seed does whenever the line moves.
      try leader.store.commit(
        "commit",
        fileID: "TestSupport/ArchiveFaultRun.swift",
        function: "commit(_:)",
        line: 847
      ) { state throws in add(commit, of: leader, to: &state) }
      summary.commits += 1
      return true
    } catch {
      if case .notLeading? = (error as? PersistenceError)?.archive?.reason { return false }
      note("\(error)")
      return false
    }
  }

  /// Whether the archive has it.
  @discardableResult
  func commitReplicated(_ leader: Leader, within limit: Duration) async throws -> Bool {
    let commit = nextCommit()
    do {
      try await leader.store.commitDurably(
        "replicated",
        until: .replicated(within: limit),
        fileID: "TestSupport/ArchiveFaultRun.swift",
        function: "commitReplicated(_:within:)",
        line: 862
      ) { state in
        add(commit, of: leader, to: &state)
      }
      summary.commits += 1
      acknowledged.insert(commit)
      return true
    } catch let error as PersistenceError {
      guard case .notLeading? = error.archive?.reason else { throw error }
    } catch let error as DurabilityError {
      guard error.outcome == .notReplicated || machines[leader.machine].mayFail else { throw error }
      summary.commits += 1
    }
    return false
  }

  func isLeading(_ leader: Leader) -> Bool {
    if case .notLeading = leader.persistence.status.archive?.condition { return false }
    return true
  }
}
