import Foundation
import Strata
import StrataBase
import StrataNormalization
import StrataPersistence
import StrataStorage
import TestSupport
import Testing

#if canImport(Glibc)
  import Glibc

  /// The function of the allocator that says how large a block is.
  private func sizeOfBlock() -> (@convention(c) (UnsafeMutableRawPointer) -> Int)? {
    dlsym(nil, "malloc_usable_size").map {
      unsafeBitCast($0, to: (@convention(c) (UnsafeMutableRawPointer) -> Int).self)
    }
  }
#else
  private func sizeOfBlock() -> ((UnsafeMutableRawPointer) -> Int)? { nil }
#endif

/// The last states of a store, which stay in memory.
struct RecentStateTests {
  let directory: TemporaryDirectory
  let path: String
  let clock = SettableClock()
  let seed = UInt64.random(in: 0..<1 << 32)

  init() throws {
    directory = try TemporaryDirectory()
    path = directory.path("app.strata")
  }

  private func open(
    _ recent: RecentStatePolicy = RecentStatePolicy(),
    tables: [TableOption<LibraryDatabase>] = [],
    values: [PersistedValue<LibraryState>] = []
  ) async throws -> Persistence<LibraryState, LibraryDatabase> {
    var configuration = PersistenceConfiguration(
      snapshots: SnapshotPolicy(minimumJournalBytes: 4_000, minimumHistoryBytes: 1 << 40),
      now: { [clock] in clock.now }
    )
    configuration.recentStates = recent
    return try await Persistence.open(
      at: path,
      initialState: LibraryState(),
      database: \.db,
      values: values,
      tables: tables,
      configuration: configuration
    )
  }

  /// Whether a database has the nodes of another one, and so was not read from the file.
  private func isShared(_ database: LibraryDatabase, with other: LibraryDatabase) -> Bool {
    !other.books.nodes.isEmpty && database.books.nodes == other.books.nodes
  }

  @Test func `each state is what the file has, whether or not it is in memory`() async throws {
    let persistence = try await open(RecentStatePolicy(count: 40))
    let store = LibraryStore(persistence)
    let script = LibraryScript(seed: seed)
    var states = [store.state.db]
    for number in Int64(1)...120 {
      store.commit { script.commit(number, to: &$0.db) }
      states.append(store.state.db)
    }
    try await persistence.flush()
    let inspector = try Inspector(path: path)
    var shared = 0
    for (number, state) in states.enumerated() {
      let revision = Revision(Int64(number))
      let found = try await persistence.state(at: .revision(revision))
      #expect(found == state, "seed \(seed), revision \(number)")
      let stored = try inspector.database(over: LibraryDatabase(), at: revision)
      #expect(found == stored, "seed \(seed), revision \(number)")
      if found.books.nodes == state.books.nodes, !state.books.isEmpty { shared += 1 }
    }
    #expect(shared >= 30)
    try await persistence.close()
  }

  @Test func `the state before the last shares its nodes with the store's`() async throws {
    let persistence = try await open()
    let store = LibraryStore(persistence)
    store.commit { state in
      for number in 0..<5_000 { state.db.books.insert(Book(id: EntityID(number))) }
    }
    let before = store.state.db
    try store.commit { state throws in try state.db.books.update(7) { $0.title = "changed" } }
    #expect(isShared(try await persistence.state(at: .revision(1)), with: before))
    clock.advance(by: 5)
    let last = store.state.db
    #expect(isShared(try await persistence.state(at: .time(clock.now)), with: last))
    try await persistence.snapshot(named: "last")
    #expect(isShared(try await persistence.state(at: .snapshot("last")), with: last))
    try await persistence.close()
  }

  @Test func `a revert to one of them changes what differs, and is right`() async throws {
    let persistence = try await open(values: [PersistedValue("count", \.count)])
    let store = LibraryStore(persistence)
    store.commit { state in
      for number in 0..<2_000 { state.db.books.insert(Book(id: EntityID(number))) }
      state.count = 1
    }
    let before = store.state
    store.commit { $0.count = 2 }
    try store.commit { state throws in try state.db.books.update(7) { $0.title = "changed" } }
    try await persistence.revert(to: .revision(1))
    #expect(store.state == before)
    #expect(try await persistence.value(at: .revision(2), \.count) == 2)
    try await persistence.close()
    let again = try await open(values: [PersistedValue("count", \.count)])
    #expect(again.initialState == before)
    try await again.close()
  }

  @Test func `the state of the opening is among them`() async throws {
    let first = try await open()
    LibraryStore(first).commit { $0.db.books.insert(Book(id: 1)) }
    try await first.close()
    let persistence = try await open()
    let store = LibraryStore(persistence)
    let opened = store.state.db
    store.commit { $0.db.books.insert(Book(id: 2)) }
    #expect(isShared(try await persistence.state(at: .revision(1)), with: opened))
    try await persistence.close()
  }

