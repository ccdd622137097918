import Foundation
import Strata
import StrataCore
import StrataInspection
import StrataJournal
import StrataPersistence
import StrataRecords
import StrataSQLite
import StrataStorage
import TestSupport
import Testing

/// Records that are sealed on their way into the file.
struct SealingTests {
  let file: TestStore
  private let vault = ToyVault(key: 0x5EA1)
  private var options: TestStore.Options { [.sealed(\.books, with: vault)] }

  init() throws { file = try TestStore() }

  private var initial: LibraryState {
    var initial = LibraryState()
    initial.db.books = [Book(id: 7, title: secret, rating: 2.5)]
    return initial
  }

  @Test
  func `sealed records are restored, and nowhere clear in the file`() async throws {
    let seed = randomSeed()
    let script = LibraryScript(seed: seed)
    let configuration = PersistenceConfiguration(
      snapshots: SnapshotPolicy(minimumJournalBytes: 4_000, minimumHistoryBytes: 8_000)
    )
    let options = options + [.sealed(\.archivedBooks, with: ToyVault(key: 1))]
    var expected = initial.db
    try await file.run(options, initial, configuration) { store, persistence throws in
      for number in Int64(1)...80 {
        store.commit {
          script.commit(number, to: &$0.db)
          $0.db.books.insert(Book(id: EntityID(1_000 + Int(number)), title: secret))
        }
        if number % 20 == 0 { try await persistence.flush() }
      }
      try await persistence.snapshot(named: "all")
      expected = store.state.db
      #expect(try await file.files(holding: secret) == [])
    }
    #expect(try StoreBytes(file.path).files(holding: secret) == [])
    try await file.run(options) { store, persistence throws in
      #expect(store.state.db == expected, "seed \(seed)")
      #expect(persistence.revision == 80)
      #expect(try await persistence.state(at: .snapshot("all")) == expected)
    }
    let verification = try Inspector(path: file.path).verify()
    #expect(verification.isSound, "\(verification)")
    let inspector = try Inspector(path: file.path)
    #expect(
      try inspector.database(over: LibraryDatabase(), at: 80, tables: options) == expected
    )
    let error = #expect(throws: PersistenceError.self) {
      try inspector.database(over: LibraryDatabase(), at: 80)
    }
    guard case .sealed = error?.reason else {
      Issue.record("another reason: \(String(describing: error))")
      return
    }
    let shown = try inspector.show(table: "books")
    #expect(!shown.isEmpty)
    #expect(shown.allSatisfy { $0.value["$sealed"] != nil })
  }

  @Test
  func `without its sealing a file is refused under every policy, and stays as it was`()
    async throws
  {
    try await file.run(options, initial) { _, _ throws in }
    let before = try StoreBytes(file.path)
    for policy in [RestorePolicy.strict, .bestEffort, .readOnly] {
      let error = await #expect(throws: PersistenceError.self) {
        try await file.open([], LibraryState(), PersistenceConfiguration(restore: policy))
      }
      #expect(error?.reason == .sealed(table: "books"), "\(policy)")
      #expect(error?.description.contains(".sealed(\\.books, with: …)") == true)
    }
    #expect(try StoreBytes(file.path) == before)
  }

  @Test
  func `with another key a file is refused by strict, and carried by best effort`() async throws {
    try await file.run(options, initial) { _, _ throws in }
    let before = try StoreBytes(file.path)
    let wrong: TestStore.Options = [.sealed(\.books, with: ToyVault(key: 2))]
    let error = await #expect(throws: PersistenceError.self) { try await file.open(wrong) }
    guard case .unopenable("books", "7", _) = error?.reason else {
      Issue.record("another reason: \(String(describing: error))")
      return
    }
    #expect(try StoreBytes(file.path) == before)
    let effort = PersistenceConfiguration(restore: .bestEffort)
    try await file.run(wrong, LibraryState(), effort) { store, persistence throws in
      #expect(store.state.db.books.isEmpty)
      #expect(persistence.report.loss?.undecodable.map(\.id) == ["7"])
      store.commit { $0.db.books.insert(Book(id: 8, title: "new")) }
      try await persistence.snapshot(named: "carried")
    }
    try await file.run(options, LibraryState(), effort) { store, persistence throws in
      #expect(store.state.db.books == initial.db.books)
      #expect(persistence.report.loss?.undecodable.map(\.id) == ["8"])
    }
  }

  @Test
  func `a sealed record does not open in the place of another`() throws {
    let context = RecordContext(store: UUID(), table: "books", id: [1, 2])
    var others = [context, context, context]
    others[0] = RecordContext(store: UUID(), table: "books", id: [1, 2])
    others[1] = RecordContext(store: context.store, table: "book", id: [115, 1, 2])
    others[2] = RecordContext(store: context.store, table: "books", id: [1, 3])
    let sealed = try vault.seal([5, 6, 7], context: context)
    #expect(try vault.open(sealed, context: context) == [5, 6, 7])
    for other in others {
      #expect(other.bytes != context.bytes)
      #expect(throws: ToyVault.Refused.self) { try vault.open(sealed, context: other) }
    }
  }

  @Test
  func `a record that was moved to another ID is not opened`() async throws {
    let swapped = Swapping(vault: vault)
    try await file.run([.sealed(\.books, with: swapped)], initial) { _, _ throws in }
    let error = await #expect(throws: PersistenceError.self) { try await file.open(options) }
    guard case .unopenable = error?.reason else {
      Issue.record("another reason: \(String(describing: error))")
      return
    }
  }

  @Test
  func `clear records are sealed when the table is opened sealed, and clear again when unsealed`()
    async throws
  {
    try await file.run([], initial) { store, _ throws in
      store.commit { $0.db.books.insert(Book(id: 8, title: secret)) }
    }
    var expected = LibraryDatabase()
    try await file.run(options) { store, persistence throws in
      #expect(persistence.revision == 2)
      #expect(persistence.report.entities == 2)
      store.commit { $0.db.books.insert(Book(id: 9, title: secret)) }
      expected = store.state.db
    }
    let shown = try Inspector(path: file.path).show(table: "books")
    #expect(shown.count == 3)
    #expect(shown.allSatisfy { $0.value["$sealed"] != nil })
    let log = try Inspector(path: file.path).log(.last(2)).deltas
    #expect(log.first?.changes.map(\.put) == [["7", "8"]])
    try await file.run(options) { store, persistence throws in
      #expect(store.state.db == expected)
      #expect(persistence.revision == 3)
    }
    try await file.run([.unsealed(\.books, with: vault)]) { store, persistence throws in
      #expect(store.state.db == expected)
      #expect(persistence.revision == 4)
      store.commit { $0.db.books.remove(9) }
    }
    try await file.run([]) { store, _ throws in
      #expect(store.state.db.books.count == 2)
      #expect(store.state.db.books[8]?.title == secret)
    }
  }

  @Test
  func `an entity that cannot be sealed is named, and never written in clear`() async throws {
    let vault = ToyVault(key: 3, refusing: Array("unsealable".utf8))
    let options: TestStore.Options = [.sealed(\.books, with: vault)]
    let persistence = try await file.open(options)
    let store = LibraryStore(persistence)
    store.commit { $0.db.books.insert(Book(id: 1, title: "sealable")) }
    store.commit { $0.db.books.insert(Book(id: 1, title: "unsealable")) }
    let error = await #expect(throws: PersistenceError.self) { try await persistence.flush() }
    #expect(error?.description.contains("books 1: it could not be sealed") == true)
    await #expect(throws: PersistenceError.self) { try await persistence.close() }
    #expect(try StoreBytes(file.path).files(holding: "unsealable") == [])
    try await file.run(options) { store, _ throws in
      #expect(store.state.db.books[1]?.title == "sealable")
    }
  }

  @Test
  func `a file whose records cannot be sealed at opening stays as it was`() async throws {
    try await file.run([], initial) { _, _ throws in }
    let before = try Inspector(path: file.path).info().revision
    let vault = ToyVault(key: 3, refusing: Array(secret.utf8))
    await #expect(throws: PersistenceError.self) {
      try await file.open([.sealed(\.books, with: vault)])
    }
    #expect(try Inspector(path: file.path).info().revision == before)
    try await file.run([]) { store, _ throws in #expect(store.state.db.books == initial.db.books) }
  }

  @Test
  func `options live on when the disk fails and comes back`() async throws {
    let vfs = try FaultVFS(name: "sealed")
    var configuration = PersistenceConfiguration(
      durability: .grouped(maxDelay: .milliseconds(1)),
      recoveryInterval: .milliseconds(5)
    )
    configuration.vfs = vfs.name
    let options =
      options + [
        .redacted(\.authors) { $0.name = "" }, .excluded(\.archivedBooks),
      ]
    let persistence = try await file.open(options, LibraryState(), configuration)
    let store = LibraryStore(persistence)
    var events = persistence.events.makeAsyncIterator()
    vfs.failNext(.write, in: .wal, code: .ioerrWrite, times: .sticky)
    store.commit { $0.db.books.insert(Book(id: 1, title: secret)) }
    await #expect(throws: PersistenceError.self) { try await persistence.flush() }
    vfs.heal()
    while let event = await events.next() {
      if case .recovered = event { break }
    }
    store.commit {
      $0.db.books.insert(Book(id: 2, title: secret))
      $0.db.authors.insert(Author(id: "a", name: secret))
      $0.db.archivedBooks.insert(Book(id: 3, title: secret))
    }
    try await persistence.flush()
    try await persistence.suspend()
    store.commit { $0.db.books.insert(Book(id: 4, title: secret)) }
    try await persistence.resume()
    try await persistence.close()
    #expect(try StoreBytes(file.path).files(holding: secret) == [])
    try await file.run(options) { again, _ throws in
      #expect(again.state.db.books == store.state.db.books)
      #expect(again.state.db.authors.map(\.name) == [""])
      #expect(again.state.db.archivedBooks.isEmpty)
    }
  }

  @Test
  func `best effort saves sealed records of a damaged file, without opening them`() async throws {
    try await file.run(options, initial) { store, _ throws in
      store.commit { $0.db.books.insert(Book(id: 8, title: secret)) }
      store.commit { $0.db.books.insert(Book(id: 9, title: secret)) }
    }
    let connection = try Connection(path: file.path, mode: .readWrite)
    try connection.run("UPDATE delta SET name = 'forged' WHERE revision = 2", [])
    try connection.close()
    let effort = PersistenceConfiguration(restore: .bestEffort)
    try await file.run(options, LibraryState(), effort) { store, persistence throws in
      #expect(persistence.report.outcome == .restoredWithLoss)
      #expect(Set(store.state.db.books.map(\.id.raw)) == [7, 8])
    }
  }

  @Test
  func `fields of a sealed type come and go`() async throws {
    try await file.run(options, initial) { _, _ throws in }
    let renamed = try await Persistence.open(
      at: file.path,
      initialState: ThinState(),
      database: \.db,
      tables: [.sealed(\.books, with: vault)]
    )
    #expect(renamed.initialState.db.books[7]?.title == secret)
    #expect(renamed.initialState.db.books[7]?.pages == nil)
    let store = Store<ThinState, Never>(renamed)
    store.commit { $0.db.books.insert(ThinBook(id: 8, title: "thin", pages: 9)) }
    try await renamed.close()
    let again = try await Persistence.open(
      at: file.path,
      initialState: ThinState(),
      database: \.db,
      tables: [.sealed(\.books, with: vault)]
    )
    #expect(again.initialState.db == store.state.db)
    try await again.close()
    let table = try Inspector(path: file.path).tables().first { $0.name == "books" }
    #expect(table?.fields.map(\.name) == ["id", "title", "author", "rating", "pages"])
  }

  @Test
  func `a value can be sealed too`() async throws {
    let file = try SettingsFile()
    let values: [PersistedValue<SettingsState>] = [
      PersistedValue("account", \.session.account, sealing: vault)
    ]
    try await file.run(values: [PersistedValue("account", \.session.account)]) { store, _ throws in
      store.commit { $0.session.account = .init(name: "clear") }
    }
    try await file.run(values: values) { store, persistence throws in
      #expect(store.state.session.account?.name == "clear")
      #expect(persistence.revision == 2)
      store.commit { $0.session.account = .init(name: secret) }
    }
    #expect(try StoreBytes(file.path).files(holding: secret) == [])
    try await file.run(values: values) { store, _ throws in
      #expect(store.state.session.account?.name == secret)
    }
    let error = await #expect(throws: PersistenceError.self) {
      try await file.open(values: [PersistedValue("account", \.session.account)])
    }
    #expect(error?.reason == .sealed(table: "value:account"))
  }

  @Test
  func `two seals of one table trap with the remedy`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let file = try TestStore()
      let vault = ToyVault(key: 1)
      _ = try await file.open([.sealed(\.books, with: vault), .unsealed(\.books, with: vault)])
    }
    #expect(result?.standardErrorContent.text.contains("in two ways") == true)
  }
}

/// Seals each record with the context of another one.
private struct Swapping: RecordSealing {
  let vault: ToyVault

  func seal(_ record: [UInt8], context: RecordContext) throws -> [UInt8] {
    try vault.seal(record, context: other(context))
  }

  func open(_ sealed: [UInt8], context: RecordContext) throws -> [UInt8] {
    try vault.open(sealed, context: other(context))
  }

  private func other(_ context: RecordContext) -> RecordContext {
    RecordContext(store: context.store, table: context.table, id: context.id + [0])
  }
}

private struct ThinBook: EntityType {
  typealias RawID = Int
  static let tableName: TableName = "books"
  let id: EntityID<ThinBook>
  var title: String
  var pages: Int?
}

private struct ThinState: StateType {
  struct Thin: DatabaseType {
    var books = EntityTable<ThinBook>()
    static let schema = DatabaseSchema<Thin> { Entities(\.books) }
  }

  var db = Thin()
}
