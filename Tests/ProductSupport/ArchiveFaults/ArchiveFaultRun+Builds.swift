import Foundation
import Strata
import StrataArchive
import StrataArchiving
import StrataJournal
import StrataMigrating
import StrataPersistence
import StrataStorage
import TestSupport

/// Builds of the program: in some runs a machine gets a newer one, whose migration the next leader runs, or an older one.
extension ArchiveFaultRun {
  /// The build that all machines begin with.
  static func firstBuild(seed: UInt64) -> ProgramBuild {
    var random = SeededGenerator(seed: seed ^ 0xB01D)
    return random.next() % 3 == 0 ? .first : .only
  }

  /// At times the next process of a machine is one of another build.
  func changeBuild(_ number: Int) {
    var random = SeededGenerator(seed: seed ^ 0xB01D, step: number)
    guard machines[0].build != .only, random.next() % 6 == 0 else { return }
    let machine = Int(random.next() % UInt64(machines.count))
    let build: ProgramBuild = random.next() % 4 == 0 ? .first : .second
    guard build != machines[machine].build else { return }
    step(build == .second ? "newer build" : "older build", machine)
    machines[machine].build = build
  }

  /// Notes that a process may run the migration.
  func noteMayMigrate(_ build: ProgramBuild) {
    if build == .second { mayBeMigrated = true }
  }

  /// Whether a process is refused as it should be: another one has run a migration that it does not know.
  func isOlderBuild(_ error: PersistenceError) -> Bool {
    error.olderBuild != nil && mayBeMigrated
  }

  /// Checks what a state has beside its database.
  func checkValue(_ state: LibraryState, _ build: ProgramBuild, of machine: Int) {
    let last = CommitTrail.last(of: state.db)
    guard let noted = build.noted(in: state), noted != last else { return }
    note("machine \(machine) has commit \(noted) beside its database, which ends with \(last)")
  }

  /// Notes what a follower did with its file that waits for a migration, and has restored nothing of it.
  func checkWaiting(_ report: RestoreReport, of machine: Int) async throws {
    if machines[machine].build != .second {
      note("machine \(machine) waits for a migration that its build does not list")
    }
    let kept = machines[machine].kept
    machines[machine].kept = CommitTrail()
    // It may not be readable, now or when it is moved aside.
    if machines[machine].isSpoilt { return reported.formUnion(kept.commits) }
    for setAside in report.archive?.allSetAside ?? [] {
      _ = try await named(setAside, of: machine, beside: nil)
    }
  }

  /// All machines get the newest build that one had; processes of the older one end.
  func finishBuilds() async throws {
    let isWanted = machines.contains { $0.build == .second || $0.process?.build == .second }
    guard isWanted || mayBeMigrated else { return }
    for machine in machines.indices {
      machines[machine].build = .second
      if machines[machine].process?.build == .first { try await close(machine) }
    }
  }
}

extension ArchiveFaultRun.Process {
  var build: ProgramBuild {
    switch self {
    case .leader(let leader): leader.build
    case .follower(let following): following.build
    }
  }
}
