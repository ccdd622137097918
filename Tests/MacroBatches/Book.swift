#if Macros
  import Strata

  @Entity("books")
  package struct Book {
    package typealias RawID = Int

    package let id: EntityID<Book>
    package var author: Author.ID
    package var edition: Edition

    package init(id: Book.ID, author: Author.ID, edition: Edition) {
      self.id = id
      self.author = author
      self.edition = edition
    }

    @Record
    package struct Edition: Equatable {
      package var year: Int
      package var binding: Binding

      package init(year: Int, binding: Binding) {
        self.year = year
        self.binding = binding
      }

      @Record
      package enum Binding: Equatable {
        case paper
        case cloth(color: String)
      }
    }
  }
#endif
