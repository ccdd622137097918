import StrataCore
import StrataEntityStore
import StrataNormalization
import TestSupport
import Testing

@Suite struct DatabaseHookTests {
  let store = LibraryStore()
  let hook: DatabaseHook<LibraryState, LibraryDatabase>
  let solaris = Book(id: 1, title: "Solaris")

  init() { hook = store.databaseHook(\.db) }

  @Test func `a commit carries its change set`() {
    store.commit { [solaris] in $0.db.books.insert(solaris) }
    #expect(store.changes.attachments[hook.key]?.changes(of: Book.self) == [.put(solaris)])
  }

  @Test func `a commit that leaves the database alone carries an empty change set`() {
    store.commit { $0.count = 1 }
    #expect(store.changes.attachments[hook.key] == ChangeSet())
  }

  @Test func `a change set holds one commit alone`() {
    store.commit { [solaris] in $0.db.books.insert(solaris) }
    store.commit { $0.db.authors.insert(Author(id: "lem")) }
    #expect(store.changes.attachments[hook.key]?.tables.map(\.table) == ["authors"])
  }

  @Test func `batches of one commit are in one change set`() {
    store.commit { [solaris] state in
      state.db.books.insert(solaris)
      state.db.books.insert(Book(id: 2))
    }
    #expect(store.changes.attachments[hook.key]?.count == 2)
  }

  @Test func `a subscriber of a part gets the change set too`() {
    let changes = Recorder<ChangeSet?>()
    let key = hook.key
    let books = store.detached(from: \.db.books)
    let subscription = books.sinkState(first: .nextCommit) { changes.record($0.attachments[key]) }
    books.commit { [solaris] in $0.insert(solaris) }
    #expect(changes.elements.map { $0?.changes(of: Book.self) } == [[.put(solaris)]])
    subscription.cancel()
  }

  @Test func `the hook of a path is installed once`() {
    #expect(store.databaseHook(\.db) === hook)
  }

  @Test func `the hook of a joined path is that of the path written whole`() {
    let dispatcher = LibraryStore.ScopedDispatcher(targetStore: store, scope: \.self)
    #expect(store.databaseHook(dispatcher.detached(by: \.db).scope) === hook)
  }

  @Test func `installing the hook makes no version`() {
    #expect(store.changes.version == 0)
  }

  @Test func `a commit that throws leaves nothing in the next change set`() {
    #expect(throws: EntityError.self) {
      try store.commit { [solaris] state in
        state.db.books.insert(solaris)
        try state.db.books.update(9) { $0.title = "Eden" }
      }
    }
    store.commit { $0.count = 1 }
    #expect(store.changes.attachments[hook.key] == ChangeSet())
  }

  @Test func `an entity whose equality looks at the ID alone is not dropped`() throws {
    struct Label: EntityType {
      static let tableName: TableName = "labels"
      let id: EntityID<Label>
      var text: String
      static func == (a: Label, b: Label) -> Bool { a.id == b.id }
    }
    struct Labels: DatabaseType, StateType {
      var labels = EntityTable<Label>()
      static let schema = DatabaseSchema<Labels> { Entities(\.labels) }
    }
    let store = Store<Labels, Never>(initialState: Labels())
    let hook = store.databaseHook(\.self)
    store.commit { $0.labels.insert(Label(id: "a", text: "old")) }
    try store.commit { try $0.labels.update("a") { $0.text = "new" } }
    let changes = store.changes.attachments[hook.key]?.changes(of: Label.self)
    #expect(changes?.count == 1)
  }
}
