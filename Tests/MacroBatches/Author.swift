#if Macros
  import Strata

  @Entity("authors")
  package struct Author {
    package let id: EntityID<Author>
    package var name: String
    package var address: Address?

    package init(id: Author.ID, name: String, address: Address? = nil) {
      self.id = id
      self.name = name
      self.address = address
    }
  }
#endif
