import Foundation
import Strata
import StrataArchive
import StrataArchiving
import StrataBase
import StrataJournal
import StrataMaintenance
import StrataPersistence
import StrataStorage
import TestSupport

/// What happens to machines, to their network and to the archive.
extension ArchiveFaultRun {
  func happen() async throws {
    try await noteTakeovers()
    let machine = number(below: machines.count)
    switch number(below: 45) {
    case 0..<9: failCalls(of: machine)
    case 9..<13: heal(machine)
    case 13..<16: await deliver()
    case 16..<20: try await kill(machine)
    case 20..<27: try await start(machine)
    case 27..<30:
      if case .follower(let following) = machines[machine].process {
        try await count("follower leads", machine) { try await promote(machine, following) }
      } else {
        try await start(machine)
      }
    case 30:
      if machines[machine].process == nil { return }
      try await count("closed", machine) { try await close(machine) }
    case 31: try await count("copy of the archive") { try await place.keepCopy() }
    case 32: try await count("archive went back") { try await goBack() }
    case 33: try await count("pruned") { try await prune() }
    case 34, 35:
      let seconds = [-3_600, -1, -0.05, 0.05, 1, 7_200][number(below: 6)]
      try await count("clock jumped", machine) {
        try await place.moveClock(of: machine, by: seconds)
      }
    case 36:
      try await place.setClocks()
      for machine in machines.indices { heal(machine) }
    case 37: await takeSnapshot(machine)
    case 38:
      let kind = number(below: 100)
      if let fault = place.disturb(machine, kind) { step(fault, machine) }
    case 39: try await loseDisk(machine)
    case 40, 41: try await erase(machine)
    default: try await cutPower(machine)
    }
  }

  func count<R>(
    _ fault: String,
    _ machine: Int? = nil,
    _ body: () async throws -> R
  ) async rethrows -> R {
    step(fault, machine)
    return try await body()
  }

  private static let writes: Set = ["append", "renew", "add snapshot", "add chunks", "lead"]

  private func failCalls(of machine: Int) {
    guard let link = machines[machine].link, machines[machine].process != nil else { return }
    let kind = number(below: 7)
    let name: String
    switch kind {
    case 0:
      name = "calls lost"
      link.fail { _ in .lost }
    case 1:
      name = "answers lost"
      link.fail { _ in .unanswered }
    case 2:
      name = "calls late"
      link.fail { Self.writes.contains($0) ? .late : .lost }
    case 3, 4:
      name = "stopped"
      link.fail { _ in .paused }
    case 5:
      name = "refused"
      link.fail { Self.writes.contains($0) ? .refused : nil }
    default:
      name = "some calls fail"
      let random = Lock(SeededGenerator(seed: random.next()))
      link.fail { call in
        switch random.withLock({ $0.next() % 8 }) {
        case 0: .lost
        case 1, 2: .unanswered
        case 3: .late
        case 4: Self.writes.contains(call) ? .refused : nil
        default: nil
        }
      }
    }
    step(name, machine)
  }

  func heal(_ machine: Int) {
    guard machines[machine].process != nil else { return }
    step("works again", machine)
    place.settle(machine)
    machines[machine].link?.work()
  }

  /// Lets messages arrive whose senders do not wait for an answer any more, or do not run.
  func deliver() async {
    step("late calls arrive", nil)
    for link in formerLinks + machines.compactMap(\.link) { await link.deliver() }
  }

  private func start(_ machine: Int) async throws {
    guard machines[machine].process == nil else { return }
    let kind = number(below: 5)
    // At times the archive is away when it starts.
    switch kind {
    case 0, 1: try await count("leader started", machine) { _ = try await lead(machine) }
    case 2:
      try await count("memory follower started", machine) {
        try await follow(machine, inMemory: true)
      }
    default:
      // Whether it stands by is no choice of its own, so that the seeds stay what they were.
      let standsBy = lastCommit % 2 == 0
      try await count(standsBy ? "standby started" : "follower started", machine) {
        try await follow(machine, inMemory: false, standsBy: standsBy)
      }
    }
  }

  func goBack() async throws {
    let links = formerLinks + machines.compactMap(\.link)
    for link in links { await link.pause() }
    let before = try await archived()
    check(acknowledgedIn: before)
    try await place.goBack()
    let after = try await archived()
    lostByArchive.formUnion(Set(before.commits).subtracting(after.commits))
    // It has them again, or gets them from a file of before, and the next leader may know nothing of it.
    erased = []
    for link in links { link.resume() }
  }

  private func prune() async throws {
    let archive = try place.direct()
    let retention = ArchiveRetention(deltas: .zero, dailySnapshots: .zero)
    do {
      let removal = retention.removal(of: try await archive.snapshots())
      try await archive.remove(
        segmentsThrough: removal.segmentsThrough,
        snapshots: removal.snapshots
      )
    } catch {
      switch error.reason {
      case .empty, .away: break
      default: throw error
      }
    }
  }

  private func takeSnapshot(_ machine: Int) async {
    guard case .leader(let leader) = machines[machine].process else { return }
    step("snapshot", machine)
    do {
      try await leader.persistence.snapshot(named: "named \(number(below: 3))")
    } catch {
      if !machines[machine].mayFail { note("\(error)") }
    }
  }

  /// Erases the secret of a commit, and waits a moment for the archive.
  private func erase(_ machine: Int) async throws {
    guard case .leader(let leader) = machines[machine].process,
      let trail = CommitTrail(leader.store.state.db),
      let commit = trail.commits.dropLast().filter(CommitTrail.hasSecret).randomElement(
        using: &random
      )
    else { return }
    step("erased", machine)
    let persistence = leader.persistence
    do {
      try await persistence.erase([CommitTrail.authorWithSecret(of: commit)])
      try await persistence.replicated(through: persistence.revision, within: .milliseconds(30))
      erased.insert(commit)
      step("  \(commit), confirmed")
    } catch {
      step("  \(commit): \(error.reason)")
      switch error.reason {
      // Its file began after it; or the archive does not answer.
      case .notFound: return
      case _ where error.archive != nil: return
      default: if !machines[machine].mayFail { note("\(error)") }
      }
    }
  }

  /// A disk of a machine that does not run: what only it had is lost, and nobody can name it.
  private func loseDisk(_ machine: Int) async throws {
    guard machines[machine].process == nil else { return }
    step("disk lost", machine)
    try removeFile(of: machine)
  }

  /// What a person does whose file knows of erasures that the archive has lost, or never had.
  func moveAway(_ machine: Int) throws {
    step("  a person moves the file away")
    try removeFile(of: machine)
  }

  private func removeFile(of machine: Int) throws {
    let folder = URL(fileURLWithPath: machines[machine].path).deletingLastPathComponent()
    try FileManager.default.removeItem(at: folder)
    machines[machine].disk.forgetFiles()
    noteNewFile(of: machine)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    // With the archive's own loss, this one is a second fault: what both had is gone.
    reported.formUnion(machines[machine].kept.commits)
    machines[machine].kept = CommitTrail()
  }
}
