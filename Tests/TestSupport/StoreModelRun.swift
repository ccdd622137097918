import Foundation
import Strata
import StrataBase
import StrataInspection
import StrataJournal
import StrataPersistence
import StrataStorage

/// A store, and the model it must agree with.
///
/// Everything that was acknowledged must be there, and only what was committed, in any order of commits, flushes,
/// snapshots, faults of the disk and power cuts.
package struct StoreModelRun {
  /// What was promised and is not so.
  package private(set) var problems: [String] = []
  /// What the run did.
  package private(set) var steps: [String] = []
  private let seed: UInt64
  private var random: SeededGenerator
  private let script: LibraryScript
  private var directory: TemporaryDirectory
  private var vfs: FaultVFS
  private var persistence: Persistence<LibraryState, LibraryDatabase>
  private var store: LibraryStore
  /// The database at each revision.
  private var states: [LibraryDatabase]
  private var acknowledged: Revision = 0
  private var boot: UUID
  private var isSuspended = false
  /// Whether the disk may have failed since it was last healed.
  private var isStruck = false

  package init(
    seed: UInt64,
    lie: (lie: DiskLie, kind: FileKind, every: Int)? = nil
  ) async throws {
    self.seed = seed
    self.lie = lie
    random = SeededGenerator(seed: seed)
    script = LibraryScript(seed: seed)
    directory = try TemporaryDirectory()
    boot = Scheduling.uuid()
    vfs = try Self.makeDisk(lie)
    persistence = try await Self.open(directory, vfs, .onFlush, boot)
    store = LibraryStore(persistence)
    states = [store.state.db]
  }

  /// What the disk does wrong without an error; a disk that keeps its word has none.
  private let lie: (lie: DiskLie, kind: FileKind, every: Int)?

  private static func makeDisk(_ lie: (lie: DiskLie, kind: FileKind, every: Int)?) throws
    -> FaultVFS
  {
    let disk = try FaultVFS(name: "model-\(Scheduling.uuid().uuidString)")
    if let lie { disk.lie(lie.lie, in: lie.kind, every: lie.every) }
    return disk
  }

  /// Does a number of things at random, and checks the file at the end.
  ///
  /// - Parameter chosen: The numbers of the steps, where others are left out.
  package mutating func run(steps count: Int, only chosen: Set<Int>? = nil) async throws {
    for number in 0..<count where chosen?.contains(number) ?? true {
      random = SeededGenerator(seed: seed, step: number)
      try await step("seed \(seed), step \(number)")
    }
    try await end("seed \(seed), end")
    vfs.forgetFiles()
  }

  private mutating func expect(_ isSo: Bool, _ place: String) {
    if !isSo { problems.append(place) }
  }

  private static func open(
    _ directory: TemporaryDirectory,
    _ vfs: FaultVFS?,
    _ durability: Durability,
    _ boot: UUID
  ) async throws -> Persistence<LibraryState, LibraryDatabase> {
    var configuration = PersistenceConfiguration(
      durability: durability,
      snapshots: SnapshotPolicy(minimumJournalBytes: 2_000, minimumHistoryBytes: 6_000),
      queueCapacity: 40,
      recoveryInterval: .milliseconds(1)
    )
    configuration.vfs = vfs?.name
    configuration.watch = vfs?.watch
    configuration.bootID = boot
    configuration.now = { Scheduling.date }
    return try await Persistence.open(
      at: directory.path("app.strata"),
      initialState: LibraryState(),
      database: \.db,
      configuration: configuration
    )
  }

  private var anyDurability: Durability {
    mutating get {
      let all: [Durability] = [.everyCommit, .grouped(maxDelay: .milliseconds(1)), .onFlush]
      return all[Int(random.next() % 3)]
    }
  }

  private mutating func step(_ place: String) async throws {
    let number = Int.random(in: 0..<20, using: &random)
    steps.append("\(place): \(number), revision \(persistence.revision)")
    switch number {
    case 0..<8: commit()
    case 8, 9, 10: try await acknowledge(place) { try await $0.flush() }
    case 11: try await acknowledge(place) { try await $0.snapshot(named: "named") }
    case 12: try await acknowledge(place) { try await $0.compact() }
    case 13: strike()
    case 14: heal()
    case 15: try await suspendOrResume(place)
    case 16: try await closeAndOpen(place)
    case 17: try await cutPower(place)
    case 18: try await lookBack(place)
    default: try await catchUp(place)
    }
  }

  private mutating func end(_ place: String) async throws {
    try await catchUp(place)
    try await closeAndOpen(place)
    try await persistence.close()
    let verification = try Inspector(path: directory.path("app.strata")).verify()
    expect(verification.isSound, "\(place): \(verification)")
  }

  private mutating func commit() {
    for _ in 0..<Int.random(in: 1...12, using: &random) {
      let number = Int64(states.count)
      store.commit { script.commit(number, to: &$0.db) }
      states.append(store.state.db)
    }
  }

  private mutating func acknowledge(
    _ place: String,
    _ action: (Persistence<LibraryState, LibraryDatabase>) async throws -> Void
  ) async throws {
    do {
      try await action(persistence)
      acknowledged = persistence.revision
      expect(persistence.durableRevision == acknowledged, "\(place)")
    } catch {
      // A store that met a fault before may still be recovering.
      expect(isSuspended || isStruck, "\(place): \(error)")
    }
  }

  private mutating func strike() {
    isStruck = true
    vfs.inject(
      DiskFault.allCases[Int(random.next() % UInt64(DiskFault.allCases.count))],
      in: [nil, .wal, .database, .own][Int(random.next() % 4)],
      after: Int(random.next() % 30),
      times: random.next() % 2 == 0 ? .once : .sticky
    )
  }

  private func heal() { vfs.heal() }

  private mutating func suspendOrResume(_ place: String) async throws {
    if isSuspended {
      do {
        try await persistence.resume()
        isSuspended = false
      } catch {
        expect(isStruck, "\(place): \(error)")
      }
    } else {
      do {
        try await persistence.suspend()
        acknowledged = persistence.revision
      } catch {
        expect(isStruck, "\(place): \(error)")
      }
      isSuspended = true
    }
  }

  /// Heals the disk, and waits until everything is on it.
  private mutating func catchUp(_ place: String) async throws {
    vfs.heal()
    if isSuspended {
      try await persistence.resume()
      isSuspended = false
    }
    let deadline = Scheduling.now + .seconds(180)
    // Not a flush: if all is durable it does not reach the writer, whose maintenance may have failed.
    while true {
      do {
        _ = try await persistence.snapshot(named: "caught up")
        break
      } catch {
        // After many failures the writer waits for seconds before it tries the file again.
        if Scheduling.now > deadline { throw error }
        try await Scheduling.sleep(for: .milliseconds(1))
      }
    }
    expect(persistence.durableRevision == persistence.revision, "\(place)")
    isStruck = false
    acknowledged = persistence.revision
  }

  private mutating func closeAndOpen(_ place: String) async throws {
    do {
      try await persistence.close()
      acknowledged = persistence.revision
    } catch {
      expect(isStruck, "\(place): \(error)")
    }
    try await reopen(place)
  }

  private mutating func reopen(_ place: String) async throws {
    let durability = anyDurability
    do {
      persistence = try await Self.open(directory, vfs, durability, boot)
    } catch {
      expect(isStruck, "\(place): \(error)")
      vfs.heal()
      persistence = try await Self.open(directory, vfs, durability, boot)
    }
    check(persistence, place)
    isSuspended = false
    states = Array(states[0...Int(persistence.revision.number)])
    store = LibraryStore(persistence)
  }

  private mutating func check(
    _ restored: Persistence<LibraryState, LibraryDatabase>,
    _ place: String
  ) {
    expect(restored.revision >= acknowledged, "\(place)")
    guard states.indices.contains(Int(restored.revision.number)) else {
      problems.append("\(place): revision \(restored.revision) was never committed")
      return
    }
    expect(restored.initialState.db == states[Int(restored.revision.number)], "\(place)")
  }

  /// Checks what is on the medium after a power cut; every second time the run continues from there.
  private mutating func cutPower(_ place: String) async throws {
    let after = try TemporaryDirectory()
    try vfs.cutPower(seed: random.next(), into: after.url)
    if random.next() % 2 == 0 {
      let restored = try await Self.open(after, nil, .onFlush, Scheduling.uuid())
      check(restored, place)
      try await restored.close()
      return
    }
    do { try await persistence.close() } catch _ {}
    directory = after
    vfs = try Self.makeDisk(lie)
    boot = Scheduling.uuid()
    isStruck = false
    try await reopen(place)
  }

  private mutating func lookBack(_ place: String) async throws {
    let revision = Int64.random(in: 0..<Int64(states.count), using: &random)
    do {
      let database = try await persistence.state(at: .revision(Revision(revision)))
      expect(database == states[Int(revision)], "\(place), revision \(revision)")
    } catch {
      switch error.reason {
      case .trimmed, .merged: break
      default: expect(isSuspended || isStruck, "\(place): \(error)")
      }
    }
  }
}
