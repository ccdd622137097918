import StrataCore
import StrataEntityStore
import StrataNormalization
import TestSupport
import Testing

@Suite struct ComposingTests {
  struct Refusal: Error {}

  let store = LibraryStore()
  let books: LibraryStore.TableDispatcher<Book>
  let authors: LibraryStore.TableDispatcher<Author>

  init() {
    books = LibraryStore.TableDispatcher<Book>(targetStore: store, table: \.db.books)
    authors = books.detached(to: \.db.authors)
  }

  @Test func `a dispatcher is detached to another table`() throws {
    try authors.insert(Author(id: "lem"))
    #expect(store.state.db.authors["lem"] != nil)
  }

  @Test func `two tables are changed in one commit`() {
    let count = books.commit(with: authors, "write") { books, authors in
      books.insert(Book(id: 1, author: "lem"))
      authors.insert(Author(id: "lem"))
      return books.count + authors.count
    }
    #expect(count == 2)
    #expect(store.changes.version == 1)
    #expect(store.changes.traces.first?.name == "write")
    #expect(store.state.db.books[1]?.author == "lem")
    #expect(store.state.db.authors["lem"] != nil)
  }

  @Test func `three tables are changed in one commit`() {
    let archive = books.detached(to: \.db.archivedBooks)
    books.commit(with: authors, archive) { books, authors, archive in
      books.insert(Book(id: 1))
      authors.insert(Author(id: "lem"))
      archive.insert(Book(id: 2))
    }
    #expect(store.changes.version == 1)
    #expect(store.state.db.archivedBooks[2] != nil)
  }

  @Test func `a commit over several tables that throws has not happened`() {
    #expect(throws: Refusal.self) {
      try books.commit(with: authors) { books, authors in
        books.insert(Book(id: 1))
        authors.insert(Author(id: "lem"))
        throw Refusal()
      }
    }
    #expect(store.changes.version == 0)
    #expect(store.state.db.books.isEmpty)
  }

  @Test func `the change set of a commit over several tables is one`() {
    let hook = store.databaseHook(\.db)
    books.commit(with: authors) { books, authors in
      books.insert(Book(id: 1))
      authors.insert(Author(id: "lem"))
    }
    #expect(store.changes.attachments[hook.key]?.tables.map(\.table) == ["authors", "books"])
  }

  @Test func `one table given twice traps`() async {
    await #expect(processExitsWith: .failure) {
      let store = LibraryStore()
      let books = LibraryStore.TableDispatcher<Book>(targetStore: store, table: \.db.books)
      books.commit(with: books) { _, _ in }
    }
  }

  @Test func `tables of two stores trap`() async {
    await #expect(processExitsWith: .failure) {
      let books = LibraryStore.TableDispatcher<Book>(
        targetStore: LibraryStore(),
        table: \.db.books
      )
      let authors = LibraryStore.TableDispatcher<Author>(
        targetStore: LibraryStore(),
        table: \.db.authors
      )
      books.commit(with: authors) { _, _ in }
    }
  }

  @Test func `a batch through a dispatcher is one commit`() throws {
    let database = store.detached(from: \.db)
    let count = try database.performBatchUpdates("both") { context in
      context.books.insert(Book(id: 1))
      context.authors.insert(Author(id: "lem"))
      return context.books.count
    }
    #expect(count == 1)
    #expect(store.changes.version == 1)
    #expect(store.changes.traces.first?.name == "both")
  }

  @Test func `a batch through a dispatcher that aborts makes no version`() {
    let database = store.detached(from: \.db)
    #expect(throws: BatchAborted.self) {
      try database.performBatchUpdates { context in
        context.books.insert(Book(id: 1))
        try context.abort()
      }
    }
    #expect(store.changes.version == 0)
  }
}
