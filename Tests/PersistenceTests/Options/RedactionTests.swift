import Foundation
import Strata
import StrataInspection
import StrataJournal
import StrataPersistence
import StrataStorage
import TestSupport
import Testing

/// Fields that are changed on their way into the file.
struct RedactionTests {
  let file: TestStore
  private let options: TestStore.Options = [.redacted(\.books) { $0.title = "" }]

  init() throws { file = try TestStore() }

  private var initial: LibraryState {
    var initial = LibraryState()
    initial.db.books = [Book(id: 7, title: secret, author: "kept")]
    return initial
  }

  @Test
  func `what is redacted is in memory and nowhere in the file`() async throws {
    let configuration = PersistenceConfiguration(
      snapshots: SnapshotPolicy(minimumJournalBytes: 2_000, minimumHistoryBytes: 4_000)
    )
    try await file.run(options, initial, configuration) { store, persistence throws in
      #expect(store.state.db.books[7]?.title == "")
      for number in 1...60 {
        store.commit {
          $0.db.books.insert(Book(id: EntityID(number), title: secret, author: "kept"))
        }
        if number % 20 == 0 { try await persistence.flush() }
      }
      try await persistence.snapshot(named: "all")
      #expect(store.state.db.books[1]?.title == secret)
      #expect(try await file.files(holding: secret) == [])
      #expect(try await file.files(holding: "kept") != [])
    }
    #expect(try StoreBytes(file.path).files(holding: secret) == [])
    try await file.run(options) { store, persistence throws in
      #expect(store.state.db.books[1] == Book(id: 1, title: "", author: "kept"))
      #expect(store.state.db.books.count == 60)
      #expect(persistence.revision == 60)
    }
  }

  @Test
  func `a table that is new to the file is redacted from the first`() async throws {
    let other = try await Persistence.open(
      at: file.path,
      initialState: FlaggedState(),
      database: \.noBooks
    )
    try await other.close()
    try await file.run(options, initial) { _, persistence throws in
      #expect(persistence.report.newTables.contains("books"))
    }
    #expect(try StoreBytes(file.path).files(holding: secret) == [])
    #expect(try StoreBytes(file.path).files(holding: "kept") != [])
  }

  @Test
  func `a redaction that is declared later is applied to what the file has`() async throws {
    try await file.run([], initial) { store, _ throws in
      store.commit { $0.db.books.insert(Book(id: 8, title: "", author: "kept")) }
    }
    try await file.run(options) { store, persistence throws in
      #expect(store.state.db.books[7] == Book(id: 7, title: "", author: "kept"))
      #expect(persistence.revision == 2)
      #expect(persistence.durableRevision == 2)
      #expect(persistence.report.notes.map { $0.prefix(23) } == ["table books: 1 records "])
    }
    let last = try #require(try Inspector(path: file.path).log(.last(1)).deltas.first)
    #expect(last.name == "rewritten for table options")
    #expect(last.changes.map(\.put) == [["7"]])
    try await file.run([]) { store, _ throws in #expect(store.state.db.books[7]?.title == "") }
    try await file.run(options) { _, persistence throws in #expect(persistence.revision == 2) }
  }

  @Test
  func `an opening for reading redacts, and writes nothing`() async throws {
    try await file.run([], initial) { _, _ throws in }
    let before = try StoreBytes(file.path)
    let configuration = PersistenceConfiguration(restore: .readOnly)
    let persistence = try await file.open(options, LibraryState(), configuration)
    #expect(persistence.initialState.db.books[7]?.title == "")
    try await persistence.close()
    #expect(try StoreBytes(file.path) == before)
  }

  @Test
  func `an opening for reading reports no record as written again`() async throws {
    try await file.run([], initial) { _, _ throws in }
    let configuration = PersistenceConfiguration(restore: .readOnly)
    let persistence = try await file.open(options, LibraryState(), configuration)
    #expect(persistence.report.notes == [])
    try await persistence.close()
  }

  @Test
  func `history shows what the file has, redacted`() async throws {
    try await file.run([], initial) { store, _ throws in
      store.commit { $0.db.books.insert(Book(id: 1, title: secret)) }
    }
    try await file.run(options) { _, persistence throws in
      #expect(try await persistence.state(at: .revision(1)).books[1]?.title == "")
      let versions = try await persistence.history(of: EntityID<Book>(1))
      #expect(versions.compactMap(\.entity?.title) == ["", ""])
      var titles: [String] = []
      for try await delta in persistence.deltas(from: 1) {
        for case .put(let book) in delta.changes.changes(of: Book.self) {
          titles.append(book.title)
        }
      }
      #expect(titles.allSatisfy { $0.isEmpty })
    }
    let books = try Inspector(path: file.path).database(
      over: LibraryDatabase(),
      at: 1,
      tables: options
    ).books
    #expect(books.map(\.title) == ["", ""])
  }

  @Test
  func `revert leaves alone what differs by its redaction only`() async throws {
    try await file.run(options) { store, persistence throws in
      store.commit {
        $0.db.books = [
          Book(id: 1, title: "one", author: "a"), Book(id: 2, title: "two", author: "a"),
        ]
      }
      store.commit { $0.db.books.insert(Book(id: 2, title: "two", author: "b")) }
      try await persistence.revert(to: .revision(1))
      #expect(
        store.state.db.books == [
          Book(id: 1, title: "one", author: "a"), Book(id: 2, title: "", author: "a"),
        ]
      )
    }
  }

  @Test
  func `a redaction that changes the ID leaves the entity out, and says so`() async throws {
    let persistence = try await file.open([.redacted(\.books) { $0 = Book(id: 0) }])
    let store = LibraryStore(persistence)
    store.commit { $0.db.books.insert(Book(id: 1)) }
    let error = await #expect(throws: PersistenceError.self) { try await persistence.flush() }
    #expect(error?.description.contains("its redaction changed its ID") == true)
    await #expect(throws: PersistenceError.self) { try await persistence.close() }
  }
}

extension FlaggedState {
  struct NoBooks: DatabaseType {
    var authors = EntityTable<Author>()
    static let schema = DatabaseSchema<NoBooks> { Entities(\.authors) }
  }
}
