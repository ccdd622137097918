package import Strata

/// The tables of the sample domain: four tables, two of them with the same entity type.
package struct LibraryDatabase: DatabaseType {
  package var authors = EntityTable<Author>()
  package var books = EntityTable<Book>()
  package var loans = EntityTable<Loan>()
  package var archivedBooks = EntityTable<Book>()

  package init() {}

  package static let schema = DatabaseSchema<LibraryDatabase> {
    Entities(\.authors)
    Entities(\.books)
    Entities(\.loans)
    Entities(\.archivedBooks, named: "archived_books")
  }
}