  @Test func `a table that is new to the file is empty before the opening added it`() async throws {
    let first = try await Persistence.open(
      at: path,
      initialState: BooksOnly(),
      database: \.self
    )
    Store<BooksOnly, Never>(first).commit { $0.books.insert(Book(id: 1)) }
    try await first.close()
    var state = LibraryState()
    state.db.authors.insert(Author(id: "ada"))
    let persistence = try await Persistence.open(at: path, initialState: state, database: \.db)
    let store = LibraryStore(persistence)
    store.commit { $0.db.books.insert(Book(id: 2)) }
    #expect(try await persistence.state(at: .revision(1)).authors.isEmpty)
    #expect(try await persistence.state(at: .revision(2)).authors.count == 1)
    #expect(try await persistence.state(at: .revision(2)).books.count == 1)
    #expect(try await persistence.state(at: .revision(3)) == store.state.db)
    try await persistence.close()
  }

  @Test(
    arguments: [
      (RecentStatePolicy(count: 3), 3), (RecentStatePolicy(changes: 4), 5),
      (RecentStatePolicy(age: .seconds(25)), 3), (.none, 0), (RecentStatePolicy(count: 1), 1),
    ]
  )
  func `each limit releases the oldest`(_ policy: RecentStatePolicy, _ kept: Int) async throws {
    let persistence = try await open(policy)
    let store = LibraryStore(persistence)
    var states = [store.state.db]
    for number in 1...20 {
      clock.advance(by: 10)
      store.commit { $0.db.books.insert(Book(id: EntityID(number))) }
      states.append(store.state.db)
    }
    var shared: [Int] = []
    for number in 1...20 {
      let found = try await persistence.state(at: .revision(Revision(Int64(number))))
      #expect(found == states[number])
      if isShared(found, with: states[number]) { shared.append(number) }
    }
    #expect(shared == Array((1...20).suffix(kept)))
    try await persistence.close()
  }

  @Test func `a revision that compact removed is refused though it was in memory`() async throws {
    let persistence = try await open()
    let store = LibraryStore(persistence)
    for number in 1...5 { store.commit { $0.db.books.insert(Book(id: EntityID(number))) } }
    try await persistence.compact()
    let error = await #expect(throws: PersistenceError.self) {
      try await persistence.state(at: .revision(3))
    }
    guard case .trimmed = error?.reason else {
      Issue.record("another reason: \(String(describing: error))")
      return
    }
    let later = await #expect(throws: PersistenceError.self) {
      try await persistence.state(at: .revision(9))
    }
    #expect(later?.reason == .notReached(9, last: 5))
    try await persistence.close()
  }

  @Test func `tables with options come as the file has them`() async throws {
    let excluding = try await open(tables: [.excluded(\.authors)])
    var store = LibraryStore(excluding)
    store.commit { state in
      state.db.authors.insert(Author(id: "ada"))
      state.db.books.insert(Book(id: 1, title: "secret"))
    }
    let before = store.state.db
    store.commit { $0.db.books.insert(Book(id: 2)) }
    let found = try await excluding.state(at: .revision(1))
    #expect(found.authors.isEmpty)
    #expect(isShared(found, with: before))
    try await excluding.close()

    let redacting = try await open(tables: [.redacted(\.books) { $0.title = "-" }])
    store = LibraryStore(redacting)
    store.commit { $0.db.books.insert(Book(id: 3, title: "secret")) }
    let revision = redacting.revision
    store.commit { $0.db.books.insert(Book(id: 4)) }
    let redacted = try await redacting.state(at: .revision(revision))
    #expect(redacted.books[3]?.title == "-")
    try await redacting.close()
  }

  /// What 64 states hold beyond the present one, when each commit changed one of 20,000 entities.
  @Test func `they hold a few nodes for each commit`() async throws {
    let persistence = try await open()
    let store = LibraryStore(persistence)
    store.commit { state in
      for number in 0..<20_000 { state.db.books.insert(Book(id: EntityID(number))) }
    }
    for number in 1...63 {
      try store.commit { state throws in
        try state.db.books.update(EntityID(number * 300)) { $0.title = "changed" }
      }
    }
    let present = store.state.db.books.nodes
    var held: Set<ObjectIdentifier> = []
    var kept: [LibraryDatabase] = []
    for number in Int64(1)...64 {
      let state = try await persistence.state(at: .revision(Revision(number)))
      kept.append(state)
      held.formUnion(state.books.nodes)
    }
    let extra = held.subtracting(present).count
    var statistics = "64 states of \(present.count) nodes hold \(extra) nodes beyond the last one"
    if let size = sizeOfBlock() {
      let bytes = held.subtracting(present).reduce(0) { sum, node in
        sum + size(unsafeBitCast(node, to: UnsafeMutableRawPointer.self))
      }
      statistics += ", \(bytes / 63) bytes for each commit"
      #expect(bytes / 63 < 4_096)
    }
    let printed = statistics
    printStatistics(printed)
    #expect(extra > 63)
    #expect(extra <= 63 * 6)
    try await persistence.close()
  }
}

private struct BooksOnly: DatabaseType, StateType {
  var books = EntityTable<Book>()
  static let schema = DatabaseSchema<BooksOnly> { Entities(\.books) }
}

/// A clock that a test moves.
final class SettableClock: Sendable {
  private let seconds = Lock(0.0)

  var now: Date { Date(timeIntervalSince1970: 1_700_000_000 + seconds.withLock { $0 }) }

  func advance(by interval: Double) { seconds.withLock { $0 += interval } }
}
