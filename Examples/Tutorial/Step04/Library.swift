import Strata

/// A copy of a book: two copies have two IDs.
struct Book: EntityType {
  static let tableName: TableName = "books"
  let id: EntityID<Book>
  var title: String
  var author: String
  /// Who has it; nil on the shelf.
  var reader: Reader.ID?

  static let byReader = GroupIndex(\Book.reader)
  static let indexes: EntityIndexes<Book> = [byReader]
}

struct Reader: EntityType {
  static let tableName: TableName = "readers"
  let id: EntityID<Reader>
  var name: String

  static let byName = UniqueIndex(\Reader.name)
  static let indexes: EntityIndexes<Reader> = [byName]
}

struct Database: DatabaseType {
  var books = EntityTable<Book>()
  var readers = EntityTable<Reader>()

  static let schema = DatabaseSchema<Database> {
    Entities(\.books)
    Entities(\.readers)
    References(from: \.books, Book.byReader, to: \.readers, onRemoval: .restrict)
  }
}

struct Library: RuledStateType {
  var db = Database()
  var isOpen = false
}

typealias LibraryStore = Store<Library, Never>

extension Database {
  /// What a new library has.
  static let initial = Database(
    books: [
      Book(id: "momo-1", title: "Momo", author: "Michael Ende"),
      Book(id: "momo-2", title: "Momo", author: "Michael Ende"),
      Book(id: "omens", title: "Good Omens", author: "Terry Pratchett and Neil Gaiman"),
    ],
    readers: [Reader(id: "ada", name: "Ada"), Reader(id: "bob", name: "Bob")]
  )

  func printBooks() {
    for book in books.sorted(by: \.id) {
      let place = book.reader.flatMap { readers[$0]?.name } ?? "on the shelf"
      print("\(book.id): \(book.title) by \(book.author), \(place)")
    }
  }
}
