import Foundation
import Strata
import StrataArchive
import StrataBase
import StrataInspection
import StrataJournal
import StrataPersistence
import StrataStorage

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

  private let seed: UInt64
  private var random: SeededGenerator
  private let place: any ArchivePlace
  private let directory: TemporaryDirectory
  private var machines: [Machine]
  /// The links of processes that have ended, whose messages may still arrive.
  private var formerLinks: [FaultyArchive] = []
  private var lastCommit = 0
  private var acknowledged: Set<Int> = []
  /// What the archive had and lost by itself.
  private var lostByArchive: Set<Int> = []
  /// The commits whose secret was erased, and whose erasure the archive has confirmed.
  private var erased: Set<Int> = []
  /// The commits in files that were moved aside and named.
  private var reported: Set<Int> = []
  /// What followers showed.
  private var followed: [Followed] = []
  package private(set) var summary = Summary()

  /// What is wrong with the archive; nil for one that works.
  private let bug: PlantedArchive.Bug?

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
        boot: Scheduling.uuid()
      )
    }
  }

  /// Makes a number of faults happen, lets all work again, and checks what is there.
  package func run(faults: Int) async throws -> Summary {
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
    guard try await begin() != nil else { return summary }
    for number in 0..<steps where chosen?.contains(number) ?? true { try await take(number) }
    try await finish()
    return summary
  }

  private func take(_ number: Int) async throws {
    random = SeededGenerator(seed: seed, step: number)
    step("\(number):")
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

  private func note(_ problem: String) {
    summary.problems.append("seed \(seed): \(problem)")
    step("PROBLEM: \(problem)")
  }

  private func step(_ text: String) { summary.steps.append(text) }

  private func step(_ fault: String, _ machine: Int?) {
    summary.faults[fault, default: 0] += 1
    step("\(fault) \(machine.map { "on \($0)" } ?? "")")
  }

  /// How the machines are, and the archive.
  private func noteStates() async throws {
    let head = try? await place.direct().head()
    let states = machines.map { machine in
      switch machine.process {
      case nil: "-"
      case .leader(let leader):
        """
        leads \(leader.isTemporary ? "in memory " : "")\(leader.persistence.revision) of \(CommitTrail.last(of: leader.store.state.db)) \
        \(leader.persistence.status.archive?.condition.description.prefix(60) ?? "")
        """
      case .follower(let following):
        "follows \(following.isTemporary ? "in memory " : "")\(following.follower.revision) of \(CommitTrail.last(of: following.store.state.db))"
      }
    }
    step(
      "  \(states) archive \(head.map { "\($0.mark.revision) epoch \($0.epoch) \($0.lease)" } ?? "none")"
    )
  }

  private func number(below bound: Int) -> Int { Int.random(in: 0..<bound, using: &random) }
}

/// A machine: a path, and at times a process.
private struct Machine {
  let path: String
  let disk: FaultVFS
  /// Another one after each power cut.
  var boot: UUID
  var link: FaultyArchive?
  var process: Process?
  /// What its file has at least.
  var kept = CommitTrail()
}

private enum Process {
  case leader(Leader)
  case follower(Following)
}

private struct Leader {
  let persistence: Persistence<LibraryState, LibraryDatabase>
  let store: LibraryStore
  /// Whether its file ends with the process.
  let isTemporary: Bool
}

private struct Following {
  let follower: Follower<LibraryState, LibraryDatabase>
  let store: LibraryStore
  let followed: Followed
  let isTemporary: Bool
  /// Whether it leads by itself when it may.
  let standsBy: Bool
}

/// What a follower showed.
private final class Followed: Sendable {
  private struct Shown: Sendable {
    var database: LibraryDatabase
    var observations: [CommitTrail.End] = []
    var hasEnded = false
  }

  /// What it started with.
  let start: CommitTrail
  private let shown: Lock<Shown>
  private let subscription: StoreSubscription
  private let listening: Task<[FollowerEvent], Never>

