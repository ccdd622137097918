import Foundation
import Strata
import StrataCore
import StrataInspection
import StrataJournal
import StrataPersistence
import StrataStorage
import TestSupport
import Testing

/// Releasing the file and taking it again.
struct SuspensionTests {
  let directory: TemporaryDirectory
  let path: String
  let seed = randomSeed()

  init() throws {
    directory = try TemporaryDirectory()
    path = directory.path("app.strata")
  }

  private func open(
    capacity: Int = 100_000,
    on vfs: FaultVFS? = nil
  ) async throws -> Persistence<LibraryState, LibraryDatabase> {
    var configuration = PersistenceConfiguration(
      durability: .grouped(maxDelay: .milliseconds(1)),
      snapshots: SnapshotPolicy(minimumJournalBytes: 8_000, minimumHistoryBytes: 20_000),
      queueCapacity: capacity,
      recoveryInterval: .milliseconds(5)
    )
    configuration.vfs = vfs?.name
    return try await Persistence.open(
      at: path,
      initialState: LibraryState(),
      database: \.db,
      configuration: configuration
    )
  }

  private func reason(_ body: () async throws -> Void) async -> PersistenceError.Reason? {
    do {
      try await body()
      return nil
    } catch {
      return (error as? PersistenceError)?.reason
    }
  }

  @Test
  func `what is committed between suspend and resume is in the file afterwards, one by one`()
    async throws
  {
    let persistence = try await open()
    let store = LibraryStore(persistence)
    let script = LibraryScript(seed: seed)
    var states = [store.state.db]
    func commit(_ count: Int) {
      for _ in 0..<count {
        store.commit { script.commit(Int64(states.count), to: &$0.db) }
        states.append(store.state.db)
      }
    }
    for _ in 0..<4 {
      commit(20)
      try await persistence.suspend()
      #expect(try Inspector(path: path).info().revision == Int64(states.count - 1))
      commit(30)
      #expect(persistence.status.queue.commits == 30)
      try await persistence.resume()
      try await persistence.flush()
      #expect(persistence.durableRevision == Revision(Int64(states.count - 1)))
    }
    for revision in (states.count - 40)..<states.count {
      let database = try await persistence.state(at: .revision(Revision(Int64(revision))))
      #expect(database == states[revision], "seed \(seed), revision \(revision)")
    }
    try await persistence.close()
    #expect(try Inspector(path: path).verify().isSound)
  }

  @Test(.enabled(if: FileManager.default.fileExists(atPath: "/proc/self/fd")))
  func `while it is suspended nothing of the file is open, and another writer may have it`()
    async throws
  {
    let persistence = try await open()
    let store = LibraryStore(persistence)
    store.commit { $0.db.books.insert(Book(id: 1)) }
    #expect(try await persistence.state(at: .revision(0)).books.isEmpty)
    #expect(try directory.openFiles.isEmpty == false)
    try await persistence.suspend()
    #expect(try directory.openFiles == [])
    try await persistence.suspend()

    let other = try await open()
    #expect(other.initialState.db == store.state.db)
    #expect(await reason { try await persistence.resume() } == .alreadyOpen(by: try owner()))
    try await other.close()
    try await persistence.resume()
    try await persistence.resume()
    try await persistence.close()
  }

  private func owner() throws -> String {
    try String(contentsOfFile: path + ".lock", encoding: .utf8).split(separator: "\n")
      .first.map(String.init) ?? ""
  }

