import Foundation
import Strata
import StrataArchive
import StrataArchiving
import StrataBase
import StrataJournal
import StrataMigrations
import StrataPersistence
import StrataStorage
import TestSupport

/// Starting and ending processes.
extension ArchiveFaultRun {
  private func settings(
    of machine: Int,
    inMemory: Bool = false
  ) -> (PersistenceConfiguration, ArchivePolicy) {
    let (disk, boot) = (machines[machine].disk, machines[machine].boot)
    var configuration = PersistenceConfiguration(
      durability: number(below: 4) == 0 ? .onFlush : .grouped(maxDelay: .milliseconds(1)),
      snapshots: SnapshotPolicy(minimumJournalBytes: 1_500, minimumHistoryBytes: 3_000)
    )
    configuration.now = { Scheduling.date }
    configuration.vfs = disk.name
    configuration.watch = disk.watch
    configuration.bootID = boot
    // A person chooses it once something was found to be wrong.
    // An older build would leave out what it does not know.
    let build = machines[machine].build
    if machines[machine].isSpoilt, build != .first || !mayBeMigrated {
      configuration.restore = .bestEffort
    }
    var policy = ArchivePolicy(
      lease: .milliseconds(60),
      withoutLease: number(below: 3) == 0 ? .refuse : .continue,
      maxDelay: .zero,
      segmentBytes: number(below: 2) == 0 ? 1 : 2_000,
      maxBacklog: number(below: 4) == 0 ? 1 : 4 << 30,
      snapshotInterval: number(below: 2) == 0 ? .nanoseconds(1) : .seconds(86_400)
    )
    // Its default has the path of the file, whose length would be in what is sent and stored.
    policy.leader = leaderName(of: machine, inMemory: inMemory)
    policy.pollInterval = .milliseconds(5)
    return (configuration, policy)
  }

  /// Each file in memory is another one.
  private func leaderName(of machine: Int, inMemory: Bool) -> String {
    guard inMemory else { return "machine \(machine)" }
    filesInMemory += 1
    return "machine \(machine) in memory, file \(filesInMemory)"
  }

  /// The link of a new process.
  private func newLink(_ machine: Int) throws -> FaultyArchive {
    if machines[machine].disk.isHealthy { machines[machine].isStruck = false }
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
    let build = machines[machine].build
    noteMayMigrate(build)
    let (configuration, policy) = settings(of: machine)
    let opened = try await attempt(limit, machine) {
      try await Persistence.open(
        at: path,
        initialState: LibraryState(),
        database: \.db,
        values: build.values,
        configuration: configuration,
        with: [.migrations(build.migrations), .archive(link, policy: policy)]
      )
    }
    guard let persistence = opened else { return false }
    machines[machine].mayLackHead = false
    if try await isPartial(persistence, machine) { return false }
    try await check(persistence.report, persistence.initialState.db, of: machine)
    checkValue(persistence.initialState, build, of: machine)
    let store = LibraryStore(persistence)
    machines[machine].process = .leader(
      Leader(
        machine: machine,
        build: build,
        persistence: persistence,
        store: store,
        isTemporary: false
      )
    )
    summary.leaderships += 1
    return true
  }

  /// Whether a damaged file was restored without some entities, as the report says: such a state is none of the history, and
  /// a person moves it away.
  private func isPartial(
    _ persistence: Persistence<LibraryState, LibraryDatabase>,
    _ machine: Int
  ) async throws -> Bool {
    if persistence.report.loss?.missing.isEmpty ?? true { return false }
    do { try await persistence.close() } catch _ {}
    try moveAway(machine)
    return true
  }

