import Foundation
import Strata
import StrataArchive
import StrataArchiving
import StrataBase
import StrataJournal
import StrataPersistence
import StrataStorage
import TestSupport

/// The end: faults end, and within a time somebody leads, and every follower is there.
extension ArchiveFaultRun {
  static let limit = Duration.seconds(30)

  func finish() async throws {
    try await place.setClocks()
    // A lease from before a clock was set back would run for as long.
    for machine in machines.indices { try await place.moveClock(of: machine, by: 20_000) }
    for machine in machines.indices { place.settle(machine) }
    for link in machines.compactMap(\.link) { link.work() }
    for link in formerLinks + machines.compactMap(\.link) { await link.deliver() }
    try await repairDisks()
    try await noteTakeovers()
    // From here on, nothing leads by itself.
    for machine in machines.indices {
      guard case .follower(let following) = machines[machine].process, following.standsBy
      else { continue }
      try await close(machine)
    }
    try await finishBuilds()
    guard let (machine, leader) = try await lastLeader() else {
      return note("no process can lead")
    }
    var last = Revision(0)
    for case .follower(let following) in machines.compactMap(\.process) {
      last = max(last, following.follower.revision)
    }
    // A follower has commits that the archive lost until there are as many others.
    while leader.persistence.revision <= last, isLeading(leader) {
      if commit(leader) { continue }
      try await Scheduling.sleep(for: .milliseconds(2))
    }
    guard try await leads(leader) else {
      return note("the last leader cannot send: \(leader.persistence.status)")
    }
    guard let final = CommitTrail(leader.store.state.db) else {
      return note("the last leader lacks commits, or has some twice")
    }
    try await finishFollowers(final, leader.persistence.revision)
    for other in machines.indices where other != machine { try await openFile(of: other) }
    try await close(machine)
    // The file beside a leader in memory may have what the archive has lost, and no opening has named it yet.
    if leader.isTemporary { try await openFile(of: machine) }
    let archived = try await archived()
    if archived != final { note("the archive has \(archived), its leader \(final)") }
    checkAcknowledged(in: final)
    checkFollowed(in: final)
    try await checkErased()
  }

  /// Opens the file of a machine that runs no process: what it has beside the history is named.
  private func openFile(of machine: Int) async throws {
    for _ in 0..<2 where machines[machine].process == nil {
      try await follow(machine, inMemory: false)
    }
    if machines[machine].process == nil { note("machine \(machine) cannot follow") }
    try await close(machine)
  }

  /// The one process that leads, now that everything works; all others are closed.
  private func lastLeader() async throws -> (Int, Leader)? {
    var last: (machine: Int, leader: Leader)?
    for machine in machines.indices {
      guard case .leader(let leader) = machines[machine].process else { continue }
      if try await leads(leader) {
        if let last { try await close(last.machine) }
        last = (machine, leader)
      } else {
        let isDamaged = saysThatItsFileIsDamaged(leader)
        if isLeading(leader), !isDamaged {
          note("a process neither leads nor says so: \(leader.persistence.status)")
        }
        try await close(machine)
        if isDamaged { try moveAway(machine) }
      }
    }
    if let last { return last }
    let idle = machines.indices.first { machines[$0].process == nil } ?? 0
    try await close(idle)
    for _ in 0..<2 where machines[idle].process == nil {
      try await lead(idle, within: Self.limit)
    }
    guard case .leader(let leader) = machines[idle].process else { return nil }
    if try await leads(leader) || !saysThatItsFileIsDamaged(leader) { return (idle, leader) }
    try await close(idle)
    try moveAway(idle)
    return try await lastLeader()
  }

  private func saysThatItsFileIsDamaged(_ leader: Leader) -> Bool {
    guard case .failed? = leader.persistence.status.archive?.condition else { return false }
    return machines[leader.machine].wasSpoilt
  }

  /// Whether a process leads; one that knows another leader does not.
  func leads(_ leader: Leader) async throws -> Bool {
    let end = Scheduling.now + Self.limit
    while isLeading(leader), Scheduling.now < end {
      if case .degraded = leader.persistence.status.condition {
        try await Scheduling.sleep(for: .milliseconds(50))
        continue
      }
      if try await commitReplicated(leader, within: Self.limit) { return true }
      // Refused while it has no lease.
      try await Scheduling.sleep(for: .milliseconds(2))
    }
    return false
  }

  private func finishFollowers(_ final: CommitTrail, _ revision: Revision) async throws {
    for machine in machines.indices {
      guard case .follower(let following) = machines[machine].process else { continue }
      do {
        try await following.follower.reach(revision, within: Self.limit)
        let trail = CommitTrail(following.store.state.db)
        if trail != final {
          note("a follower has \(trail.map { "\($0)" } ?? "no trail"), its leader \(final)")
        }
        checkValue(following.store.state, following.build, of: machine)
        try await close(machine)
        if !following.isTemporary { checkErased(from: machine) }
      } catch {
        if case .failed(let detail) = following.follower.status, detail.contains("erased") {
          try await close(machine)
          if !following.isTemporary { try moveAway(machine) }
          continue
        }
        note("a follower does not get on: \(error), \(following.follower.status)")
      }
      try await close(machine)
    }
  }
}
