import StrataCore
import StrataEntityStore
import StrataNormalization
import TestSupport
import Testing

@Suite struct RetainedEntityTests {
  let store = LibraryStore()
  let received = Recorder<String>()

  init() {
    insert(1, "Solaris")
  }

  func insert(_ id: Book.ID, _ title: String) {
    store.commit { $0.db.books.insert(Book(id: id, title: title)) }
  }

  func remove(_ id: Book.ID) { store.commit { $0.db.books.remove(id) } }

  func text(_ book: Derived<RetainedEntity<Book>>) -> String { Self.text(book.value) }

  static func text(_ book: RetainedEntity<Book>) -> String {
    book.title + (book.isRemoved ? " (removed)" : "")
  }

  func follow(_ book: Derived<RetainedEntity<Book>>) -> StoreSubscription {
    let received = received
    return book.sinkValue { received.record(Self.text($0.value)) }
  }

  @Test func `an entity that is absent at the call is refused`() {
    #expect(throws: EntityError.notFound(table: "books", id: "2")) {
      try store.derivedNonNull(from: 2, in: \.db.books)
    }
  }

  @Test func `the last value stays after removal, and says so, until the entity is back`() throws {
    let book = try store.derivedNonNull(from: 1, in: \.db.books)
    let subscription = follow(book)
    insert(1, "Solyaris")
    remove(1)
    insert(2, "Eden")
    insert(1, "Solaris again")
    #expect(
      received.elements == ["Solaris", "Solyaris", "Solyaris (removed)", "Solaris again"]
    )
    subscription.cancel()
  }

  @Test func `a value that nobody looks at in between stays what it was at the call`() throws {
    let book = try store.derivedNonNull(from: 1, in: \.db.books)
    insert(1, "Solyaris")
    remove(1)
    #expect(text(book) == "Solaris (removed)")
    let subscription = follow(book)
    #expect(received.elements == ["Solaris (removed)"])
    subscription.cancel()
  }

  @Test func `readers and subscribers agree on the last value`() throws {
    let book = try store.derivedNonNull(from: 1, in: \.db.books)
    let subscription = follow(book)
    insert(1, "received")
    remove(1)
    #expect(text(book) == "received (removed)")
    subscription.cancel()
    insert(1, "read")
    #expect(text(book) == "read")
    remove(1)
    let later = follow(book)
    #expect(received.elements.last == "read (removed)")
    later.cancel()
  }

  @Test func `a reader ahead of the subscribers does not hide from them what it skipped`() throws {
    let book = try store.derivedNonNull(from: 1, in: \.db.books)
    let store = store
    let length = book.chain(.map { $0.title.count })
    let first = store.sinkState(first: .nextCommit) { changes in
      guard changes.version == 2 else { return }
      store.commit { $0.db.books.insert(Book(id: 1, title: "between")) }
      store.commit { $0.db.books.remove(1) }
      _ = book.value
    }
    let subscription = follow(book)
    let lengths = Recorder<Int>()
    let chained = length.sinkValue { lengths.record($0.value) }
    store.commit { $0.count = 1 }
    #expect(received.elements == ["Solaris", "between", "between (removed)"])
    #expect(lengths.elements == [7])
    #expect(text(book) == "between (removed)")
    #expect(length.value == 7)
    [first, subscription, chained].forEach { $0.cancel() }
  }

  @Test func `asking again gives the same object, unless the entity is absent`() throws {
    let book = try store.derivedNonNull(from: 1, in: \.db.books)
    let table = LibraryStore.TableDispatcher<Book>(targetStore: store, table: \.db.books)
    #expect(try book === store.derivedNonNull(from: 1, in: \.db.books))
    #expect(try book === table.derivedNonNull(from: 1))
    remove(1)
    #expect(throws: EntityError.self) { try store.derivedNonNull(from: 1, in: \.db.books) }
    insert(1, "Eden")
    #expect(try book === store.derivedNonNull(from: 1, in: \.db.books))
    #expect(text(book) == "Eden")
  }

  @Test func `of several entities those that are absent are left out`() {
    insert(3, "Eden")
    let books = store.derivedNonNull(from: [3, 2, 1], in: \.db.books)
    #expect(books.map(text) == ["Eden", "Solaris"])
  }

  @Test func `unrelated commits, other tables and other rows tell nothing`() throws {
    let subscription = follow(try store.derivedNonNull(from: 1, in: \.db.books))
    store.commit { $0.count = 1 }
    store.commit { $0.db.authors.insert(Author(id: "lem")) }
    insert(2, "Eden")
    remove(2)
    remove(1)
    insert(2, "Eden")
    remove(2)
    #expect(received.elements == ["Solaris", "Solaris (removed)"])
    subscription.cancel()
  }
}
