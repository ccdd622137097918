package import Foundation
package import Strata

/// Someone who writes books; the kind of entity with a text for an ID.
package struct Author: EntityType {
  package static let tableName: TableName = "authors"

  package let id: EntityID<Author>
  package var name: String

  package init(id: EntityID<Author>, name: String = "") {
    self.id = id
    self.name = name
  }
}

/// A book of an author; the kind of entity with a number for an ID.
package struct Book: EntityType {
  package typealias RawID = Int
  package static let tableName: TableName = "books"

  package let id: EntityID<Book>
  package var title: String
  package var author: Author.ID
  package var rating: Double?

  package init(
    id: EntityID<Book>,
    title: String = "",
    author: Author.ID = "unknown",
    rating: Double? = nil
  ) {
    self.id = id
    self.title = title
    self.author = author
    self.rating = rating
  }
}

/// A book in someone's hands; the kind of entity with a UUID for an ID.
package struct Loan: EntityType {
  package typealias RawID = UUID
  package static let tableName: TableName = "loans"

  package let id: EntityID<Loan>
  package var book: Book.ID

  package init(id: EntityID<Loan>, book: Book.ID) {
    self.id = id
    self.book = book
  }
}

/// Four tables, two of them of one entity type.
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

/// The state of a library's application: a database, and parts that are not entities.
package struct LibraryState: StateType, Equatable {
  package struct LoggedIn: Equatable, Sendable {
    package struct MyInfo: Equatable, Sendable {
      package var name = ""
    }

    package var myInfo = MyInfo()
    package var visits = 0
  }

  package struct LoggedOut: Equatable, Sendable {
    package var attempts = 0
  }

  package struct Search: Equatable, Sendable {
    package var text: String

    package init(text: String) { self.text = text }
  }

  package var count = 0
  package var db = LibraryDatabase()
  package var loggedIn = LoggedIn()
  package var loggedOut = LoggedOut()
  package var search: Search?

  package init() {}
}

/// What the library announces besides its state.
package enum LibraryActivity: Equatable, Sendable {
  case opened
  case rang(Int)
}

/// The store of the sample domain.
package final class LibraryStore: Store<LibraryState, LibraryActivity>, @unchecked Sendable {}

extension LibraryStore {
  /// A store of an empty library at version 0.
  package convenience init() { self.init(initialState: LibraryState()) }
}
