import Foundation
import Strata

/// Random edits of a library's database: by the methods of its tables, and by assigning whole tables and
/// databases, including much older ones.
///
/// There are few IDs, so that edits collide.
package struct LibraryMutations {
  package var generator: SeededGenerator
  private var older: [LibraryDatabase] = []

  package init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

  /// Makes up to six edits, and sometimes stores the result for later edits.
  package mutating func mutate(_ database: inout LibraryDatabase) {
    for _ in 0..<number(below: 7) { mutateOnce(&database) }
    if older.count < 8 || number(below: 4) == 0 { older.append(database) }
    if older.count > 8 { older.remove(at: number(below: older.count)) }
  }

  /// A random number below `bound`.
  package mutating func number(below bound: Int) -> Int {
    Int.random(in: 0..<bound, using: &generator)
  }

  private mutating func mutateOnce(_ database: inout LibraryDatabase) {
    switch number(below: 24) {
    case 0...4: insertOne(&database)
    case 5...9: updateOne(&database)
    case 10...12: removeOne(&database)
    case 13: database.books.insert(contentsOf: books())
    case 14: database.books.remove(in: books().map(\.id))
    case 15: database.archivedBooks.removeAll()
    case 16: database.books.removeAll()
    case 17: database.archivedBooks = database.books
    case 18: database.books = database.archivedBooks
    case 19: database.books = EntityTable(books())
    case 20: database.authors = older.randomElement(using: &generator)?.authors ?? []
    case 21: database.books = older.randomElement(using: &generator)?.archivedBooks ?? []
    case 22: database = older.randomElement(using: &generator) ?? LibraryDatabase()
    default: rebuild(&database)
    }
  }

  private mutating func insertOne(_ database: inout LibraryDatabase) {
    switch number(below: 4) {
    case 0: database.authors.insert(Author(id: author(), name: "\(number(below: 3))"))
    case 1: database.books.insert(book())
    case 2: database.archivedBooks.insert(book())
    default: database.loans.insert(Loan(id: loan(), book: book().id))
    }
  }

  private mutating func updateOne(_ database: inout LibraryDatabase) {
    let title = "\(number(below: 3))"
    do {
      if let id = database.books.ids.randomElement(using: &generator) {
        try database.books.update(id) { $0.title = title }
      }
      _ = try database.archivedBooks.updateIfExists(book().id) { $0.title = title }
      _ = try database.authors.updateIfExists(author()) { $0.name = title }
    } catch {
      fatalError("The update of an existing book threw an error: \(error)")
    }
  }

  private mutating func removeOne(_ database: inout LibraryDatabase) {
    switch number(below: 4) {
    case 0: database.authors.remove(author())
    case 1: database.books.remove(book().id)
    case 2: database.archivedBooks.remove(book().id)
    default: database.loans.remove(loan())
    }
  }

  /// Copies the content to new tables that share no nodes with the old ones, and inserts one book.
  private mutating func rebuild(_ database: inout LibraryDatabase) {
    var fresh = LibraryDatabase()
    fresh.authors = EntityTable(database.authors)
    fresh.books = EntityTable(database.books)
    fresh.books.insert(book())
    fresh.loans = EntityTable(database.loans)
    fresh.archivedBooks = EntityTable(database.archivedBooks)
    database = fresh
  }

  private mutating func author() -> Author.ID { Author.ID("\(number(below: 12))") }

  private mutating func book() -> Book {
    Book(id: Book.ID(number(below: 12)), title: "\(number(below: 3))")
  }

  private mutating func books() -> [Book] { (0..<number(below: 8)).map { _ in book() } }

  private mutating func loan() -> Loan.ID {
    let byte = UInt8(number(below: 6))
    return Loan.ID(UUID(uuid: (byte, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)))
  }
}
