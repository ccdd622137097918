import Foundation
import Strata
import StrataJournal
import StrataPersistence
import StrataStorage
import TestSupport
import Testing

/// Opening, committing, closing and opening again.
struct LifecycleTests {
  let directory: TemporaryDirectory
  let path: String

  init() throws {
    directory = try TemporaryDirectory()
    path = directory.path("app.strata")
  }

  private func open(
    _ initialState: LibraryState = LibraryState(),
    _ configuration: PersistenceConfiguration = PersistenceConfiguration()
  ) async throws -> Persistence<LibraryState, LibraryDatabase> {
    try await Persistence.open(
      at: path,
      initialState: initialState,
      database: \.db,
      configuration: configuration
    )
  }

  @Test
  func `what was committed is restored after close`() async throws {
    let persistence = try await open()
    #expect(persistence.report.outcome == .fresh)
    let store = LibraryStore(persistence)
    store.commit("first") { $0.db.books.insert(Book(id: 1, title: "Dune")) }
    store.commit { $0.db.authors.insert(Author(id: "herbert", name: "Frank")) }
    #expect(persistence.revision == 2)
    try await persistence.close()

    let again = try await open()
    #expect(again.report.outcome == .restored)
    #expect(again.report.revision == 2)
    #expect(again.initialState.db == store.state.db)
    #expect(again.report.notes.isEmpty)
    try await again.close()
  }

  @Test
  func `the initial database of a fresh file is its snapshot 0`() async throws {
    var initial = LibraryState()
    initial.db.books = [Book(id: 1, title: "Dune"), Book(id: 2, title: "Emma")]
    let persistence = try await open(initial)
    #expect(persistence.initialState.db == initial.db)
    #expect(persistence.revision == 0)
    try await persistence.close()

    let again = try await open()
    #expect(again.initialState.db == initial.db)
    try await again.close()
  }

  @Test
  func `afterwards the file wins over the initial database`() async throws {
    var initial = LibraryState()
    initial.db.books = [Book(id: 1, title: "Dune")]
    let persistence = try await open(initial)
    LibraryStore(persistence).commit { $0.db.books.removeAll() }
    try await persistence.close()

    initial.count = 7
    let again = try await open(initial)
    #expect(again.initialState.db.books.isEmpty)
    #expect(again.initialState.count == 7)
    try await again.close()
  }

  @Test
  func `a commit that leaves the database alone makes no revision`() async throws {
    let persistence = try await open()
    let store = LibraryStore(persistence)
    store.commit { $0.count += 1 }
    store.commit { $0.db.books.remove(99) }
    #expect(persistence.revision == 0)
    #expect(store.changes.version == 1)
    try await persistence.close()
  }

  @Test
  func `flush makes durable what was committed before it`() async throws {
    let persistence = try await open(
      LibraryState(),
      PersistenceConfiguration(durability: .onFlush)
    )
    let store = LibraryStore(persistence)
    for number in 1...500 { store.commit { $0.db.books.insert(Book(id: EntityID(number))) } }
    try await persistence.flush()
    #expect(persistence.durableRevision == 500)
    try await persistence.close()
  }