  init(_ store: LibraryStore, _ follower: Follower<LibraryState, LibraryDatabase>) {
    start = CommitTrail(store.state.db) ?? CommitTrail()
    let shown = Lock(Shown(database: store.state.db))
    self.shown = shown
    let stream = follower.events
    listening = Task { await stream.reduce(into: []) { $0.append($1) } }
    subscription = store.sinkState(queue: .passthrough) { changes in
      let database = changes.value.db
      let traces = changes.traces
      shown.withLock { shown in
        // From there on it shows what it leads.
        if traces.contains(where: { $0.name == "leads from here on" }) { shown.hasEnded = true }
        if shown.hasEnded { return }
        shown.database = database
        shown.observations.append(
          CommitTrail.End(count: database.books.count, last: CommitTrail.last(of: database))
        )
      }
    }
  }

  var observations: [CommitTrail.End] { shown.withLock { $0.observations } }

  /// What it showed before it led.
  func lastShown() -> LibraryDatabase { shown.withLock { $0.database } }

  /// Its events, once it was closed or leads.
  func end() async -> [FollowerEvent] {
    shown.withLock { $0.hasEnded = true }
    return await listening.value
  }
}

/// Processes.
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
  private func lead(_ machine: Int, within limit: Duration = .seconds(1)) async throws -> Bool {
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
  private func follow(_ machine: Int, inMemory: Bool, standsBy: Bool = false) async throws {
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
  private func noteTakeovers() async throws {
    for machine in machines.indices {
      guard case .follower(let following) = machines[machine].process, following.standsBy,
        following.follower.status == .leading
      else { continue }
      try await count("standby leads", machine) { try await promote(machine, following) }
    }
  }

  /// Lets a follower lead.
  private func promote(_ machine: Int, _ following: Following) async throws {
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
  private func attempt<R: Sendable>(
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
  private func kill(_ machine: Int) async throws {
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
  private func cutPower(_ machine: Int) async throws {
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

  private func cutPower(of machine: Int) throws -> () throws -> Void {
    step("power cut", machine)
    return try machines[machine].disk.cutPower(
      seed: random.next(),
      in: URL(fileURLWithPath: machines[machine].path).deletingLastPathComponent()
    )
  }

  /// Closes what runs on a machine.
  private func close(_ machine: Int) async throws {
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

  private func end(_ following: Following, of machine: Int) async throws {
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

  private func keep(_ store: LibraryStore, of machine: Int, _ isTemporary: Bool) {
    guard let trail = CommitTrail(store.state.db) else {
      return note("the store of machine \(machine) lacks commits, or has some twice")
    }
    // What was in a temporary file only is gone with the process, and nobody can name it.
    if isTemporary { reported.formUnion(trail.commits) } else { machines[machine].kept = trail }
  }
}

/// Faults.
extension ArchiveFaultRun {
  private func happen() async throws {
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

  private func count<R>(
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

  private func heal(_ machine: Int) {
    guard machines[machine].process != nil else { return }
    step("works again", machine)
    place.settle(machine)
    machines[machine].link?.work()
  }

  /// Lets messages arrive whose senders do not wait for an answer any more, or do not run.
  private func deliver() async {
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

  private func goBack() async throws {
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
      let removal = retention.removal(of: try await archive.snapshots(), now: .distantFuture)
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
      note("\(error)")
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
      case .notFound, .notLeading, .archive: return
      default: note("\(error)")
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
  private func moveAway(_ machine: Int) throws {
    step("  a person moves the file away")
    try removeFile(of: machine)
  }

  private func removeFile(of machine: Int) throws {
    let folder = URL(fileURLWithPath: machines[machine].path).deletingLastPathComponent()
    try FileManager.default.removeItem(at: folder)
    machines[machine].disk.forgetFiles()
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    // With the archive's own loss, this one is a second fault: what both had is gone.
    reported.formUnion(machines[machine].kept.commits)
    machines[machine].kept = CommitTrail()
  }
}

/// Commits.
extension ArchiveFaultRun {
  /// Every process that leads, or believes so, commits.
  private func work() async throws {
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

  /// Whether the commit was accepted.
  @discardableResult
  private func commit(_ leader: Leader) -> Bool {
    let commit = nextCommit()
    do {
      try leader.store.commit("commit") { state throws in CommitTrail.add(commit, to: &state.db) }
      summary.commits += 1
      return true
    } catch {
      if case .notLeading = (error as? PersistenceError)?.reason { return false }
      note("\(error)")
      return false
    }
  }

  /// Whether the archive has it.
  @discardableResult
  private func commitReplicated(_ leader: Leader, within limit: Duration) async throws -> Bool {
    let commit = nextCommit()
    do {
      try await leader.store.commitDurably(.replicated(within: limit), "replicated") { state in
        CommitTrail.add(commit, to: &state.db)
      }
      summary.commits += 1
      acknowledged.insert(commit)
      return true
    } catch let error as PersistenceError {
      guard case .notLeading = error.reason else { throw error }
    } catch let error as DurabilityError {
      guard error.outcome == .notReplicated else { throw error }
      summary.commits += 1
    }
    return false
  }

  /// What the status says to be replicated is acknowledged, too.
  private func noteReplicated(_ leader: Leader) {
    guard let trail = CommitTrail(leader.store.state.db) else {
      return note("the store of a leader lacks commits, or has some twice")
    }
    let count = Int(leader.persistence.status.revisions.replicated?.number ?? 0)
    acknowledged.formUnion(trail.commits.prefix(count))
  }

  private func isLeading(_ leader: Leader) -> Bool {
    if case .notLeading = leader.persistence.status.archive?.condition { return false }
    return true
  }
}

/// Checks.
extension ArchiveFaultRun {
  /// What the archive has lost by itself before, leaders may not have sent again.
  private func check(acknowledgedIn archived: CommitTrail) {
    for commit in acknowledged.subtracting(archived.commits).subtracting(lostByArchive).sorted() {
      note("commit \(commit) was acknowledged as replicated and is not in the archive")
    }
  }

  /// The history that the archive has; empty while nothing of it can be restored.
  private func archived() async throws -> CommitTrail {
    let archive = try place.direct()
    // A removal or a leader beside it may take away what is being read.
    for attempt in 0..<20 {
      let path = directory.path("pulled \(Scheduling.uuid().uuidString).strata")
      do {
        if try await archive.snapshots().isEmpty { return CommitTrail() }
        _ = try await ArchivePull(
          from: archive,
          to: StorePath(path, for: .archiving),
          on: .system
        ).run()
        let verification = try Inspector(path: path).verify()
        if !verification.isSound { note("what was pulled is not sound: \(verification)") }
        let trail = try await trail(ofFileAt: path)
        for name in [path, path + ".head"] {
          try? FileManager.default.removeItem(atPath: name)
        }
        return trail
      } catch {
        if attempt == 19 { note("the archive cannot be restored: \(error)") }
      }
    }
    return CommitTrail()
  }

  private func trail(ofFileAt path: String) async throws -> CommitTrail {
    var configuration = PersistenceConfiguration()
    configuration.restore = .readOnly
    let persistence = try await Persistence.open(
      at: path,
      initialState: LibraryState(),
      database: \.db,
      configuration: configuration
    )
    guard let trail = CommitTrail(persistence.initialState.db) else {
      note("\(path) lacks commits, or has some twice")
      return CommitTrail()
    }
    return trail
  }

  /// Checks that what a machine's file had is there, or was moved aside and named.
  private func check(
    _ setAside: ArchiveReport.SetAside?,
    _ database: LibraryDatabase,
    of machine: Int
  ) async throws {
    guard let trail = CommitTrail(database) else {
      return note("what machine \(machine) restored lacks commits, or has some twice")
    }
    let kept = machines[machine].kept
    machines[machine].kept = trail
    if trail.continues(kept) { return }
    guard let setAside else {
      return note(
        """
        machine \(machine) had \(kept), now has \(trail), and no report says where the others are
        """
      )
    }
    let named = try await named(setAside, beside: trail)
    if !named.continues(kept) {
      note("machine \(machine) had \(kept), what was moved aside has \(named)")
    }
  }

  /// What a file has that was moved aside.
  private func named(
    _ setAside: ArchiveReport.SetAside,
    beside trail: CommitTrail
  ) async throws -> CommitTrail {
    let named = try await self.trail(ofFileAt: setAside.quarantine.directory + "/app.strata")
    let common = Int64(named.common(trail))
    if let revisions = setAside.revisions {
      let last = Revision(Int64(named.commits.count))
      if revisions.upperBound != last || revisions.lowerBound > Revision(common).next {
        note("the revisions \(revisions) were named, not those from \(common + 1) to \(last)")
      }
    }
    reported.formUnion(named.commits)
    summary.setAside += 1
    return named
  }

  /// Checks that a follower said so when it took commits back; it has been closed, or leads.
  private func checkFollower(
    _ following: Following,
    showing trail: CommitTrail,
    of machine: Int
  ) async throws {
    let followed = following.followed
    let events = await followed.end()
    let observations = followed.observations
    summary.observations += observations.count
    var rewinds = 0
    var namesStart = false
    for event in events {
      switch event {
      case .rewound: rewinds += 1
      case .setAside(let setAside):
        let named = try await named(setAside, beside: trail)
        if named.continues(followed.start) { namesStart = true }
      default: break
      }
    }
    summary.rewinds += rewinds
    if observations.allSatisfy({ trail.shows($0) }), trail.continues(followed.start) { return }
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
  }
}

/// The end.
extension ArchiveFaultRun {
  private static let limit = Duration.seconds(30)

  private func finish() async throws {
    try await place.setClocks()
    // A lease from before a clock was set back would run for as long.
    for machine in machines.indices { try await place.moveClock(of: machine, by: 20_000) }
    for machine in machines.indices { place.settle(machine) }
    for link in machines.compactMap(\.link) { link.work() }
    for link in formerLinks + machines.compactMap(\.link) { await link.deliver() }
    try await noteTakeovers()
    // From here on, nothing leads by itself.
    for machine in machines.indices {
      guard case .follower(let following) = machines[machine].process, following.standsBy
      else { continue }
      try await close(machine)
    }
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
    check(final)
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
        if isLeading(leader) {
          note("a process neither leads nor says so: \(leader.persistence.status)")
        }
        try await close(machine)
      }
    }
    if let last { return last }
    let idle = machines.indices.first { machines[$0].process == nil } ?? 0
    try await close(idle)
    for _ in 0..<2 where machines[idle].process == nil {
      try await lead(idle, within: Self.limit)
    }
    guard case .leader(let leader) = machines[idle].process else { return nil }
    return (idle, leader)
  }

  /// Whether a process leads; one that knows another leader does not.
  private func leads(_ leader: Leader) async throws -> Bool {
    let end = Scheduling.now + Self.limit
    while isLeading(leader), Scheduling.now < end {
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

  /// Checks that nothing has what was erased; no file is open any more.
  private func checkErased() async throws {
    for commit in erased.sorted() {
      let secret = CommitTrail.secret(of: commit)
      if try await place.holds(secret) { note("the archive holds \(secret), which was erased") }
      for machine in machines {
        for file in [machine.path, machine.path + "-wal"] {
          guard let data = FileManager.default.contents(atPath: file),
            data.range(of: Data(secret.utf8)) != nil
          else { continue }
          note("\(file) holds \(secret), which was erased")
        }
      }
    }
    summary.erased = erased.count
  }

  private func check(_ final: CommitTrail) {
    let known = Set(final.commits)
    for commit in acknowledged.subtracting(known).sorted() {
      if !lostByArchive.contains(commit) {
        note("commit \(commit) was acknowledged as replicated and is lost")
      } else if !reported.contains(commit) {
        note("commit \(commit) was acknowledged, the archive lost it, and no report names it")
      }
    }
    for followed in followed {
      for observation in Set(followed.observations) {
        // What its own file had when it started is not the archive's.
        if final.shows(observation) || followed.start.shows(observation) { continue }
        if lostByArchive.contains(observation.last) { continue }
        note("a follower showed commit \(observation.last), which is not part of the history")
      }
    }
    summary.acknowledged = acknowledged.count
    summary.lostByArchive = lostByArchive.count
  }
}
