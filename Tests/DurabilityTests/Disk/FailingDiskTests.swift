import Foundation
import Strata
import StrataInspection
import StrataJournal
import StrataMaintenance
import StrataPersistence
import StrataStorage
import TestSupport
import Testing

/// I/O errors and power cuts.
struct FailingDiskTests {
  /// The number of power cuts for each kind of durability.
  static let cuts = (loopCount("STRATA_CUTS", 90) + 2) / 3

  let directory: TemporaryDirectory
  let path: String

  init() throws {
    directory = try TemporaryDirectory()
    path = directory.path("app.strata")
  }

  private func configuration(
    _ vfs: FaultVFS,
    _ durability: Durability = .grouped(maxDelay: .milliseconds(1))
  ) -> PersistenceConfiguration {
    var configuration = PersistenceConfiguration(
      durability: durability,
      snapshots: SnapshotPolicy(minimumJournalBytes: 3_000, minimumHistoryBytes: 9_000),
      recoveryInterval: .milliseconds(5)
    )
    configuration.vfs = vfs.name
    configuration.watch = vfs.watch
    return configuration
  }

  /// Every kind of failure while a script runs: nothing acknowledged is lost, nothing is stored twice.
  @Test(arguments: FileOperation.failing, [0, 1, 2, 5, 9, 14])
  func `after a failure the file catches up with memory`(
    operation: FileOperation,
    skipping: Int
  ) async throws {
    let vfs = try FaultVFS(name: "failing-\(operation)-\(skipping)")
    let persistence = try await Persistence.open(
      at: path,
      initialState: LibraryState(),
      database: \.db,
      configuration: configuration(vfs)
    )
    let store = LibraryStore(persistence)
    var events = persistence.events.makeAsyncIterator()
    let script = LibraryScript(seed: UInt64(skipping))
    vfs.failNext(operation, in: .wal, code: operation.failure, after: skipping, times: .once)

    for number in Int64(1)...60 {
      store.commit { script.commit(number, to: &$0.db) }
      // Whether this throws depends on how fast the writer recovers.
      try? await persistence.flush()
    }
    #expect(vfs.failureCount == 1)
    while let event = await events.next() {
      if case .recovered = event { break }
    }
    try await persistence.flush()
    #expect(persistence.durableRevision == 60)
    try await persistence.close()

    let again = try await Persistence.open(
      at: path,
      initialState: LibraryState(),
      database: \.db
    )
    #expect(again.initialState.db == store.state.db)
    #expect(again.revision == 60)
    try await again.close()
    let verification = try Inspector(path: path).verify()
    #expect(verification.isSound, "\(verification)")
  }

  /// Once SQLite has failed to write, and to read what was there before, it counts the file as changed.
  @Test(arguments: 0...11)
  func `a failure while the file is compacted is not taken for another program's change`(
    skipping: Int
  ) async throws {
    let vfs = try FaultVFS(name: "compacting-\(skipping)")
    let persistence = try await Persistence.open(
      at: path,
      initialState: LibraryState(),
      database: \.db,
      configuration: configuration(vfs, .onFlush)
    )
    let store = LibraryStore(persistence)
    let script = LibraryScript(seed: UInt64(skipping))
    for number in Int64(1)...20 { store.commit { script.commit(number, to: &$0.db) } }
    try await persistence.flush()
    vfs.inject(.failedIO, after: skipping, times: .sticky)
    await #expect(throws: PersistenceError.self) { try await persistence.compact() }
    vfs.heal()
    store.commit { script.commit(21, to: &$0.db) }
    var isFlushed = false
    while !isFlushed {
      do throws(PersistenceError) {
        try await persistence.flush()
        isFlushed = true
      } catch {
        // A sync may have failed, and then the file is opened again.
        if case .damaged = error.reason { throw error }
      }
    }
    try await persistence.close()
    // It removes what the snapshot has left.
    let again = try await Persistence.open(at: path, initialState: LibraryState(), database: \.db)
    #expect(again.initialState.db == store.state.db)
    try await again.close()
    let verification = try Inspector(path: path).verify()
    #expect(verification.isSound, "\(verification)")
  }

