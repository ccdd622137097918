import Foundation
import Strata

/// The page "Dispatchers, actions, mutations, activities, computed": one app, one concept a snippet.
enum Acting {
  struct Book: EntityType {
    static let tableName: TableName = "books"
    let id: EntityID<Book>
    var title: String
    var isRead = false

    /// An index of those that are not read, so that finding them costs nothing for the others.
    static let unread = GroupIndex(
      { (book: Book) -> Bool? in book.isRead ? nil : true },
      named: "unread"
    )
    static let indexes: EntityIndexes<Book> = [unread]
  }

  struct Database: DatabaseType {
    var books = EntityTable<Book>()
    static let schema = DatabaseSchema<Database> { Entities(\.books) }
  }

  struct Profile: Codable, Equatable, Sendable {
    var name = ""
    var goal = 12
  }

  struct AppState: ExtendedStateType {
    var db = Database()
    var profile = Profile()

    struct Extended: ExtendedType {
      let unread = Field.Computed<[Book]> { state in Array(state.db.books[Book.unread][true]) }
        .ifChanged(selector: \.db.books)
    }
  }

  enum AppActivity: Sendable {
    case ordered(String)
  }

  typealias AppStore = Store<AppState, AppActivity>

  struct Catalog: Sendable {
    func find(_ title: String) async throws -> Book.ID { .random() }
  }

  static func commit(store: AppStore) {
    store.commit("add book") { state in
      state.db.books.insert(Book(id: "emma", title: "Emma"))
    }
    print(store.state.db.books.count)
  }

  static func throwing(store: AppStore) throws {
    try store.commit("finish") { state in
      try state.db.books.update("emma") { $0.isRead = true }
    }
  }

  final class Library: StoreComponentType {
    let store: AppStore
    let catalog: Catalog

    init(store: AppStore, catalog: Catalog) {
      self.store = store
      self.catalog = catalog
    }

    func add(_ book: Book) { commit("add book") { $0.db.books.insert(book) } }
  }

  static func dispatcher(store: AppStore, catalog: Catalog) {
    let library = Library(store: store, catalog: catalog)
    library.add(Book(id: "persuasion", title: "Persuasion"))
    print(library.state.db.books.count)
  }

  final class ProfileEditor: StoreComponentType {
    static let scope = \AppState.profile
    let store: AppStore

    init(store: AppStore) { self.store = store }

    func rename(to name: String) { commit("rename") { $0.name = name } }
  }

  final class OpenLibrary: AppStore.Dispatcher, @unchecked Sendable {
    func add(_ book: Book) { commit("add book") { $0.db.books.insert(book) } }
  }

  final class OpenProfileEditor: AppStore.ScopedDispatcher<Profile>, @unchecked Sendable {
    init(store: Store) { super.init(targetStore: store, scope: \.profile) }

    func rename(to name: String) { commit("rename") { $0.name = name } }
  }

  static func parts(store: AppStore) throws {
    let profile = store.detached(by: \.profile)
    profile.commit("rename") { $0.name = "Ada" }

    let books = AppStore.TableDispatcher<Book>(targetStore: store, table: \.db.books)
    try books.insert(Book(id: "emma", title: "Emma"))
    try books.update("emma") { $0.isRead = true }
    try books.remove("emma")
  }

  static func accept(library: Library) throws {
    library.accept { $0.rename(to: "Ada") }
    try library.accept { $0.finish("emma") }
  }

  static func dispatch(library: Library) async throws {
    let id = try await library.dispatch { $0.order("Emma") }
    print(id)
  }

  static func activities(store: AppStore) {
    let announcements = store.sinkActivity { activity in
      switch activity {
      case .ordered(let title): print("\(title) is on its way")
      }
    }
    store.send(.ordered("Emma"))
    _ = announcements
  }

  static func computed(store: AppStore) {
    print(store.changes.computed.unread.count)
  }

  static func derived(store: AppStore) {
    let count = store.derived(.map(\.db.books.count))
    print(count.value)

    let subscription = count.sinkValue { changes in print(changes.value) }
    let left = store.derived(.map { $0.profile.goal - $0.db.books.count })
    let emma = store.derived(from: "emma", in: \.db.books)
    _ = (subscription, left, emma)
  }

  static func subscriptions(store: AppStore) async {
    let subscription = store.sinkState { changes in
      changes.ifChanged(\.profile.name) { name in print("Hello \(name)") }
    }
    for await changes in store.values(buffering: .newest(1)) { print(changes.version) }
    subscription.cancel()
  }

  @MainActor final class ProfileView {
    private(set) var title = ""
    private var subscription: StoreSubscription?

    init(_ store: AppStore) {
      subscription = store.sinkState(queue: .mainImmediate) { [weak self] in
        self?.update(changes: $0)
      }
    }

    func update(changes: Changes<AppState>) {
      changes.ifChanged(\.profile.name, \.db.books.count) { name, count in
        title = "\(name) has \(count) books"
      }
    }
  }

  static func middleware(store: AppStore) {
    store.add(
      middleware: .modify { edit in
        if edit.state.profile.goal < 1 { edit.state.profile.goal = 1 }
      }
    )
  }
}

typealias Book = Acting.Book
typealias Library = Acting.Library

extension Library {
  func rename(to name: String) -> Mutation<Void> {
    .mutation("rename") { $0.profile.name = name }
  }

  func finish(_ id: Book.ID) -> ThrowingMutation<Void> {
    .mutation("finish") { state in try state.db.books.update(id) { $0.isRead = true } }
  }
}

extension Library {
  func order(_ title: String) -> AsyncThrowingAction<Book.ID> {
    .action("order") { context in
      let id = try await self.catalog.find(title)
      context.commit("order") { $0.db.books.insert(Book(id: id, title: title)) }
      context.send(.ordered(title))
      return id
    }
  }
}
