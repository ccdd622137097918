import Strata

/// The state of the sample domain: a database, and parts that are not entities.
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
