#if Macros
  import MacroBatches
  import Strata
  import Testing

  /// Types by macro whose uses are in other files.
  struct OtherFileTests {
    private let author = Author(
      id: "1",
      name: "Ada",
      address: Address(street: "Main Street", country: .abroad(name: "France"))
    )
    private let book = Book(
      id: 1,
      author: "1",
      edition: Book.Edition(year: 1843, binding: .cloth(color: "red"))
    )

    @Test
    func `their records are those of Codable`() throws {
      try RecordCodableLaw.check([author, Author(id: "2", name: "Grace")])
      try RecordCodableLaw.check([book])
      try RecordCodableLaw.check([Catalog.Shelf(id: "1", books: [1], place: author.address)])
    }

    @Test
    func `ID is the type of the ID, in another module too`() {
      var catalog = Catalog()
      catalog.authors.insert(author)
      catalog.books.insert(book)
      let id: Book.ID = EntityID<Book>(1)
      #expect(catalog.author(of: id) == author)
    }
  }
#endif
