import Foundation
import Strata
import StrataArchive
import StrataArchiving
import StrataBase
import StrataJournal
import StrataPersistence
import StrataStorage
package import TestSupport

/// Machines that share an archive, to which faults happen; and the checker of what is promised.
///
/// Each commit has a number of its own and names the one before it, so every state shows its whole history
/// (``CommitTrail``). It is checked that
///
/// - each commit that was acknowledged as replicated is in the final history, unless the archive itself lost it by
///   going back, and then the file of its leader named it when it was moved aside;
/// - each state of a follower was one of the final history, unless the archive lost it; one that still follows was
///   told of the rewind;
/// - each commit of a file that is not part of the history is in a file that a report named, with the right revisions: every
///   file is opened once more at the end;
/// - what was erased, and replicated after that, is in no byte of the archive, and in no file of a machine that was not
///   moved aside;
/// - the archive can be restored, byte by byte sound, and every follower gets there.
///
/// One fault happens at a time, so the seed determines the faults. With real threads and timers it does not determine all
/// that follows from them; in a simulation, it does.
package actor ArchiveFaultRun {
  let seed: UInt64
  var random: SeededGenerator
  let place: any ArchivePlace
  let directory: TemporaryDirectory
  var machines: [Machine]
  /// The links of processes that have ended, whose messages may still arrive.
  var formerLinks: [FaultyArchive] = []
  var lastCommit = 0
  /// Whether a process that knows the migration has tried to lead.
  var mayBeMigrated = false
  /// How many followers had a file of their own in memory.
  var filesInMemory = 0
  var acknowledged: Set<Int> = []
  /// What the archive had and lost by itself.
  var lostByArchive: Set<Int> = []
  /// The commits whose secret was erased, and whose erasure the archive has confirmed.
  var erased: Set<Int> = []
  /// The commits in files that were moved aside and named.
  var reported: Set<Int> = []
  /// What followers showed.
  var followed: [Followed] = []
  package internal(set) var summary = Summary()

  /// What is wrong with the archive; nil for one that works.
  let bug: PlantedArchive.Bug?

  /// A run with three machines.
  package init(
    seed: UInt64,
    in place: any ArchivePlace,
    _ directory: TemporaryDirectory,
    bug: PlantedArchive.Bug? = nil
  ) throws {
    self.seed = seed
    self.bug = bug
    random = SeededGenerator(seed: seed)
    self.place = place
    self.directory = directory
    machines = try (0..<3).map { number in
      Machine(
        path: directory.path("machine \(number)/app.strata"),
        disk: try FaultVFS(name: "machine-\(Scheduling.uuid().uuidString)"),
        boot: Scheduling.uuid(),
        build: Self.firstBuild(seed: seed)
      )
    }
  }

  /// Makes a number of faults happen, lets all work again, and checks what is there.
  package func run(faults: Int) async throws -> Summary {
    defer { forgetFiles() }
    guard try await begin() != nil else { return summary }
    var number = 0
    while summary.faults.values.reduce(0, +) < faults {
      try await take(number)
      number += 1
    }
    try await finish()
    return summary
  }

  /// Takes a number of steps, lets all work again, and checks what is there.
  ///
  /// - Parameter chosen: The numbers of the steps, where others are left out.
  package func run(steps: Int, only chosen: Set<Int>?) async throws -> Summary {
    defer { forgetFiles() }
    guard try await begin() != nil else { return summary }
    for number in 0..<steps where chosen?.contains(number) ?? true { try await take(number) }
    try await finish()
    return summary
  }

  /// Gives up what the disks keep of the files, which long runs have many of.
  private func forgetFiles() { for machine in machines { machine.disk.forgetFiles() } }

  private func take(_ number: Int) async throws {
    random = SeededGenerator(seed: seed, step: number)
    step("\(number):")
    failDisk(number)
    changeBuild(number)
    try await happen()
    try await work()
    try await noteStates()
  }

  /// Stops a leader while it sends, and lets it go on once another one has led: what only a fence notices.
  ///
  /// It checks at once, as without a fence little works afterwards.
  package func runStoppedLeader() async throws -> Summary {
    guard let first = try await begin() else { return summary }
    machines[0].link?.fail { _ in .paused }
    for _ in 0..<3 { commit(first) }
    try await place.moveClock(of: 1, by: 20_000)
    guard try await lead(1, within: Self.limit), case .leader(let second) = machines[1].process,
      try await leads(second)
    else {
      note("the second process cannot lead")
      return summary
    }
    machines[0].link?.work()
    while isLeading(first), first.persistence.replicatedRevision ?? 0 < first.persistence.revision {
      try await Scheduling.sleep(for: .milliseconds(1))
    }
    check(acknowledgedIn: try await archived())
    return summary
  }

  /// Lets a process without a file lead last, on the machine whose file alone has what the archive has lost.
  package func runLeaderInMemory() async throws -> Summary {
    guard let first = try await begin() else { return summary }
    try await place.keepCopy()
    guard try await leads(first) else {
      note("the first process cannot send")
      return summary
    }
    try await kill(0)
    try await goBack()
    try await place.moveClock(of: 0, by: 20_000)
    try await follow(0, inMemory: true)
    if case .follower(let following) = machines[0].process { try await promote(0, following) }
    guard case .leader(let leader) = machines[0].process, leader.isTemporary else {
      note("the follower in memory cannot lead")
      return summary
    }
    try await finish()
    return summary
  }

  /// The first leader, with one commit.
  private func begin() async throws -> Leader? {
    for machine in machines {
      let url = URL(fileURLWithPath: machine.path).deletingLastPathComponent()
      try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }
    try await lead(0, within: Self.limit)
    guard case .leader(let leader) = machines[0].process, try await leads(leader) else {
      note("the first process cannot lead")
      return nil
    }
    return leader
  }

  func number(below bound: Int) -> Int { Int.random(in: 0..<bound, using: &random) }
}