  @Test
  func `64 flushes at once are all answered`() async throws {
    let persistence = try await open()
    let store = LibraryStore(persistence)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 1...64 {
        group.addTask {
          store.commit { $0.db.books.insert(Book(id: EntityID(number))) }
          let revision = persistence.revision
          try await persistence.flush()
          #expect(persistence.durableRevision >= min(revision, 64))
        }
      }
      try await group.waitForAll()
    }
    #expect(persistence.durableRevision == 64)
    try await persistence.close()
  }

  @Test
  func `a subclass with its own initializer and properties is persisted`() async throws {
    final class TitledStore: Store<LibraryState, LibraryActivity>, @unchecked Sendable {
      let title: String

      init(_ persistence: Persistence<LibraryState, LibraryDatabase>, title: String) {
        self.title = title
        super.init(persistence)
      }
    }
    let persistence = try await open()
    let store = TitledStore(persistence, title: "Main library")
    store.commit { $0.db.books.insert(Book(id: 1, title: store.title)) }
    try await persistence.close()

    let again = try await open()
    #expect(again.initialState.db.books[1]?.title == "Main library")
    try await again.close()
  }

  @Test
  func `a commit after close is refused and changes nothing`() async throws {
    let persistence = try await open()
    let store = LibraryStore(persistence)
    try await persistence.close()

    #expect(throws: PersistenceError.self) {
      try store.commit { state throws in state.db.books.insert(Book(id: 1)) }
    }
    #expect(store.state.db.books.isEmpty)
    store.commit { $0.count += 1 }
    #expect(store.state.count == 1)
    await #expect(throws: PersistenceError.self) { try await persistence.flush() }
    try await persistence.close()
  }

  @Test
  func `every commit that returned while closing began is in the file`() async throws {
    let persistence = try await open()
    let store = LibraryStore(persistence)
    let committed = Recorder<Int>()
    let committing = inBackground {
      for number in 1...100_000 {
        do {
          try store.commit { state throws in state.db.books.insert(Book(id: EntityID(number))) }
          committed.record(number)
        } catch {
          return
        }
      }
    }
    while committed.elements.count < 100 { await Task.yield() }
    try await persistence.close()
    #expect(await committing.isOpen())

    let again = try await open()
    #expect(again.initialState.db.books.count == committed.elements.count)
    try await again.close()
  }

  @Test
  func `closing waits for a commit that is under way, and writes it`() async throws {
    let persistence = try await open()
    let store = LibraryStore(persistence)
    let hook = SlowHook()
    store.hook(where: { (_: SlowHook) in false }, orInstall: { hook })
    let committing = inBackground { store.commit { $0.db.books.insert(Book(id: 1)) } }
    #expect(await hook.reached.isOpen())

    let closed = Recorder<Bool>()
    let closing = Task {
      try await persistence.close()
      closed.record(true)
    }
    // Time for a close that does not wait to finish; one that waits is still pending afterwards.
    for _ in 0..<20_000 where closed.elements.isEmpty { await Task.yield() }
    hook.proceed.open()
    #expect(await committing.isOpen())
    try await closing.value

    let again = try await open()
    #expect(again.initialState.db.books.count == 1)
    try await again.close()
  }

  @Test
  func `withPersistence flushes and closes when the body throws`() async throws {
    struct Interrupted: Error {}
    await #expect(throws: Interrupted.self) {
      try await withPersistence(
        at: path,
        initialState: LibraryState(),
        database: \.db,
        store: LibraryStore.init
      ) { store in
        store.commit { $0.db.books.insert(Book(id: 1)) }
        throw Interrupted()
      }
    }
    let again = try await open()
    #expect(again.initialState.db.books.count == 1)
    try await again.close()
  }

  @Test
  func `the store keeps its persistence alive`() async throws {
    weak var persistence: Persistence<LibraryState, LibraryDatabase>?
    var store: LibraryStore?
    do {
      let opened = try await open()
      persistence = opened
      store = LibraryStore(opened)
    }
    #expect(persistence != nil)
    store?.commit { $0.db.books.insert(Book(id: 1)) }
    try await persistence?.close()
    store = nil
    #expect(persistence == nil)
  }

  @Test
  func `a second store on one persistence traps with the remedy`() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let directory = try TemporaryDirectory()
      let persistence = try await Persistence.open(
        at: directory.path("app.strata"),
        initialState: LibraryState(),
        database: \.db
      )
      let first = LibraryStore(persistence)
      _ = LibraryStore(persistence)
      withExtendedLifetime(first) {}
    }
    #expect(result?.standardErrorContent.text.contains("is the second") == true)
  }

  @Test
  func `a store after the one that is gone traps with the remedy`() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let directory = try TemporaryDirectory()
      let persistence = try await Persistence.open(
        at: directory.path("app.strata"),
        initialState: LibraryState(),
        database: \.db
      )
      _ = LibraryStore(persistence)
      _ = LibraryStore(persistence)
    }
    #expect(result?.standardErrorContent.text.contains("open the file again") == true)
  }
}

/// Blocks a commit after persistence has accepted it.
private final class SlowHook: CommitHook {
  typealias State = LibraryState

  let reached = Latch()
  let proceed = Latch()

  func editDidEnd(_ edit: inout Edit<LibraryState>) {
    reached.open()
    _ = proceed.wait()
  }
}
