import Strata

/// An endless sequence of commits to a library, determined by its seed.
///
/// It is the model of a file: the content after `n` commits is computed without the file. Each commit
/// changes something, so the n-th commit makes revision n.
package struct LibraryScript: Sendable {
  package let seed: UInt64

  package init(seed: UInt64) { self.seed = seed }

  /// Makes the n-th commit, counted from 1.
  package func commit(_ number: Int64, to db: inout LibraryDatabase) {
    var random = SeededGenerator(seed: seed &+ UInt64(number) &* 0x9E37_79B9)
    for _ in 0..<Int.random(in: 1...4, using: &random) { edit(&db, &random) }
    db.authors.insert(Author(id: "clock", name: "\(number)"))
  }

  private func edit(_ db: inout LibraryDatabase, _ random: inout SeededGenerator) {
    let number = Int.random(in: 0..<60, using: &random)
    let book = Book(
      id: EntityID(number),
      title: "Title \(random.next() % 1000)",
      author: EntityID("author-\(number % 7)"),
      rating: number % 3 == 0 ? nil : Double(number) / 3
    )
    switch Int.random(in: 0..<40, using: &random) {
    case 0..<16: db.books.insert(book)
    case 16..<22: db.books.remove(book.id)
    case 22..<28: db.archivedBooks.insert(book)
    case 28..<32: db.authors.insert(Author(id: book.author, name: book.title))
    case 32..<34: db.authors.remove(book.author)
    case 34: db.archivedBooks = db.books
    case 35: db.books = EntityTable(db.books.filter { $0.id.raw % 2 == 0 })
    case 36: db.books.removeAll()
    case 37:
      var other = LibraryDatabase()
      other.books = db.archivedBooks
      other.authors = db.authors
      db = other
    case 38: db.loans.insert(Loan(id: EntityID(random.uuid()), book: book.id))
    default: db.loans = [Loan(id: EntityID(random.uuid()), book: book.id)]
    }
  }

  /// The database after the first `count` commits to an empty one.
  package func database(after count: Int64) -> LibraryDatabase {
    var db = LibraryDatabase()
    var number: Int64 = 0
    while number < count {
      number += 1
      commit(number, to: &db)
    }
    return db
  }
}
