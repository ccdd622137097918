import Strata

/// A copy of a book: two copies have two IDs.
struct Book: EntityType {
  static let tableName: TableName = "books"
  let id: EntityID<Book>
  var title: String
  var author: String
}

struct Database: DatabaseType {
  var books = EntityTable<Book>()
  static let schema = DatabaseSchema<Database> { Entities(\.books) }
}

struct Library: StateType {
  var db = Database()
  var isOpen = false
}

typealias LibraryStore = Store<Library, Never>

let store = LibraryStore(initialState: Library())
let subscription = store.sinkState { changes in
  changes.ifChanged(\.isOpen) { print($0 ? "The library is open." : "The library is closed.") }
  changes.ifChanged(\.db.books.count) { print("It has \($0) books.") }
}

store.commit("open") { $0.isOpen = true }
store.commit("buy") { library in
  library.db.books.insert(Book(id: "momo-1", title: "Momo", author: "Michael Ende"))
  library.db.books.insert(Book(id: "momo-2", title: "Momo", author: "Michael End"))
}

do {
  try store.commit("correct") { library in
    library.db.books.removeAll()
    try library.db.books.update("momo-3") { $0.author = "Michael Ende" }
  }
} catch {
  print("Nothing has changed. \(error)")
}
try store.commit("correct") { library in
  try library.db.books.update("momo-2") { $0.author = "Michael Ende" }
}
subscription.cancel()

// A new file starts with the state that it is given.
try await withPersistence(
  at: CommandLine.arguments.dropFirst().first ?? "first.strata",
  initialState: store.state,
  database: \.db,
  store: LibraryStore.init
) { store in
  for book in store.state.db.books.sorted(by: \.id) {
    print(book.id, book.title, book.author, separator: ", ")
  }
}
