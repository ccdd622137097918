import Foundation
import Strata
import StrataBase
import StrataInspection
import StrataJournal
import StrataMaintenance
import StrataNormalization
import StrataStorage
import TestSupport
import Testing

@testable import StrataPersistence

/// The last states of a store, which stay in memory.
struct RecentStateTests {
  let directory: TemporaryDirectory
  let path: String
  let clock = SettableClock()
  let seed = randomSeed()

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
    configuration.recent = recent
    return try await Persistence.open(
      at: path,
      initialState: LibraryState(),
      database: \.db,
      values: values,
      tables: tables,
      configuration: configuration
    )
  }

  /// Whether a state is in memory and need not be read from the file.
  private func isKept(
    _ revision: Revision,
    in persistence: Persistence<LibraryState, LibraryDatabase>
  ) -> Bool {
    persistence.keepsRecentStates
      && persistence.recent.withLock { $0.contents(at: revision) } != nil
  }

  /// Whether two databases have the same nodes.
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
    for (number, state) in states.enumerated() {
      let revision = Revision(Int64(number))
      let found = try await persistence.state(at: .revision(revision))
      #expect(found == state, "seed \(seed), revision \(number)")
      let stored = try inspector.database(over: LibraryDatabase(), at: revision)
      #expect(found == stored, "seed \(seed), revision \(number)")
      #expect(isKept(revision, in: persistence) == (number > 80))
    }
    try await persistence.close()
  }

  @Test func `the states share their nodes with the store's`() async throws {
    let persistence = try await open()
    let store = LibraryStore(persistence)
    store.commit { state in
      for number in 0..<5_000 { state.db.books.insert(Book(id: EntityID(number))) }
    }
    let before = store.state.db
    try store.commit { state throws in try state.db.books.update(7) { $0.title = "changed" } }
    let found = try await persistence.state(at: .revision(1))
    #expect(found == before)
    #expect(found.books.nodes.subtracting(store.state.db.books.nodes).count <= 6)
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
    #expect(isKept(1, in: persistence))
    #expect(try await persistence.state(at: .revision(1)) == opened)
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
      (RecentStatePolicy(age: .seconds(25)), 3), (RecentStatePolicy(count: 0), 0),
      (RecentStatePolicy(count: 1), 1),
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
    for number in 1...20 {
      let revision = Revision(Int64(number))
      #expect(try await persistence.state(at: .revision(revision)) == states[number])
      #expect(isKept(revision, in: persistence) == (number > 20 - kept))
    }
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
    #expect(found.books == before.books)
    #expect(isKept(1, in: excluding))
    try await excluding.close()

    let redacting = try await open(tables: [.redacted(\.books) { $0.title = "-" }])
    store = LibraryStore(redacting)
    store.commit { $0.db.books.insert(Book(id: 3, title: "secret")) }
    let revision = redacting.revision
    store.commit { $0.db.books.insert(Book(id: 4)) }
    let redacted = try await redacting.state(at: .revision(revision))
    #expect(redacted.books[3]?.title == "-")
    #expect(!isKept(revision, in: redacting))
    try await redacting.close()
  }

  @Test func `a commit of more changes than are kept leaves its own state only`() async throws {
    let persistence = try await open(RecentStatePolicy(changes: 100))
    let store = LibraryStore(persistence)
    store.commit { $0.db.books.insert(Book(id: 0)) }
    store.commit { state in
      for number in 1...101 { state.db.books.insert(Book(id: EntityID(number))) }
    }
    #expect(!isKept(1, in: persistence))
    #expect(isKept(2, in: persistence))
    #expect(try await persistence.state(at: .revision(1)).books.count == 1)
    #expect(try await persistence.state(at: .revision(2)) == store.state.db)
    try await persistence.close()
  }

  @Test func `the states before the last hold no nodes`() async throws {
    let persistence = try await open()
    let store = LibraryStore(persistence)
    store.commit { state in
      for number in 0..<20_000 { state.db.books.insert(Book(id: EntityID(number))) }
    }
    let nodes = store.state.db.books.nodes.map { Node($0) }
    for number in 1...40 {
      try store.commit { state throws in
        try state.db.books.update(EntityID(number * 300)) { $0.title = "changed" }
      }
    }
    // What is queued and the store's last commit hold states too.
    try await persistence.flush()
    store.commit { $0.count += 1 }
    let present = store.state.db.books.nodes
    let replaced = nodes.filter { !present.contains($0.identity) }
    #expect(replaced.count > 10)
    #expect(replaced.allSatisfy { $0.object == nil })
    #expect(isKept(1, in: persistence))
    try await persistence.close()
  }
}

/// A node, which this does not keep alive.
private struct Node {
  let identity: ObjectIdentifier
  weak var object: AnyObject?

  /// The node must be alive.
  init(_ identity: ObjectIdentifier) {
    self.identity = identity
    object = unsafeBitCast(identity, to: AnyObject.self)
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
