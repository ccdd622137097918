#if Macros
  import Foundation
  import Strata
  import StrataInspection
  import StrataJournal
  import StrataMaintenance
  import StrataMigrating
  import StrataMigrations
  import StrataPersistence
  import TestSupport
  import Testing

  /// An entity by macro through a file: every path to and from it.
  struct StoredEntityTests {
    private let directory: TemporaryDirectory
    private let path: String

    init() throws {
      directory = try TemporaryDirectory()
      path = directory.path("app.strata")
    }

    private func open(
      _ migrations: [DataMigration] = []
    ) async throws -> Persistence<Shelf, Shelf.Database> {
      try await Persistence.open(
        at: path,
        initialState: Shelf(),
        database: \.db,
        with: [.migrations(migrations)]
      )
    }

    @Test
    func `commits, restoring, history, past states, deltas and bundles`() async throws {
      var persistence = try await open()
      var store = Store<Shelf, Never>(persistence)
      store.commit { state in for book in Self.books { state.db.books.insert(book) } }
      try store.commit { try $0.db.books.update(1) { $0.state = .lent(to: "Grace", days: 3) } }
      try await persistence.close()

      persistence = try await open()
      store = Store<Shelf, Never>(persistence)
      var lent = Self.books[0]
      lent.state = .lent(to: "Grace", days: 3)
      #expect(store.state.db.books == EntityTable([lent, Self.books[1]]))
      #expect(store.state.db.books[Book.byAuthor]["Ada"].map(\.title) == ["One"])
      let versions = try await persistence.history(of: Book.ID(1))
      #expect(versions.map(\.content) == [.put(Self.books[0]), .put(lent)])
      #expect(try await persistence.state(at: .revision(1)).books == EntityTable(Self.books))
      var titles: [[String]] = []
      for try await delta in persistence.deltas() {
        titles.append(
          delta.changes.changes(of: Book.self).compactMap {
            if case .put(let book) = $0 { book.title } else { nil }
          }.sorted()
        )
      }
      #expect(titles == [["One", "Two"], ["One"]])
      let bundle = directory.path("bug.strata")
      try await persistence.bundle(last: 1, to: bundle)
      #expect(
        try Inspector(path: bundle).show(table: "books").contains { "\($0)".contains("Grace") }
      )
      try await persistence.close()
    }

    @Test
    func `a migration of the data changes its records`() async throws {
      var persistence = try await open()
      let store = Store<Shelf, Never>(persistence)
      store.commit { state in for book in Self.books { state.db.books.insert(book) } }
      try await persistence.close()
      persistence = try await open([
        DataMigration("0001_titles", table: "books") { book in
          book["title"] = book["title"]?.text.map { .string($0 + "!") }
        }
      ])
      var expected = Self.books
      for index in expected.indices { expected[index].title += "!" }
      #expect(Store<Shelf, Never>(persistence).state.db.books == EntityTable(expected))
      try await persistence.close()
    }

    @Test
    func `a file of the plain form is opened by that of the macro, and the other way round`()
      async throws
    {
      func write<Entity: EntityType>(_ entity: Entity) async throws {
        let persistence = try await Persistence.open(
          at: path,
          initialState: Box<Entity>(),
          database: \.db
        )
        Store<Box<Entity>, Never>(persistence).commit { $0.db.books.insert(entity) }
        try await persistence.close()
      }
      func read<Entity: EntityType>(_ type: Entity.Type) async throws -> [Entity] {
        let persistence = try await Persistence.open(
          at: path,
          initialState: Box<Entity>(),
          database: \.db
        )
        let entities = Array(Store<Box<Entity>, Never>(persistence).state.db.books)
        try await persistence.close()
        return entities.sorted { $0.id.hashValue < $1.id.hashValue }
      }
      try await write(PlainBook(id: 1, title: "a", author: nil, state: .here))
      try await write(Book(id: 2, title: "b", author: "c", state: .lent(to: "d", days: 4)))
      #expect(
        Set(try await read(Book.self).map { "\($0.title) \($0.state)" })
          == ["a here", "b lent(to: \"d\", days: 4)"]
      )
      #expect(
        Set(try await read(PlainBook.self).map { "\($0.title) \($0.state)" })
          == ["a here", "b lent(to: \"d\", days: 4)"]
      )
    }

    private static let books = [
      Book(id: 1, title: "One", author: "Ada", state: .here),
      Book(id: 2, title: "Two", author: nil, state: .lent(to: "Ada", days: 1)),
    ]
  }

  @Record
  private enum Loan: Equatable {
    case here
    case lent(to: String, days: Int)
  }

  @Entity("books")
  private struct Book {
    typealias RawID = Int
    static let byAuthor = GroupIndex(\Book.author)
    static let indexes: EntityIndexes<Book> = [byAuthor]

    let id: EntityID<Book>
    var title: String
    var author: String?
    var state: Loan
  }

  private enum PlainLoan: Codable, Equatable {
    case here
    case lent(to: String, days: Int)
  }

  private struct PlainBook: EntityType {
    typealias RawID = Int
    static let tableName: TableName = "books"
    let id: EntityID<PlainBook>
    var title: String
    var author: String?
    var state: PlainLoan
  }

  private struct Shelf: StateType {
    struct Database: DatabaseType {
      var books = EntityTable<Book>()
      static let schema = DatabaseSchema<Database> { Entities(\.books) }
    }

    var db = Database()
  }

  private struct Box<Entity: EntityType>: StateType {
    struct Database: DatabaseType {
      var books = EntityTable<Entity>()
      static var schema: DatabaseSchema<Database> { DatabaseSchema { Entities(\.books) } }
    }

    var db = Database()
  }
#endif
