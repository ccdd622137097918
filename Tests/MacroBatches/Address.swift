#if Macros
  import Strata

  @Record
  package struct Address: Hashable {
    package var street: String
    package var country: Country

    package init(street: String, country: Country) {
      self.street = street
      self.country = country
    }
  }

  @Record
  package enum Country: Hashable {
    case home
    case abroad(name: String)
  }
#endif
