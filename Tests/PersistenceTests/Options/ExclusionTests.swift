import Foundation
import Strata
import StrataInspection
import StrataJournal
import StrataPersistence
import StrataStorage
import TestSupport
import Testing

/// Tables of which nothing is stored.
struct ExclusionTests {
  let file: TestStore

  init() throws { file = try TestStore() }

  private var initial: LibraryState {
    var initial = LibraryState()
    initial.db.books = [Book(id: 7, title: "\(secret) first")]
    initial.db.authors = [Author(id: "a", name: "kept")]
    return initial
  }

  @Test
  func `nothing of an excluded table is in the file, by no path`() async throws {
    let configuration = PersistenceConfiguration(
      snapshots: SnapshotPolicy(minimumJournalBytes: 2_000, minimumHistoryBytes: 4_000)
    )
    let copy = file.directory.path("copy.strata")
    try await file.run([.excluded(\.books)], initial, configuration) { store, persistence throws in
      for number in 1...60 {
        store.commit {
          $0.db.books.insert(Book(id: EntityID(number), title: secret))
          $0.db.authors.insert(Author(id: EntityID("author \(number)"), name: "kept"))
        }
        if number % 20 == 0 { try await persistence.flush() }
      }
      try await persistence.suspend()
      store.commit { $0.db.books.insert(Book(id: 99, title: secret)) }
      store.commit { $0.db.authors.insert(Author(id: "late", name: "kept")) }
      try await persistence.resume()
      try await persistence.snapshot(named: "all")
      _ = try await persistence.backup(to: copy)
      #expect(try await file.files(holding: secret) == [])
      #expect(try await file.files(holding: "kept") != [])
    }
    #expect(try StoreBytes(file.path).files(holding: secret) == [])
    #expect(try StoreBytes(copy).files(holding: secret) == [])
    #expect(try Inspector(path: file.path).info().tables == ["archived_books", "authors", "loans"])
  }

  @Test
  func `an excluded table starts from the initial state each time`() async throws {
    try await file.run([.excluded(\.books)], initial) { store, persistence throws in
      #expect(store.state.db.books.count == 1)
      store.commit { $0.db.books.removeAll() }
      #expect(persistence.revision == 0)
      store.commit { $0.db.authors.removeAll() }
      #expect(persistence.revision == 1)
    }
    try await file.run([.excluded(\.books)], initial) { store, persistence throws in
      #expect(store.state.db.books == initial.db.books)
      #expect(store.state.db.authors.isEmpty)
      #expect(persistence.report.newTables == [])
      #expect(persistence.report.notes == [])
    }
  }

  @Test
  func `a commit of excluded tables alone is not refused by a closed file`() async throws {
    let persistence = try await file.open([.excluded(\.books)])
    let store = LibraryStore(persistence)
    try await persistence.close()
    try store.commit { state throws in state.db.books.insert(Book(id: 1)) }
    #expect(store.state.db.books.count == 1)
    #expect(throws: PersistenceError.self) {
      try store.commit { state throws in state.db.authors.insert(Author(id: "a")) }
    }
  }

  @Test
  func `what a file has of a table stays there when it is excluded, and is noted`() async throws {
    try await file.run([]) { store, _ throws in
      store.commit { $0.db.books.insert(Book(id: 1, title: "Dune")) }
    }
    try await file.run([.excluded(\.books)]) { store, persistence throws in
      #expect(store.state.db.books.isEmpty)
      #expect(
        persistence.report.notes == [
          "the table books is excluded; its records in the file stay as they are"
        ]
      )
      #expect(persistence.report.unknownTables == [])
      store.commit { $0.db.books.insert(Book(id: 2, title: secret)) }
      store.commit { $0.db.authors.insert(Author(id: "a")) }
      try await persistence.snapshot(named: "carried")
    }
    #expect(try StoreBytes(file.path).files(holding: secret) == [])
    try await file.run([]) { store, _ throws in
      #expect(store.state.db.books == [Book(id: 1, title: "Dune")])
    }
  }

  @Test
  func `revert leaves an excluded table alone, and history has nothing of it`() async throws {
    try await file.run([.excluded(\.books)]) { store, persistence throws in
      store.commit {
        $0.db.authors.insert(Author(id: "a"))
        $0.db.books.insert(Book(id: 1))
      }
      store.commit {
        $0.db.authors.removeAll()
        $0.db.books.insert(Book(id: 2))
      }
      try await persistence.revert(to: .revision(1))
      #expect(store.state.db.authors.count == 1)
      #expect(store.state.db.books.count == 2)
      #expect(try await persistence.state(at: .revision(1)).books.isEmpty)
      for try await delta in persistence.deltas() {
        #expect(delta.changes.tables.map(\.table) == ["authors"])
      }
    }
  }

  @Test
  func `an option for a table that the schema does not list traps with the remedy`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let directory = try TemporaryDirectory()
      _ = try await Persistence.open(
        at: directory.path("app.strata"),
        initialState: PartState(),
        database: \.db,
        tables: [.excluded(\.unlisted)]
      )
    }
    #expect(result?.standardErrorContent.text.contains("does not list") == true)
  }
}

private struct PartState: StateType {
  struct ChangeBlock: DatabaseType {
    var books = EntityTable<Book>()
    var unlisted = EntityTable<Book>()
    static let schema = DatabaseSchema<ChangeBlock> { Entities(\.books) }
  }

  var db = ChangeBlock()
}
