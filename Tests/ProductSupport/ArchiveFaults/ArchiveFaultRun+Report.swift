import Foundation
import Strata
import StrataArchive
import StrataArchiving
import StrataJournal
import StrataPersistence
import StrataStorage
package import TestSupport

/// What happened, for a person.
extension ArchiveFaultRun {
  /// What happened.
  package struct Summary: Sendable {
    package var faults: [String: Int] = [:]
    package var commits = 0
    package var acknowledged = 0
    package var lostByArchive = 0
    package var leaderships = 0
    package var rewinds = 0
    package var setAside = 0
    package var erased = 0
    package var observations = 0
    /// What was promised and is not so.
    package var problems: [String] = []
    /// The steps of the lives that had problems.
    package var steps: [String] = []

    package init() {}

    package static func += (total: inout Summary, run: Summary) {
      total.faults.merge(run.faults, uniquingKeysWith: +)
      total.commits += run.commits
      total.acknowledged += run.acknowledged
      total.lostByArchive += run.lostByArchive
      total.leaderships += run.leaderships
      total.rewinds += run.rewinds
      total.setAside += run.setAside
      total.erased += run.erased
      total.observations += run.observations
      total.problems += run.problems
      if !run.problems.isEmpty { total.steps += run.steps }
    }

    /// The problems, and the steps that led to them.
    package var report: String {
      (problems + ["The steps:"] + steps).joined(separator: "\n")
    }

    /// The numbers, for a person.
    package func text(since start: ContinuousClock.Instant) -> String {
      let seconds = (ContinuousClock.now - start) / .seconds(1)
      let kinds = faults.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
      return """
        \(faults.values.reduce(0, +)) faults in \(Int(seconds)) s (\(kinds.joined(separator: ", "))); \
        \(commits) commits, \(acknowledged) acknowledged as replicated, \(lostByArchive) of them lost by the \
        archive and shipped again or named; \(leaderships) leaderships, \(setAside) files moved aside, \
        \(rewinds) rewinds, \(observations) states of followers, \(erased) secrets erased everywhere
        """
    }
  }

  /// Whether a long run asks for faults.
  package static var isWanted: Bool {
    ProcessInfo.processInfo.environment["STRATA_ARCHIVE_FAULTS"] != nil
  }

  /// Makes `STRATA_ARCHIVE_FAULTS` faults happen, 60 in each of several archives.
  package static func run(
    _ name: String,
    in place: (TemporaryDirectory) throws -> any ArchivePlace
  ) async throws -> Summary {
    let first = randomSeed()
    let faults = loopCount("STRATA_ARCHIVE_FAULTS", 60)
    let started = ContinuousClock.now
    var total = Summary()
    for (life, done) in stride(from: 0, to: faults, by: 60).enumerated() {
      let directory = try TemporaryDirectory()
      let run = try ArchiveFaultRun(seed: first + UInt64(life), in: try place(directory), directory)
      total += try await run.run(faults: min(faults - done, 60))
    }
    printStatistics("\(name): \(total.text(since: started)); seeds from \(first)")
    return total
  }

  func note(_ problem: String) {
    summary.problems.append("seed \(seed): \(problem)")
    step("PROBLEM: \(problem)")
  }

  func step(_ text: String) { summary.steps.append(text) }

  func step(_ fault: String, _ machine: Int?) {
    summary.faults[fault, default: 0] += 1
    step("\(fault) \(machine.map { "on \($0)" } ?? "")")
  }

  /// How the machines are, and the archive.
  func noteStates() async throws {
    let head = try? await place.direct().head()
    let states = machines.map { machine in
      switch machine.process {
      case nil: "-"
      case .leader(let leader):
        """
        leads \(leader.isTemporary ? "in memory " : "")\(leader.persistence.revision) of \(CommitTrail.last(of: leader.store.state.db)) \
        \(leader.persistence.status.archive?.condition.description.withoutTemporaryPath.prefix(60) ?? "")
        """
      case .follower(let following):
        "follows \(following.isTemporary ? "in memory " : "")\(following.follower.revision) of \(CommitTrail.last(of: following.store.state.db))"
      }
    }
    step(
      "  \(states) archive \(head.map { "\($0.mark.revision) epoch \($0.epoch) \($0.lease)" } ?? "none")"
    )
  }
}
