import Foundation
import Strata
import StrataCore
import StrataJournal
import StrataPersistence
import StrataStorage
import TestSupport
import Testing

/// Commits that return when they are on disk.
struct CommitDurablyTests {
  let directory: TemporaryDirectory
  let path: String

  init() throws {
    directory = try TemporaryDirectory()
    path = directory.path("app.strata")
  }

  private func open(
    _ durability: Durability = .grouped(),
    on vfs: FaultVFS? = nil,
    recoveryInterval: Duration = .milliseconds(5)
  ) async throws -> Persistence<LibraryState, LibraryDatabase> {
    var configuration = PersistenceConfiguration(
      durability: durability,
      recoveryInterval: recoveryInterval
    )
    configuration.vfs = vfs?.name
    return try await Persistence.open(
      at: path,
      initialState: LibraryState(),
      database: \.db,
      configuration: configuration
    )
  }

  /// The database that is restored after a power cut at this moment.
  private func afterPowerCut(_ vfs: FaultVFS, seed: UInt64) async throws -> LibraryDatabase {
    let after = try TemporaryDirectory()
    try vfs.cutPower(seed: seed, into: after.url)
    let restored = try await Persistence.open(
      at: after.path("app.strata"),
      initialState: LibraryState(),
      database: \.db
    )
    defer { withExtendedLifetime(after) {} }
    let database = restored.initialState.db
    try await restored.close()
    return database
  }

  @Test(arguments: [Durability.everyCommit, .grouped(maxDelay: .seconds(60)), .onFlush])
  func `what commitDurably returned for survives every power cut, in each mode`(
    durability: Durability
  ) async throws {
    let vfs = try FaultVFS(name: "durably-\(UUID().uuidString)")
    let seed = randomSeed()
    var random = SeededGenerator(seed: seed)
    let persistence = try await open(durability, on: vfs)
    let store = LibraryStore(persistence)
    let script = LibraryScript(seed: seed)
    for number in Int64(1)...40 {
      let title = try await store.commitDurably("step \(number)") { state -> String? in
        script.commit(number, to: &state.db)
        return state.db.authors["clock"]?.name
      }
      #expect(title == "\(number)")
      let found = try await afterPowerCut(vfs, seed: random.next())
      #expect(found == store.state.db, "seed \(seed), commit \(number)")
    }
    try await persistence.close()
  }

