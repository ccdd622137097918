import Strata

/// The page "The first day": one app, one concept a snippet.
enum FirstDay {
  struct Book: EntityType {
    static let tableName: TableName = "books"
    let id: EntityID<Book>
    var title: String
    var isRead = false
  }

  struct Database: DatabaseType {
    var books = EntityTable<Book>()
    static let schema = DatabaseSchema<Database> { Entities(\.books) }
  }

  struct Settings: Codable, Equatable, Sendable {
    var name = ""
    var goal = 12
  }

  struct AppState: StateType {
    var db = Database()
    var settings = Settings()
  }

  typealias AppStore = Store<AppState, Never>

  struct Catalog: Sendable {
    func find(_ title: String) async throws -> Book.ID { .random() }
  }

  static func commit(store: AppStore) throws {
    store.commit("add book") { state in
      state.db.books.insert(Book(id: "emma", title: "Emma"))
    }
    try store.commit("finish") { state in
      try state.db.books.update("emma") { $0.isRead = true }
    }
    print(store.state.db.books.count)
  }

  final class Books: StoreComponentType {
    static let scope = \AppState.db.books
    let store: AppStore
    let catalog: Catalog

    init(store: AppStore, catalog: Catalog) {
      self.store = store
      self.catalog = catalog
    }

    func finish(_ id: Book.ID) throws { try update(id) { $0.isRead = true } }

    func finishAll() throws {
      try commit("finish all") { books in try books.updateAll { $0.isRead = true } }
    }
  }

  final class SettingsEditor: StoreComponentType {
    static let scope = \AppState.settings
    let store: AppStore

    init(store: AppStore) { self.store = store }

    func rename(to name: String) { commit("rename") { $0.name = name } }
  }

  static func component(store: AppStore, catalog: Catalog) throws {
    let books = Books(store: store, catalog: catalog)
    try books.insert(Book(id: "persuasion", title: "Persuasion"))
    try books.finish("persuasion")
    print(books.state.count, books["persuasion"]?.isRead ?? false)
  }

  static func derived(store: AppStore) {
    let count = store.derived(.map(\.db.books.count))
    print(count.value)

    let emma = store.derived(from: "emma", in: \.db.books)
    let subscription = count.sinkValue { changes in print(changes.value) }
    _ = (emma, subscription)
  }

  static func subscription(store: AppStore) {
    let names = store.sinkState(queue: .main) { changes in
      changes.ifChanged(\.settings.name) { name in print("Hello \(name)") }
    }
    _ = names
  }
}

private typealias Books = FirstDay.Books

extension FirstDay.Books {
  typealias Book = FirstDay.Book
}

extension Books {
  private func order(_ title: String) -> AsyncThrowingAction<Book.ID> {
    .action("order") { context in
      let id = try await self.catalog.find(title)
      context.commit("order") { $0.insert(Book(id: id, title: title)) }
      return id
    }
  }
}

extension Books {
  fileprivate static func action(books: Books) async throws {
    let id = try await books.dispatch { $0.order("Emma") }
    print(id)
  }
}
