import Foundation
import Strata
import StrataInspection
import StrataJournal
import StrataMaintenance
import StrataPersistence
import StrataStorage
import TestSupport
import Testing

/// A store with history is opened, used and closed.
final class LifecycleScenario: FaultScenario {
  private static let commits: Int64 = 30

  private let vfs: FaultVFS
  private let directory: TemporaryDirectory
  private let path: String
  private let script = LibraryScript(seed: 30)
  /// The last revision that was acknowledged as durable.
  private var acknowledged = Revision(commits)

  /// Makes a store with two snapshots, and a journal that is due for trimming.
  init(_ vfs: FaultVFS) async throws {
    self.vfs = vfs
    directory = try TemporaryDirectory()
    path = directory.path("app.strata")
    let persistence = try await Persistence.open(
      at: path,
      initialState: LibraryState(),
      database: \.db,
      configuration: PersistenceConfiguration(
        snapshots: SnapshotPolicy(minimumJournalBytes: 1 << 40)
      )
    )
    let store = LibraryStore(persistence)
    for number in 1...Self.commits { store.commit { script.commit(number, to: &$0.db) } }
    try await persistence.snapshot(named: "past")
    try await persistence.close()
  }

  private func open() async throws -> Persistence<LibraryState, LibraryDatabase> {
    var configuration = PersistenceConfiguration(
      // The fifth commit wakes the writer; the delay is too long to do so.
      durability: .grouped(maxDelay: .seconds(600), maxCommits: 5),
      snapshots: SnapshotPolicy(minimumJournalBytes: 1_000, minimumHistoryBytes: 2_000),
      recoveryInterval: .milliseconds(2)
    )
    configuration.vfs = vfs.name
    configuration.watch = vfs.watch
    return try await Persistence.open(
      at: path,
      initialState: LibraryState(),
      database: \.db,
      configuration: configuration
    )
  }

  func run(_ place: String) async throws {
    let persistence: Persistence<LibraryState, LibraryDatabase>
    do {
      persistence = try await open()
    } catch {
      #expect(vfs.failureCount > 0, "\(place): \(error)")
      vfs.heal()
      return try await checkFile(nil, place)
    }
    let store = LibraryStore(persistence)
    await work(on: store, persistence, place)
    // Either the fault has struck and ends here, or it strikes when the store is closed.
    try await checkPowerCut(seed: 1, "\(place), cut while it lasts")
    if vfs.failureCount > 0 {
      vfs.heal()
      await catchUp(persistence, place)
      try await checkPowerCut(seed: 2, "\(place), cut afterwards")
    }
    do {
      try await persistence.close()
      acknowledged = persistence.revision
    } catch {
      #expect(vfs.failureCount > 0, "\(place): \(error)")
    }
    vfs.heal()
    try await checkPowerCut(seed: 3, "\(place), cut when closed")
    try await checkFile(store.state.db, place)
  }

  private func work(
    on store: LibraryStore,
    _ persistence: Persistence<LibraryState, LibraryDatabase>,
    _ place: String
  ) async {
    await settle(persistence)
    for number in Self.commits + 1...2 * Self.commits {
      store.commit { script.commit(number, to: &$0.db) }
      let step = (number - Self.commits) % 8
      if step == 5 { await drained(persistence) }
      if step == 0 { await note(persistence, place) { try await persistence.flush() } }
      if number == Self.commits + 16 {
        await note(persistence, place) { try await persistence.snapshot(named: "under way") }
      }
      await settle(persistence)
    }
    await note(persistence, place) { try await persistence.snapshot(named: "late") }
    await settle(persistence)
    await note(persistence, place) { try await persistence.compact() }
    await settle(persistence)
  }

  /// Waits until the writer has written on its own, or has met the fault.
  private func drained(_ persistence: Persistence<LibraryState, LibraryDatabase>) async {
    while persistence.durableRevision < persistence.revision, vfs.failureCount == 0 {
      await Task.yield()
    }
    acknowledged = max(acknowledged, persistence.durableRevision)
  }

  /// Waits until the writer has finished its maintenance, so that each run makes the same I/O.
  ///
  /// Each flush returns after one more slice of it.
  private func settle(_ persistence: Persistence<LibraryState, LibraryDatabase>) async {
    guard persistence.durableRevision == persistence.revision else { return }
    var unchanged = 0
    var count = vfs.operationCount(for: .failedIO)
    while unchanged < 20, vfs.failureCount == 0 {
      do { try await persistence.flush() } catch _ {}
      let now = vfs.operationCount(for: .failedIO)
      unchanged = now == count ? unchanged + 1 : 0
      count = now
    }
  }

  /// Runs an action, and notes the acknowledged revision if it succeeds.
  private func note(
    _ persistence: Persistence<LibraryState, LibraryDatabase>,
    _ place: String,
    _ action: () async throws -> Void
  ) async {
    let revision = persistence.revision
    do {
      try await action()
      acknowledged = max(acknowledged, revision)
      // The head must have every acknowledged revision, or its loss would not be detected.
      let head = FileManager.default.contents(atPath: path + ".head").map { Array($0) } ?? []
      let durable = HeadRecord.newest(in: head)?.record.durable.revision
      #expect(
        durable.map { $0 >= acknowledged } == true,
        "\(place): \(String(describing: durable))"
      )
    } catch _ {}
  }

  /// Waits until the store has recovered on its own from a disk that works again.
  private func catchUp(
    _ persistence: Persistence<LibraryState, LibraryDatabase>,
    _ place: String
  ) async {
    let deadline = ContinuousClock.now + .seconds(180)
    while persistence.durableRevision < persistence.revision {
      guard ContinuousClock.now < deadline else {
        let failure = persistence.status.lastFailure?.message ?? "for no reason"
        Issue.record("\(place): still at \(persistence.durableRevision): \(failure)")
        return
      }
      // While it is degraded this throws at once.
      await note(persistence, place) { try await persistence.flush() }
      await Task.yield()
    }
    acknowledged = max(acknowledged, persistence.durableRevision)
  }

  /// Checks that everything acknowledged is on the medium, and not only in the system's cache.
  private func checkPowerCut(seed: UInt64, _ place: String) async throws {
    let after = try TemporaryDirectory()
    try vfs.cutPower(seed: seed, into: after.url)
    var rebooted = PersistenceConfiguration()
    rebooted.bootID = UUID()
    do {
      let persistence = try await Persistence.open(
        at: after.path("app.strata"),
        initialState: LibraryState(),
        database: \.db,
        configuration: rebooted
      )
      let revision = persistence.revision
      #expect(revision >= acknowledged, "\(place)")
      let model = script.database(after: revision.number)
      #expect(persistence.initialState.db == model, "\(place)")
      try await persistence.close()
    } catch {
      Issue.record("\(place): \(error)")
    }
  }

  private func checkFile(_ expected: LibraryDatabase?, _ place: String) async throws {
    let verification = try Inspector(path: path).verify()
    #expect(verification.isSound, "\(place): \(verification)")
    let persistence = try await Persistence.open(
      at: path,
      initialState: LibraryState(),
      database: \.db
    )
    let revision = persistence.revision
    #expect(revision >= acknowledged, "\(place)")
    #expect(persistence.initialState.db == script.database(after: revision.number), "\(place)")
    if revision == Revision(2 * Self.commits), let expected {
      #expect(persistence.initialState.db == expected, "\(place)")
    }
    try await persistence.close()
  }
}
