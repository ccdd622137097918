#if Macros
  import Strata

  package struct Catalog: DatabaseType {
    package var authors = EntityTable<Author>()
    package var books = EntityTable<Book>()
    package var shelves = EntityTable<Shelf>()

    package init() {}

    package static let schema = DatabaseSchema<Catalog> {
      Entities(\.authors)
      Entities(\.books)
      Entities(\.shelves)
    }

    package func author(of book: Book.ID) -> Author? {
      books[book].flatMap { authors[$0.author] }
    }

    @Entity("shelves")
    package struct Shelf {
      package let id: EntityID<Shelf>
      package var books: [Book.ID]
      package var place: Address?

      package init(id: Shelf.ID, books: [Book.ID], place: Address?) {
        self.id = id
        self.books = books
        self.place = place
      }
    }
  }
#endif