  @Test
  func `a closure that throws leaves nothing behind, and its error comes out`() async throws {
    struct Refused: Error {}
    let persistence = try await open()
    let store = LibraryStore(persistence)
    await #expect(throws: Refused.self) {
      try await store.commitDurably { state in
        state.db.books.insert(Book(id: 1))
        throw Refused()
      }
    }
    #expect(store.state.db.books.isEmpty)
    #expect(persistence.revision == 0)
    try await persistence.close()
  }

  @Test
  func `a commit that changes nothing waits for what it may have seen`() async throws {
    let vfs = try FaultVFS(name: "durably-\(UUID().uuidString)")
    let persistence = try await open(.grouped(maxDelay: .seconds(60)), on: vfs)
    let store = LibraryStore(persistence)
    store.commit { $0.db.books.insert(Book(id: 1)) }
    let isThere = try await store.commitDurably { $0.db.books[1] != nil }
    #expect(isThere)
    #expect(persistence.durableRevision == 1)
    #expect(try await afterPowerCut(vfs, seed: 1).books.count == 1)
    try await persistence.close()
  }

  @Test
  func `dispatchers of parts, of tables and of actions commit durably`() async throws {
    let persistence = try await open(.onFlush)
    let store = LibraryStore(persistence)
    let books = LibraryStore.TableDispatcher<Book>(targetStore: store, table: \.db.books)
    try await books.commitDurably { $0.insert(Book(id: 1)) }
    #expect(persistence.durableRevision == 1)
    try await store.commitDurably(scope: \.db.authors) { $0.insert(Author(id: "a")) }
    #expect(persistence.durableRevision == 2)
    let lender = Lender(targetStore: store)
    let count = try await lender.dispatch { $0.lend(2) }
    #expect(count == 2)
    #expect(persistence.durableRevision == 3)
    #expect(store.changes.traces.first?.name == "lend")
    try await persistence.close()
  }

  @Test
  func `those who wait at once share syncs`() async throws {
    let vfs = try FaultVFS(name: "durably-\(UUID().uuidString)")
    let persistence = try await open(.onFlush, on: vfs)
    let store = LibraryStore(persistence)
    vfs.resetCounts()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 1...200 {
        group.addTask {
          try await store.commitDurably { $0.db.books.insert(Book(id: EntityID(number))) }
        }
      }
      try await group.waitForAll()
    }
    #expect(persistence.durableRevision == 200)
    #expect(vfs.count(of: .sync, in: .wal) < 200)
    try await persistence.close()
  }

  @Test
  func `while the disk refuses, a commit is known to be in memory only, and is written later`()
    async throws
  {
    let vfs = try FaultVFS(name: "durably-\(UUID().uuidString)")
    let persistence = try await open(.onFlush, on: vfs, recoveryInterval: .seconds(600))
    let store = LibraryStore(persistence)
    vfs.failNext(.write, in: .wal, code: .ioerrWrite, times: .sticky)
    store.commit { $0.db.books.insert(Book(id: 1)) }
    await #expect(throws: PersistenceError.self) { try await persistence.flush() }

    let error = await #expect(throws: DurabilityError.self) {
      try await store.commitDurably { $0.db.books.insert(Book(id: 2)) }
    }
    #expect(error?.outcome == .notWritten)
    #expect(error?.revision == 2)
    #expect(error?.description.contains("Do not commit it again") == true)
    #expect(store.state.db.books.count == 2)

    vfs.heal()
    try await persistence.close()
    let again = try await open()
    #expect(again.initialState.db == store.state.db)
    try await again.close()
  }

  @Test
  func `a disk that fails in the sync leaves the outcome unknown`() async throws {
    let vfs = try FaultVFS(name: "durably-\(UUID().uuidString)")
    let persistence = try await open(.onFlush, on: vfs)
    let store = LibraryStore(persistence)
    vfs.failNext(.sync, in: .wal, code: .ioerrFsync, times: .sticky)
    let error = await #expect(throws: DurabilityError.self) {
      try await store.commitDurably { $0.db.books.insert(Book(id: 1)) }
    }
    #expect(error?.outcome == .unknown)
    #expect(error?.revision == 1)
    vfs.heal()
    try await persistence.close()
  }

  @Test
  func `a disk that fails in the write leaves the outcome unknown`() async throws {
    let vfs = try FaultVFS(name: "durably-\(UUID().uuidString)")
    let persistence = try await open(.onFlush, on: vfs)
    let store = LibraryStore(persistence)
    vfs.failNext(.write, in: .wal, code: .ioerrWrite, times: .sticky)
    let error = await #expect(throws: DurabilityError.self) {
      try await store.commitDurably { $0.db.books.insert(Book(id: 1)) }
    }
    #expect(error?.outcome == .unknown)
    vfs.heal()
    try await persistence.close()
  }

  @Test
  func `after close nothing is committed`() async throws {
    let persistence = try await open()
    let store = LibraryStore(persistence)
    try await persistence.close()
    let error = await #expect(throws: PersistenceError.self) {
      try await store.commitDurably { $0.db.books.insert(Book(id: 1)) }
    }
    #expect(error?.reason == .closed)
    #expect(store.state.db.books.isEmpty)
  }

  @Test
  func `while the store shows another time nothing is committed durably`() async throws {
    let persistence = try await open()
    let store = LibraryStore(persistence)
    let preview = Preview(of: store)
    let error = await #expect(throws: PersistenceError.self) {
      try await store.commitDurably { $0.db.books.insert(Book(id: 1)) }
    }
    #expect(error?.reason == .previewing)
    #expect(store.state.db.books.isEmpty)
    try preview.discard(
      CommitTrace(name: "back", fileID: #fileID, function: #function, line: #line)
    )
    try await store.commitDurably { $0.db.books.insert(Book(id: 1)) }
    #expect(persistence.durableRevision == 1)
    try await persistence.close()
  }

  @Test
  func `a store without a file traps with the remedy`() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try await LibraryStore().commitDurably { $0.count = 1 }
    }
    #expect(result?.standardErrorContent.text.contains("not created from a Persistence") == true)
  }
}

/// Commits durably within an action.
private final class Lender: LibraryStore.Dispatcher, @unchecked Sendable {
  func lend(_ number: Int) -> AsyncThrowingAction<Int> {
    .action { context in
      try await context.commitDurably("lend") { state in
        state.db.books.insert(Book(id: EntityID(number)))
        return state.db.books.count
      }
    }
  }
}