  /// Follows on a machine, in its file or in memory.
  func follow(_ machine: Int, inMemory: Bool, standsBy: Bool = false) async throws {
    let link = try newLink(machine)
    let path = inMemory ? nil : machines[machine].path
    let build = machines[machine].build
    if standsBy { noteMayMigrate(build) }
    let (configuration, policy) = settings(of: machine, inMemory: inMemory)
    let opened = try await attempt(.seconds(1), machine) {
      guard standsBy else {
        return try await Persistence.follow(
          link,
          at: path,
          initialState: LibraryState(),
          database: \LibraryState.db,
          values: build.values,
          policy: policy,
          configuration: configuration,
          with: [.migrations(build.migrations)]
        )
      }
      return try await Persistence.standBy(
        link,
        at: path,
        initialState: LibraryState(),
        database: \LibraryState.db,
        values: build.values,
        policy: policy,
        configuration: configuration,
        with: [.migrations(build.migrations)]
      )
    }
    guard let follower = opened else { return }
    if !inMemory { machines[machine].mayLackHead = false }
    if follower.report.outcome == .waitingForMigration {
      step("  waits for a migration")
      if !inMemory { try await checkWaiting(follower.report, of: machine) }
    } else {
      checkValue(follower.initialState, build, of: machine)
      if !inMemory {
        try await check(follower.report, follower.initialState.db, of: machine)
      }
    }
    let store = LibraryStore(follower)
    let followed = Followed(store, follower)
    self.followed.append(followed)
    machines[machine].process = .follower(
      Following(
        build: build,
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
    noteMayMigrate(following.build)
    guard
      let persistence = try await attempt(
        .milliseconds(500),
        machine,
        { try await follower.lead() }
      )
    else { return }
    guard let trail = CommitTrail(following.followed.lastShown()) else {
      return note("a follower lacked commits, or had some twice")
    }
    let kept = try await checkFollower(following, showing: trail, of: machine)
    if !following.isTemporary {
      machines[machine].kept = kept
      // The head of what it followed is written when its file is closed, which may have failed.
      if machines[machine].mayFail { keep(kept, through: 0, of: machine) }
      if try await isPartial(persistence, machine) {
        machines[machine].process = nil
        return
      }
      try await check(persistence.report, following.store.state.db, of: machine)
    }
    machines[machine].process = .leader(
      Leader(
        machine: machine,
        build: following.build,
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
    _ machine: Int,
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
      try refused(error, on: machine)
      return nil
    }
  }

  /// Notes why a process was refused, and does what a person does about it.
  private func refused(_ error: PersistenceError, on machine: Int) throws {
    if "\(error)".contains("CancellationError") { return }
    step("  \(error.reason)")
    // A process that goes on following keeps its file.
    let isIdle = machines[machine].process == nil
    switch error.archive?.reason {
    case .away, .led, .leaseTooLong, .refused, .empty, .notFound: return
    case .lacksErasures:
      if isIdle { try moveAway(machine) }
      return
    default: break
    }
    if isOlderBuild(error) { return }
    if case .damaged = error.reason, machines[machine].isSalvaged, isIdle {
      return try moveAway(machine)
    }
    guard machines[machine].mayFail else { return note("\(error)") }
    if machines[machine].isSpoilt, isIdle { try moveAway(machine) }
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
      try await release(leader) { try await leader.persistence.suspend() }
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
      keep(all, through: durable, of: machine)
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
    machines[machine].mayLackHead = true
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
      try await release(leader) { try await leader.persistence.close() }
      noteReplicated(leader)
    case .follower(let following):
      try await end(following, of: machine)
    }
  }

  /// Releases the file of a leader; of one that cannot be written, it has what is durable.
  private func release(_ leader: Leader, _ call: () async throws -> Void) async throws {
    let durable = leader.persistence.durableRevision
    do {
      try await call()
      keep(leader.store, of: leader.machine, leader.isTemporary)
    } catch {
      guard machines[leader.machine].mayFail else { throw error }
      step("  \(error)")
      keep(leader.store, of: leader.machine, leader.isTemporary)
      if !leader.isTemporary {
        keep(machines[leader.machine].kept, through: durable, of: leader.machine)
      }
    }
  }

  /// A file has what is durable; what was in no medium is gone, and nobody can name it.
  private func keep(_ all: CommitTrail, through durable: Revision, of machine: Int) {
    let isWhole = !machines[machine].isSpoilt
    machines[machine].kept = isWhole ? all.through(durable.number) : CommitTrail()
    reported.formUnion(all.commits.dropFirst(machines[machine].kept.commits.count))
  }

  func end(_ following: Following, of machine: Int) async throws {
    var waits = false
    if case .waitingForMigration = following.follower.status { waits = true }
    var failed = false
    do {
      try await following.follower.close()
    } catch {
      guard machines[machine].mayFail else { throw error }
      step("  \(error)")
      failed = true
    }
    var leader: Persistence<LibraryState, LibraryDatabase>?
    // It may have begun to lead meanwhile.
    if following.standsBy { leader = try? await following.follower.lead() }
    let shown = leader == nil ? following.store.state.db : following.followed.lastShown()
    guard let trail = CommitTrail(shown) else {
      return note("the store of a follower lacks commits, or has some twice")
    }
    let kept = try await checkFollower(following, showing: trail, of: machine)
    if following.isTemporary { return }
    let isHidden = waits || trail.commits.isEmpty
    machines[machine].kept = isHidden ? try await contents(of: machine) : kept
    if machines[machine].mayFail { keep(trail, through: 0, of: machine) }
    guard let leader else { return }
    summary.leaderships += 1
    if try await isPartial(leader, machine) { return }
    try await check(leader.report, following.store.state.db, of: machine)
    keep(following.store, of: machine, following.isTemporary)
    if failed { keep(machines[machine].kept, through: leader.durableRevision, of: machine) }
  }

  /// What the file of a machine has whose process has ended and showed nothing of it; nothing where it may not be readable.
  private func contents(of machine: Int) async throws -> CommitTrail {
    let path = machines[machine].path
    guard !machines[machine].mayFail, FileManager.default.fileExists(atPath: path) else {
      return CommitTrail()
    }
    return try await contents(ofFileAt: path).trail
  }

  func keep(_ store: LibraryStore, of machine: Int, _ isTemporary: Bool) {
    guard let trail = CommitTrail(store.state.db) else {
      return note("the store of machine \(machine) lacks commits, or has some twice")
    }
    // What was in a temporary file only is gone with the process, and nobody can name it.
    if isTemporary { reported.formUnion(trail.commits) } else { machines[machine].kept = trail }
  }
}
