import Foundation
import Strata
import StrataArchive
import StrataBase
import StrataJournal
import StrataPersistence
import StrataStorage

/// Starting and ending processes.
extension ArchiveFaultRun {
  private func configuration(of machine: Machine) -> PersistenceConfiguration {
    var configuration = PersistenceConfiguration(
      durability: number(below: 4) == 0 ? .onFlush : .grouped(maxDelay: .milliseconds(1)),
      snapshots: SnapshotPolicy(minimumJournalBytes: 1_500, minimumHistoryBytes: 3_000)
    )
    configuration.now = { Scheduling.date }
    configuration.vfs = machine.disk.name
    configuration.watch = machine.disk.watch
    configuration.bootID = machine.boot
    configuration.archiving = ArchivePolicy(
      lease: .milliseconds(60),
      withoutLease: number(below: 3) == 0 ? .refuse : .continue,
      maxDelay: .zero,
      segmentBytes: number(below: 2) == 0 ? 1 : 2_000,
      maxBacklog: number(below: 4) == 0 ? 1 : 4 << 30,
      snapshotInterval: number(below: 2) == 0 ? .nanoseconds(1) : .seconds(86_400)
    )
    configuration.archiving.pollInterval = .milliseconds(5)
    return configuration
  }

  private func newLink(_ machine: Int) throws -> FaultyArchive {
    let archive = try place.archive(of: machine)
    let link = FaultyArchive(bug.map { PlantedArchive(archive, with: $0) } ?? archive)
    if let former = machines[machine].link {
      former.fail { _ in .lost }
      formerLinks.append(former)
    }
    machines[machine].link = link
    return link
  }

  /// Opens the file of a machine with the archive; whether that succeeded.
  @discardableResult
  func lead(_ machine: Int, within limit: Duration = .seconds(1)) async throws -> Bool {
    let link = try newLink(machine)
    let path = machines[machine].path
    let configuration = configuration(of: machines[machine])
    let opened = try await attempt(limit, machine) {
      try await Persistence.open(
        at: path,
        initialState: LibraryState(),
        database: \.db,
        archive: link,
        configuration: configuration
      )
    }
    guard let persistence = opened else { return false }
    try await check(
      persistence.report.archive?.setAside,
      persistence.initialState.db,
      of: machine
    )
    let store = LibraryStore(persistence)
    machines[machine].process = .leader(
      Leader(persistence: persistence, store: store, isTemporary: false)
    )
    summary.leaderships += 1
    return true
  }

  /// Follows on a machine, in its file or in memory.
  func follow(_ machine: Int, inMemory: Bool, standsBy: Bool = false) async throws {
    let link = try newLink(machine)
    let path = inMemory ? nil : machines[machine].path
    let configuration = configuration(of: machines[machine])
    let opened = try await attempt(.seconds(1), machine) {
      guard standsBy else {
        return try await Persistence.follow(
          link,
          at: path,
          initialState: LibraryState(),
          database: \LibraryState.db,
          configuration: configuration
        )
      }
      return try await Persistence.standBy(
        link,
        at: path,
        initialState: LibraryState(),
        database: \LibraryState.db,
        configuration: configuration
      )
    }
    guard let follower = opened else { return }
    if !inMemory {
      try await check(
        follower.report.archive?.setAside,
        follower.initialState.db,
        of: machine
      )
    }
    let store = LibraryStore(follower)
    let followed = Followed(store, follower)
    self.followed.append(followed)
    machines[machine].process = .follower(
      Following(
        follower: follower,
        store: store,
        followed: followed,
        isTemporary: inMemory,
        standsBy: standsBy
      )
    )
  }

  /// Notes the standbys that lead by now.
  func noteTakeovers() async throws {
    for machine in machines.indices {
      guard case .follower(let following) = machines[machine].process, following.standsBy,
        following.follower.status == .leading
      else { continue }
      try await count("standby leads", machine) { try await promote(machine, following) }
    }
  }

  /// Lets a follower lead.
  func promote(_ machine: Int, _ following: Following) async throws {
    let follower = following.follower
    guard
      let persistence = try await attempt(.milliseconds(500), nil, { try await follower.lead() })
    else { return }
    guard let trail = CommitTrail(following.followed.lastShown()) else {
      return note("a follower lacked commits, or had some twice")
    }
    try await checkFollower(following, showing: trail, of: machine)
    if !following.isTemporary {
      machines[machine].kept = trail
      try await check(
        persistence.report.archive?.setAside,
        following.store.state.db,
        of: machine
      )
    }
    machines[machine].process = .leader(
      Leader(
        persistence: persistence,
        store: following.store,
        isTemporary: following.isTemporary
      )
    )
    summary.leaderships += 1
  }