  @Test
  func `while it is suspended whoever asks the file is told so, and a durable commit is kept`()
    async throws
  {
    let persistence = try await open()
    let store = LibraryStore(persistence)
    store.commit { $0.db.books.insert(Book(id: 1)) }
    try await persistence.suspend()
    try await persistence.flush()
    let error = await #expect(throws: DurabilityError.self) {
      try await store.commitDurably { $0.db.books.insert(Book(id: 2)) }
    }
    #expect(error?.outcome == .notWritten)
    #expect(error?.cause.reason == .suspended)
    #expect(await reason { try await persistence.flush() } == .suspended)
    #expect(await reason { try await persistence.snapshot(named: "a") } == .suspended)
    #expect(await reason { _ = try await persistence.state(at: .revision(0)) } == .suspended)
    let copy = directory.path("copy.strata")
    #expect(await reason { try await persistence.backup(to: copy) } == .suspended)
    guard case .suspended = persistence.status.condition else {
      Issue.record("another condition: \(persistence.status.condition)")
      return
    }
    try await persistence.resume()
    try await persistence.flush()
    #expect(persistence.status.condition == .healthy)
    try await persistence.close()
    #expect(await reason { try await persistence.suspend() } == .closed)
    #expect(await reason { try await persistence.resume() } == .closed)
    let again = try await open()
    #expect(again.initialState.db == store.state.db)
    try await again.close()
  }

  @Test
  func `a writer that was never opened can be neither suspended nor resumed`() async throws {
    let writer = JournalWriter(try StorePath(path, for: .opening), PersistenceConfiguration())
    #expect(await reason { try await writer.suspend() } == .closed)
    #expect(await reason { try await writer.resume() } == .closed)
  }

  @Test
  func `a file that another writer went on with is not written to`() async throws {
    let persistence = try await open()
    let store = LibraryStore(persistence)
    store.commit { $0.db.books.insert(Book(id: 1)) }
    try await persistence.suspend()
    let other = try await open()
    LibraryStore(other).commit { $0.db.books.insert(Book(id: 2)) }
    try await other.close()
    let before = try StoreBytes(path)
    for number in 3...5 { store.commit { $0.db.books.insert(Book(id: EntityID(number))) } }

    #expect(await reason { try await persistence.resume() } == .movedOn(from: 1, to: 2))
    #expect(await reason { try await persistence.resume() } == .movedOn(from: 1, to: 2))
    #expect(await reason { try await persistence.close() } == .movedOn(from: 1, to: 2))
    #expect(try StoreBytes(path) == before)
    #expect(persistence.status.condition == .closed)
  }

  @Test
  func `a file of another history at the same revision is not written to`() async throws {
    let persistence = try await open()
    let store = LibraryStore(persistence)
    store.commit { $0.db.books.insert(Book(id: 1)) }
    try await persistence.backup(to: directory.path("early.strata"))
    store.commit { $0.db.books.insert(Book(id: 2)) }
    try await persistence.suspend()
    // An opening would notice it from the head; a resuming writer must notice it without one.
    for name in ["app.strata", "app.strata.head"] {
      try FileManager.default.removeItem(atPath: directory.path(name))
    }
    try FileManager.default.copyItem(atPath: directory.path("early.strata"), toPath: path)
    let other = try await open()
    LibraryStore(other).commit { $0.db.books.insert(Book(id: 99)) }
    try await other.close()
    let before = try StoreBytes(path)
    #expect(await reason { try await persistence.resume() } == .movedOn(from: 2, to: 2))
    #expect(try StoreBytes(path) == before)
    try await persistence.close()
    #expect(try StoreBytes(path) == before)
  }

  @Test
  func `a file that is gone is said to be missing, and can come back`() async throws {
    let persistence = try await open()
    let store = LibraryStore(persistence)
    store.commit { $0.db.books.insert(Book(id: 1)) }
    try await persistence.suspend()
    store.commit { $0.db.books.insert(Book(id: 2)) }
    let moved = directory.path("moved.strata")
    try FileManager.default.moveItem(atPath: path, toPath: moved)
    #expect(await reason { try await persistence.resume() } == .missing)
    #expect(FileManager.default.fileExists(atPath: path) == false)
    try FileManager.default.moveItem(atPath: moved, toPath: path)
    try await persistence.resume()
    try await persistence.close()
    #expect(
      try Inspector(path: path).database(over: LibraryDatabase(), at: 2) == store.state.db
    )
  }

  @Test
  func `closing while suspended writes what was committed meanwhile`() async throws {
    let persistence = try await open()
    let store = LibraryStore(persistence)
    try await persistence.suspend()
    store.commit { $0.db.books.insert(Book(id: 1)) }
    try await persistence.close()
    let again = try await open()
    #expect(again.initialState.db == store.state.db)
    #expect(again.revision == 1)
    try await again.close()
  }

  @Test
  func `memory is bounded by what changes, and no committer waits`() async throws {
    let persistence = try await open(capacity: 100)
    let store = LibraryStore(persistence)
    try await persistence.suspend()
    for number in 0..<5_000 {
      store.commit { $0.db.books.insert(Book(id: EntityID(number % 10), title: "\(number)")) }
      #expect(persistence.status.queue.entities <= 1_001)
    }
    #expect(persistence.status.queue.commits == 5_000)
    try await persistence.resume()
    try await persistence.close()
    let again = try await open()
    #expect(again.initialState.db == store.state.db)
    #expect(again.revision == 5_000)
    try await again.close()
  }

  @Test
  func `a disk that fails while suspending keeps everything in memory for resuming`() async throws {
    let vfs = try FaultVFS(name: "suspension-\(UUID().uuidString)")
    let persistence = try await open(on: vfs)
    let store = LibraryStore(persistence)
    store.commit { $0.db.books.insert(Book(id: 1)) }
    try await persistence.flush()
    vfs.failNext(.write, in: .wal, code: .ioerrWrite, times: .sticky)
    store.commit { $0.db.books.insert(Book(id: 2)) }
    await #expect(throws: PersistenceError.self) { try await persistence.suspend() }
    guard case .suspended = persistence.status.condition else {
      Issue.record("another condition: \(persistence.status.condition)")
      return
    }
    await #expect(throws: PersistenceError.self) { try await persistence.resume() }
    vfs.heal()
    try await persistence.resume()
    try await persistence.flush()
    #expect(persistence.durableRevision == 2)
    try await persistence.close()
    #expect(
      try Inspector(path: path).database(over: LibraryDatabase(), at: 2) == store.state.db
    )
  }
}
