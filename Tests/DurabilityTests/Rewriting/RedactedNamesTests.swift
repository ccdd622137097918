import Foundation
import Strata
import StrataMaintaining
import StrataMaintenance
import TestSupport
import Testing

/// Fields that are redacted are compared with the names that are there, whatever is in these.
struct RedactedNamesTests {
  struct Contact: EntityType {
    static let tableName: TableName = "crm.people"
    let id: EntityID<Contact>
    var email: String
    var phone: String

    enum CodingKeys: String, CodingKey {
      case id
      case email = "e.mail (work)"
      case phone
    }
  }

  struct Contacts: DatabaseType {
    var contacts = EntityTable<Contact>()

    static let schema = DatabaseSchema<Contacts> { Entities(\.contacts) }
  }

  struct ContactState: StateType {
    var db = Contacts()
  }

  @Test(
    arguments: [
      StoreBundle.Field("crm.people.e.mail (work)"), StoreBundle.Field("crm.people.phone"),
      StoreBundle.Field("crm.people", "e.mail (work)"), StoreBundle.Field("crm.people", "phone"),
    ]
  )
  func `a name with dots is the one that is there`(field: StoreBundle.Field?) async throws {
    let field = try #require(field)
    let directory = try TemporaryDirectory()
    let (path, bundle) = (directory.path("app.strata"), directory.path("bug.strata"))
    let persistence = try await Persistence.open(
      at: path,
      initialState: ContactState(),
      database: \.db
    )
    let store = Store<ContactState, Never>(persistence)
    store.commit {
      $0.db.contacts.insert(Contact(id: "c", email: "planted mail", phone: "planted phone"))
    }
    try await persistence.close()
    _ = try StoreBundle.writeBlocking(of: path, last: 1, redacting: [field], to: bundle)
    let bytes = try Data(contentsOf: URL(fileURLWithPath: bundle))
    let isMail = field.description.contains("mail")
    #expect((bytes.range(of: Data("planted mail".utf8)) == nil) == isMail)
    #expect((bytes.range(of: Data("planted phone".utf8)) == nil) == !isMail)
  }
}