  /// What a call returns; nil if the archive does not let it, or it is not over in time.
  func attempt<R: Sendable>(
    _ limit: Duration,
    _ machine: Int?,
    _ call: @escaping @Sendable () async throws -> R
  ) async throws -> R? {
    let task = Task { try await call() }
    let timer = Task {
      try await Scheduling.sleep(for: limit)
      task.cancel()
    }
    defer { timer.cancel() }
    do {
      return try await task.value
    } catch let error as PersistenceError {
      switch error.reason {
      case .archive(let error):
        step("  \(error.reason)")
        switch error.reason {
        case .away, .led, .leaseTooLong, .refused, .empty, .notFound: return nil
        case .lacksErasures: if let machine { try moveAway(machine) }
        default: note("\(error)")
        }
      default: if !"\(error)".contains("CancellationError") { note("\(error)") }
      }
      return nil
    }
  }

  /// Ends the process of a machine as a kill does: what it did not send stays in its file.
  func kill(_ machine: Int) async throws {
    guard let process = machines[machine].process else { return }
    step("killed", machine)
    let sendsLate = number(below: 3) == 0
    machines[machine].link?.fail { _ in sendsLate ? .late : .lost }
    machines[machine].process = nil
    switch process {
    case .leader(let leader):
      noteReplicated(leader)
      // The file is released with what was written, and the archive hears nothing more.
      try await leader.persistence.suspend()
      keep(leader.store, of: machine, leader.isTemporary)
    case .follower(let following):
      try await end(following, of: machine)
    }
  }

  /// Ends what runs on a machine: of what its file has not synced, the medium has some.
  func cutPower(_ machine: Int) async throws {
    switch machines[machine].process {
    case .leader(let leader) where !leader.isTemporary:
      noteReplicated(leader)
      let durable = leader.persistence.durableRevision
      let leave = try cutPower(of: machine)
      try await kill(machine)
      let all = machines[machine].kept
      machines[machine].kept = all.prefix(Int(durable.number))
      // What was in no medium is gone, and nobody can name it.
      reported.formUnion(all.commits.dropFirst(Int(durable.number)))
      try leave()
    case .follower(let following) where !following.isTemporary:
      let leave = try cutPower(of: machine)
      try await kill(machine)
      reported.formUnion(machines[machine].kept.commits)
      machines[machine].kept = CommitTrail()
      try leave()
    default: try await kill(machine)
    }
    machines[machine].boot = Scheduling.uuid()
  }

  func cutPower(of machine: Int) throws -> () throws -> Void {
    step("power cut", machine)
    return try machines[machine].disk.cutPower(
      seed: random.next(),
      in: URL(fileURLWithPath: machines[machine].path).deletingLastPathComponent()
    )
  }

  /// Closes what runs on a machine.
  func close(_ machine: Int) async throws {
    place.settle(machine)
    machines[machine].link?.work()
    guard let process = machines[machine].process else { return }
    machines[machine].process = nil
    switch process {
    case .leader(let leader):
      try await leader.persistence.close()
      noteReplicated(leader)
      keep(leader.store, of: machine, leader.isTemporary)
    case .follower(let following):
      try await end(following, of: machine)
    }
  }

  func end(_ following: Following, of machine: Int) async throws {
    try await following.follower.close()
    var leader: Persistence<LibraryState, LibraryDatabase>?
    // It may have begun to lead meanwhile.
    if following.standsBy { leader = try? await following.follower.lead() }
    let shown = leader == nil ? following.store.state.db : following.followed.lastShown()
    guard let trail = CommitTrail(shown) else {
      return note("the store of a follower lacks commits, or has some twice")
    }
    try await checkFollower(following, showing: trail, of: machine)
    if following.isTemporary { return }
    machines[machine].kept = trail
    guard let leader else { return }
    summary.leaderships += 1
    try await check(leader.report.archive?.setAside, following.store.state.db, of: machine)
    keep(following.store, of: machine, following.isTemporary)
  }

  func keep(_ store: LibraryStore, of machine: Int, _ isTemporary: Bool) {
    guard let trail = CommitTrail(store.state.db) else {
      return note("the store of machine \(machine) lacks commits, or has some twice")
    }
    // What was in a temporary file only is gone with the process, and nobody can name it.
    if isTemporary { reported.formUnion(trail.commits) } else { machines[machine].kept = trail }
  }
}
