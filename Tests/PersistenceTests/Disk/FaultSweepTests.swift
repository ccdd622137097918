import Foundation
import Strata
import StrataPersistence
import TestSupport
import Testing

/// A fault at one I/O after the other of one life of a store: opening, appending, a snapshot, trimming,
/// giving pages back, closing.
struct FaultSweepTests {
  /// At how many I/Os for each kind of fault; more than there are means at each.
  static let points = loopCount("STRATA_FAULTS", 6)

  @Test(arguments: DiskFault.allCases, FaultDuration.allCases)
  func `wherever a fault strikes, nothing is lost and the store catches up`(
    fault: DiskFault,
    duration: FaultDuration
  ) async throws {
    let vfs = try FaultVFS(name: "sweep-\(UUID().uuidString)")
    vfs.resetCounts()
    try await Life(vfs).run(expectingFaults: false)
    let targets = vfs.targets(of: fault)
    #expect(targets > 5)
    let step = max(1, Double(targets) / Double(Self.points))
    var struck = 0
    var tried = 0
    while Double(tried) * step < Double(targets) {
      let passing = Int(Double(tried) * step)
      tried += 1
      let life = try await Life(vfs)
      vfs.resetCounts()
      vfs.strike(fault, after: passing, times: duration)
      try await life.run(expectingFaults: true, "\(fault) \(duration) after \(passing)")
      if life.wasStruck { struck += 1 }
    }
    figures("\(fault) \(duration) at \(tried) of \(targets) I/Os: struck in \(struck) lives")
    #expect(struck > tried / 2)
  }
}

/// One life of a store on a disk that may fail at any moment.
private final class Life {
  private static let commits: Int64 = 30

  private let vfs: FaultVFS
  private let directory: TemporaryDirectory
  private let path: String
  private let script = LibraryScript(seed: 30)
  /// The last revision a flush vouched for.
  private var acknowledged = Revision(commits)
  private(set) var wasStruck = false

  /// A store that has a past: two snapshots, and a journal that waits to be trimmed.
  init(_ vfs: FaultVFS) async throws {
    self.vfs = vfs
    directory = try TemporaryDirectory()
    path = directory.path("app.strata")
    vfs.heal()
    vfs.forgetFiles()
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
      durability: .grouped(maxDelay: .milliseconds(1)),
      snapshots: SnapshotPolicy(minimumJournalBytes: 1_000, minimumHistoryBytes: 2_000),
      recoveryInterval: .milliseconds(2)
    )
    configuration.vfs = vfs.name
    return try await Persistence.open(
      at: path,
      initialState: LibraryState(),
      database: \.db,
      configuration: configuration
    )
  }

  func run(expectingFaults: Bool, _ place: String = "no fault") async throws {
    let persistence: Persistence<LibraryState, LibraryDatabase>
    do {
      persistence = try await open()
    } catch {
      #expect(expectingFaults, "\(place): \(error)")
      wasStruck = true
      vfs.heal()
      return try await checkFile(nil, place)
    }
    let store = LibraryStore(persistence)
    try await work(on: store, persistence)
    // Either the fault has struck, and ends here, or it is still to come, in closing.
    if vfs.strikes > 0 {
      vfs.heal()
      try await catchUp(persistence, place)
    }
    do {
      try await persistence.close()
      acknowledged = persistence.revision
    } catch {
      #expect(expectingFaults, "\(place): \(error)")
    }
    wasStruck = vfs.strikes > 0
    vfs.heal()
    try await checkFile(store.state.db, place)
  }

  private func work(
    on store: LibraryStore,
    _ persistence: Persistence<LibraryState, LibraryDatabase>
  ) async throws {
    for number in Self.commits + 1...2 * Self.commits {
      store.commit { script.commit(number, to: &$0.db) }
      if number % 5 == 0 { await note(persistence) { try await persistence.flush() } }
      if number == Self.commits + 12 {
        await note(persistence) { try await persistence.snapshot(named: "under way") }
      }
    }
    await note(persistence) { try await persistence.snapshot(named: "late") }
  }

  /// Remembers what was acknowledged; what was refused is to be there later.
  private func note(
    _ persistence: Persistence<LibraryState, LibraryDatabase>,
    _ action: () async throws -> Void
  ) async {
    let revision = persistence.revision
    do {
      try await action()
      acknowledged = max(acknowledged, revision)
    } catch _ {}
  }

  /// The disk works again: nobody but the store itself does anything about it.
  private func catchUp(
    _ persistence: Persistence<LibraryState, LibraryDatabase>,
    _ place: String
  ) async throws {
    let deadline = ContinuousClock.now + .seconds(20)
    while persistence.durableRevision < persistence.revision {
      guard ContinuousClock.now < deadline else {
        Issue.record("\(place): it stays at \(persistence.durableRevision)")
        return
      }
      // While it is degraded this throws at once.
      do { try await persistence.flush() } catch { await Task.yield() }
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
