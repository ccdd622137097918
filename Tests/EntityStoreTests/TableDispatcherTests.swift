import StrataCore
import StrataEntityStore
import StrataNormalization
import TestSupport
import Testing

@Suite struct TableDispatcherTests {
  struct Refusal: Error, Equatable {}

  final class Refusing: CommitHook {
    func editDidEnd(_ edit: inout Edit<LibraryState>) throws { throw Refusal() }
  }

  let store = LibraryStore()
  let books: LibraryStore.TableDispatcher<Book>
  let solaris = Book(id: 1, title: "Solaris")
  let eden = Book(id: 2, title: "Eden")

  init() { books = LibraryStore.TableDispatcher(targetStore: store, table: \.db.books) }

  @Test func `an inserted entity is in the table of the store`() throws {
    try books.insert(solaris)
    #expect(store.state.db.books == [solaris])
  }

  @Test func `an insert over an entity replaces it`() throws {
    try books.insert(solaris)
    try books.insert(Book(id: 1, title: "Solyaris"))
    #expect(books.state == [Book(id: 1, title: "Solyaris")])
  }

  @Test func `a read through the dispatcher is the last committed entity`() throws {
    try books.insert(solaris)
    #expect(books[1] == solaris)
    #expect(books[2] == nil)
  }

  @Test func `the state of the dispatcher is its table`() throws {
    try books.insert(solaris)
    #expect(books.state == [solaris])
  }

  @Test func `an insert of many is one commit`() throws {
    try books.insert(contentsOf: [solaris, eden])
    #expect(books.state == [solaris, eden])
    #expect(store.changes.version == 1)
  }

  @Test func `an update changes the entity and returns what its closure returns`() throws {
    try books.insert(solaris)
    let old = try books.update(1) { book in
      defer { book.title = "Solyaris" }
      return book.title
    }
    #expect(old == "Solaris")
    #expect(books[1]?.title == "Solyaris")
  }

  @Test func `an update of an absent entity throws and makes no version`() {
    #expect(throws: EntityError.notFound(table: "books", id: "1")) {
      try books.update(1) { $0.title = "Solyaris" }
    }
    #expect(store.changes.version == 0)
  }

  @Test func `an update that changes the ID throws and changes nothing`() throws {
    try books.insert(solaris)
    #expect(throws: EntityError.idChanged(table: "books", from: "1", to: "2")) {
      try books.update(1) { [eden] in $0 = eden }
    }
    #expect(books.state == [solaris])
  }

  @Test func `an update rethrows and changes nothing`() throws {
    try books.insert(solaris)
    #expect(throws: Refusal()) {
      try books.update(1) { book in
        book.title = "Solyaris"
        throw Refusal()
      }
    }
    #expect(books.state == [solaris])
  }

  @Test func `updateIfExists gives the entity as it is then`() throws {
    try books.insert(solaris)
    let updated = try books.updateIfExists(1) { $0.title = "Solyaris" }
    #expect(updated == Book(id: 1, title: "Solyaris"))
  }

  @Test func `updateIfExists of an absent entity gives nil`() throws {
    #expect(try books.updateIfExists(1) { $0.title = "Solyaris" } == nil)
  }

  @Test func `a removed entity is given back`() throws {
    try books.insert(solaris)
    #expect(try books.remove(1) == solaris)
    #expect(books.state == [])
  }

  @Test func `removing many is one commit`() throws {
    try books.insert(contentsOf: [solaris, eden])
    try books.remove(in: [1, 2, 3])
    #expect(books.state == [])
    #expect(store.changes.version == 2)
  }

  @Test func `removeAll leaves nothing`() throws {
    try books.insert(contentsOf: [solaris, eden])
    try books.removeAll()
    #expect(books.state == [])
  }

  @Test func `several verbs in one commit are one version`() {
    books.commit { [solaris, eden] table in
      table.insert(solaris)
      table.insert(eden)
      table.remove(1)
    }
    #expect(books.state == [eden])
    #expect(store.changes.version == 1)
  }

  @Test func `a commit of verbs that throws undoes all of them`() throws {
    try books.insert(solaris)
    #expect(throws: EntityError.self) {
      try books.commit { [eden] table in
        table.insert(eden)
        try table.update(9) { $0.title = "" }
      }
    }
    #expect(books.state == [solaris])
  }

  @Test func `a dispatcher of another table of the type leaves the first alone`() throws {
    let archived = LibraryStore.TableDispatcher<Book>(targetStore: store, table: \.db.archivedBooks)
    try archived.insert(solaris)
    #expect(books.state == [])
    #expect(store.state.db.archivedBooks == [solaris])
  }

  @Test func `a verb carries its name and the place of its call`() throws {
    try books.insert(solaris)
    let line: UInt = #line + 1
    try books.remove(1)
    let expected = CommitTrace(name: "remove", fileID: #fileID, function: #function, line: line)
    #expect(store.changes.traces == [expected])
  }

  @Test func `what a rule refuses is thrown by every verb`() throws {
    try books.insert(solaris)
    store.hook(where: { (_: Refusing) in true }, orInstall: { Refusing() })
    #expect(throws: Refusal()) { try books.insert(solaris) }
    #expect(throws: Refusal()) { try books.insert(contentsOf: [solaris]) }
    #expect(throws: Refusal()) { try books.updateIfExists(1) { $0.title = "" } }
    #expect(throws: Refusal()) { try books.remove(1) }
    #expect(throws: Refusal()) { try books.remove(in: [1]) }
    #expect(throws: Refusal()) { try books.removeAll() }
    #expect(store.changes.version == 1)
  }

  @Test func `a subclass keeps what its commits need`() throws {
    final class Shop: LibraryStore.TableDispatcher<Book>, @unchecked Sendable {
      let author: Author.ID

      init(author: Author.ID, store: LibraryStore) {
        self.author = author
        super.init(targetStore: store, table: \.db.books)
      }

      func write(_ title: String) throws {
        try insert(Book(id: Book.ID(state.count + 1), title: title, author: author))
      }
    }
    try Shop(author: "lem", store: store).write("Solaris")
    #expect(books.state == [Book(id: 1, title: "Solaris", author: "lem")])
  }

  @Test func `a component of a table has the verbs of the table`() throws {
    final class Shelf: StoreComponentType {
      static let scope = \LibraryState.db.books
      let store: LibraryStore

      init(store: LibraryStore) { self.store = store }

      func write(_ title: String) throws {
        try insert(Book(id: Book.ID(state.count + 1), title: title, author: "lem"))
      }
    }
    let shelf = Shelf(store: store)
    let solaris = shelf.derived(from: 1)
    try shelf.write("Solaris")
    try shelf.write("Eden")
    try shelf.update(1) { $0.title = "Solaris (1961)" }
    try shelf.remove(2)
    #expect(shelf[1]?.title == "Solaris (1961)")
    #expect(solaris.value?.title == "Solaris (1961)")
    #expect(books.state == [Book(id: 1, title: "Solaris (1961)", author: "lem")])
    #expect(store.changes.version == 4)
    try store.detached(by: \.db.books).removeAll()
    #expect(shelf.state.isEmpty)
  }
}