  @Test
  func `a disk that stays away costs memory for what changed, and flush says why`() async throws {
    let vfs = try FaultVFS(name: "away")
    let persistence = try await Persistence.open(
      at: path,
      initialState: LibraryState(),
      database: \.db,
      configuration: configuration(vfs)
    )
    let store = LibraryStore(persistence)
    vfs.failNext(.write, in: .wal, code: .ioerrWrite, times: .sticky)
    for number in 0..<3_000 {
      store.commit { $0.db.books.insert(Book(id: EntityID(number % 10), title: "\(number)")) }
    }
    let error = await #expect(throws: PersistenceError.self) { try await persistence.flush() }
    guard case .io = error?.reason else {
      Issue.record("another reason: \(String(describing: error))")
      return
    }
    vfs.heal()
    try await persistence.close()

    let inspector = try Inspector(path: path)
    #expect(try inspector.info().revision == 3_000)
    let log = try inspector.log(.last(3_000)).deltas
    let merged = try #require(log.first { $0.first < $0.revision })
    #expect(throws: PersistenceError.self) {
      try inspector.database(over: LibraryDatabase(), at: Revision(merged.first))
    }
    #expect(try inspector.database(over: LibraryDatabase(), at: 3_000) == store.state.db)
    #expect(try inspector.verify().isSound)
  }

  @Test(arguments: [Durability.everyCommit, .grouped(maxDelay: .milliseconds(1)), .onFlush])
  func `after any power cut the state is the model, not before the last flush`(
    durability: Durability
  ) async throws {
    let vfs = try FaultVFS(name: "cut-\(UUID().uuidString)")
    let seed = randomSeed()
    var random = SeededGenerator(seed: seed)
    let persistence = try await Persistence.open(
      at: path,
      initialState: LibraryState(),
      database: \.db,
      configuration: configuration(vfs, durability)
    )
    let store = LibraryStore(persistence)
    let script = LibraryScript(seed: seed)
    var states = [store.state.db]
    var acknowledged: Revision = 0
    for cut in 0..<Self.cuts {
      for _ in 0..<Int.random(in: 1...9, using: &random) {
        store.commit { script.commit(Int64(states.count), to: &$0.db) }
        states.append(store.state.db)
      }
      if Bool.random(using: &random) {
        try await persistence.flush()
        acknowledged = persistence.revision
      }
      let after = try TemporaryDirectory()
      let head = try Data(contentsOf: URL(fileURLWithPath: path + ".head"))
      try vfs.cutPower(seed: random.next(), into: after.url)
      // The head as the power cut left it, as it was written last, or none.
      let cutHead = URL(fileURLWithPath: after.path("app.strata.head"))
      switch Int.random(in: 0..<3, using: &random) {
      case 0: break
      case 1: try head.write(to: cutHead)
      default: try FileManager.default.removeItem(at: cutHead)
      }
      var rebooted = PersistenceConfiguration()
      rebooted.bootID = UUID()
      let restored = try await Persistence.open(
        at: after.path("app.strata"),
        initialState: LibraryState(),
        database: \.db,
        configuration: rebooted
      )
      #expect(restored.revision >= acknowledged, "seed \(seed), cut \(cut)")
      let model = states[Int(restored.revision.number)]
      #expect(restored.initialState.db == model, "seed \(seed), cut \(cut)")
      try await restored.close()
    }
    try await persistence.close()
    printStatistics(
      "\(Self.cuts) power cuts under \(durability), \(states.count) states; seed \(seed)"
    )
  }
}

extension FileOperation {
  /// The operations on SQLite's WAL that fail in these tests.
  fileprivate static let failing: [FileOperation] = [.write, .sync]

  fileprivate var failure: FaultCode { self == .sync ? .ioerrFsync : .ioerrWrite }
}
