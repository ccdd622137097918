#if Macros
  /// Synthesized `Codable` whose fields are entities and records of other files.
  package struct Order: Codable, Equatable {
    package var book: Book.ID
    package var edition: Book.Edition
    package var binding: [Book.Edition.Binding]
    package var recipient: Address
    package var offers: [Book.Edition.Offer]

    package init(of book: Book, to recipient: Address) {
      self.book = book.id
      edition = book.edition
      binding = [book.edition.binding]
      self.recipient = recipient
      offers = [Book.Edition.Offer(book: book, edition: book.edition)]
    }
  }

  extension Book.Edition {
    package struct Offer: Codable, Equatable {
      package var book: Book
      package var edition: Book.Edition
      package var shelf: Catalog.Shelf?
    }
  }
#endif
