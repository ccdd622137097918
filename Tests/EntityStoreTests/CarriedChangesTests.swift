import StrataCore
import StrataEntityStore
import StrataNormalization
import TestSupport
import Testing

/// Subscribers use the change set that a commit carries, and only for the tables it is about.
@Suite struct CarriedChangesTests {
  /// An entity that counts how often it is compared.
  struct Counted: EntityType {
    typealias RawID = Int
    static let tableName: TableName = "counted"
    static let byText = GroupIndex(\Counted.text)
    static let indexes: EntityIndexes<Counted> = [byText]
    static let comparisons = Counter()

    let id: EntityID<Counted>
    /// Longer than a string that is stored in place, so that equal texts have different bytes.
    var text: String

    static func == (a: Counted, b: Counted) -> Bool {
      comparisons.add()
      return a.id == b.id && a.text == b.text
    }
  }

  struct CountedState: StateType, DatabaseType {
    var counted = EntityTable<Counted>()

    static let schema = DatabaseSchema<CountedState> { Entities(\.counted) }
  }

  private func table(_ suffix: String) -> EntityTable<Counted> {
    EntityTable(
      (0..<10).map { number in
        Counted(id: EntityID(number), text: String(repeating: "text ", count: 8) + suffix)
      }
    )
  }

  private let store = LibraryStore()

  @Test func `the tables of a commit are compared once, for the change set and all subscribers`() {
    let store = Store<CountedState, Never>(initialState: CountedState())
    let hook = store.databaseHook(\.self)
    store.commit { $0.counted = table("a") }
    let deliveries = Counter()
    let subscriptions = [
      store.derived(from: 1, in: \.counted).sinkValue { _ in deliveries.add() },
      store.derived(Counted.byText, of: table("b")[1]?.text ?? "", in: \.counted)
        .sinkValue { _ in deliveries.add() },
      store.sinkEntityChanges(in: \.counted) { _ in deliveries.add() },
    ]
    let new = table("b")
    let before = Counted.comparisons.count

    store.commit { $0.counted = new }

    #expect(Counted.comparisons.count - before == 10)
    #expect(deliveries.count == 5)
    #expect(store.changes.attachments[hook.key]?.count == 10)
    for subscription in subscriptions { subscription.cancel() }
  }

  @Test func `of two tables of one type each gets its own changes`() {
    store.databaseHook(\.db)
    store.commit { $0.db.books.insert(Book(id: 1, title: "one")) }
    let seen = Recorder<String>()
    let subscriptions = [
      store.sinkEntityChanges(in: \.db.books) { seen.record("books \($0.put.map(\.title))") },
      store.sinkEntityChanges(in: \.db.archivedBooks) { changes in
        seen.record("archived \(changes.put.map(\.title))")
      },
    ]
    store.commit { state in
      // Written, but not changed.
      if let book = state.db.books[1] { state.db.books.insert(book) }
      state.db.archivedBooks.insert(Book(id: 1, title: "two"))
    }
    store.commit { state in
      state.db.books.insert(Book(id: 2, title: "three"))
      state.db.archivedBooks.insert(Book(id: 2, title: "four"))
    }
    #expect(seen.elements.first == "archived [\"two\"]")
    #expect(seen.elements.dropFirst().sorted() == ["archived [\"four\"]", "books [\"three\"]"])
    for subscription in subscriptions { subscription.cancel() }
  }

  @Test func `after a preview is kept the changes lead from what was shown`() throws {
    let key = store.databaseHook(\.db).key
    let seen = Recorder<String>()
    let subscription = store.sinkEntityChanges(in: \.db.books) { changes in
      seen.record("\(changes.previous.count) \(changes.changes.map(\.id)) \(changes.table.count)")
    }
    let trace = CommitTrace(name: "", fileID: #fileID, function: #function, line: #line)
    let preview = Preview(of: store)
    var shown = store.state
    shown.db.books.insert(Book(id: 1))
    try preview.show(shown, trace)
    preview.notify()
    store.commit { $0.db.books.insert(Book(id: 2)) }
    try preview.keep(trace)
    preview.notify()

    #expect(seen.elements == ["0 [1] 1", "1 [2] 2"])
    #expect(store.changes.attachments[key]?.count == 2)
    subscription.cancel()
  }
}
