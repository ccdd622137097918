import StrataCore
import StrataEntityStore
import StrataNormalization
import TestSupport
import Testing

/// Several writes to tables in one step: the defects of older stores, each as a test.
@Suite struct BatchTests {
  struct Refusal: Error, Equatable {}

  let store = LibraryStore()
  let hook: DatabaseHook<LibraryState, LibraryDatabase>

  init() { hook = store.databaseHook(\.db) }

  func put(_ books: Book...) { store.commit { $0.db.books.insert(contentsOf: books) } }

  @Test func `a write is kept when a part is only looked at after it`() {
    store.commit { state in
      state.count += 1
      _ = state.loggedIn.myInfo.name
    }
    store.commit { state in
      state.count += 1
      return withUnsafeMutablePointer(to: &state.loggedIn) { $0.pointee.visits }
    }
    #expect(store.state.count == 2)
    #expect(store.changes.version == 2)
  }

  @Test func `an entity removed earlier in the step is not found`() {
    put(Book(id: 1, title: "Solaris"))
    let found = store.commit { state in
      state.db.books.remove(1)
      return state.db.books[1]
    }
    #expect(found == nil)
  }

  @Test func `an entity replaced earlier in the step is found once, as it is then`() {
    put(Book(id: 1, title: "old"))
    let found = store.commit { state in
      state.db.books.insert(Book(id: 1, title: "new"))
      return state.db.books.find(in: [1]).map(\.title)
    }
    #expect(found == ["new"])
  }

  @Test func `several writes of one step reach everyone who derives from what they wrote`() throws {
    put(Book(id: 1), Book(id: 2))
    let titles = Recorder<[String]>()
    let subscriptions = [
      store.derived(.map { $0.db.books[1]?.title ?? "" }).sinkValue(first: .nextCommit) {
        titles.record(["one", $0.value])
      },
      store.derived(.map { $0.db.books[2]?.title ?? "" }).sinkValue(first: .nextCommit) {
        titles.record(["two", $0.value])
      },
    ]
    try store.commit { state in
      try state.db.books.update(1) { $0.title = "Solaris" }
      try state.db.books.update(2) { $0.title = "Eden" }
    }
    #expect(titles.elements == [["one", "Solaris"], ["two", "Eden"]])
    #expect(store.changes.attachments[hook.key]?.count == 2)
    subscriptions.forEach { $0.cancel() }
  }

  @Test func `what middleware writes is in the change set`() {
    store.add(middleware: .modify { $0.state.db.authors.insert(Author(id: "lem")) })
    put(Book(id: 1))
    let changes = store.changes.attachments[hook.key]
    #expect(changes?.tables.map(\.table).sorted() == ["authors", "books"])
  }

  @Test func `an empty step makes no version and no change set`() {
    put(Book(id: 1))
    store.commit { _ = $0.db }
    store.commit(scope: \.db.books) { $0.remove(in: []) }
    #expect(store.changes.version == 1)
  }

  @Test func `what a closure throws inside updateIfExists is thrown by the commit`() {
    put(Book(id: 1, title: "Solaris"))
    #expect(throws: Refusal()) {
      try store.commit { state in
        try state.db.books.updateIfExists(1) { book in
          book.title = "Eden"
          throw Refusal()
        }
      }
    }
    #expect(store.state.db.books[1]?.title == "Solaris")
    #expect(store.changes.version == 1)
  }

  @Test func `an update after a removal in one step finds nothing`() throws {
    put(Book(id: 1))
    let updated = try store.commit { state in
      state.db.books.remove(1)
      return try state.db.books.updateIfExists(1) { $0.title = "Eden" }
    }
    #expect(updated == nil)
    #expect(store.changes.attachments[hook.key]?.changes(of: Book.self) == [.remove(1)])
  }

  @Test func `an ID changed inside an update is an error and not a trap`() {
    struct Tag: EntityType {
      static let tableName: TableName = "tags"
      var id: EntityID<Tag>
    }
    struct Tags: StateType { var tags: EntityTable<Tag> = [Tag(id: "a")] }
    let store = Store<Tags, Never>(initialState: Tags())
    #expect(throws: EntityError.idChanged(table: "tags", from: "a", to: "b")) {
      try store.commit { try $0.tags.update("a") { $0.id = "b" } }
    }
    #expect(store.state.tags.ids.map(\.raw) == ["a"])
  }

  @Test func `a write of one entity copies a path of the table and no more`() {
    let store = LibraryStore()
    store.commit { state in
      state.db.books.insert(contentsOf: (0..<50_000).lazy.map { Book(id: Book.ID($0)) })
    }
    for number in [0, 777, 50_000] {
      let old = store.state.db.books
      store.commit { $0.db.books.insert(Book(id: Book.ID(number), title: "new")) }
      let copied = store.state.db.books.nodes.subtracting(old.nodes)
      #expect((1...8).contains(copied.count))
    }
  }
}
