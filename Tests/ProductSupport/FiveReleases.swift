import Foundation
package import Strata
import StrataInspection
package import StrataMigrating
import StrataRecords

/// An app that has had five migrations since its first release, in their Swift form, with its types as they were at
/// first and as they are now.
package enum FiveReleases {
  /// The names of the users in a file by their IDs, of whatever release.
  package static func names(at path: String) throws -> [String: String] {
    var names: [String: String] = [:]
    for user in try Inspector(path: path).show(table: "users") {
      names[user.value["id"]?.text ?? ""] = user.value["name"]?.text
    }
    return names
  }

  /// The entities of the first release.
  package enum First {
    package struct User: EntityType {
      package static let tableName: TableName = "users"
      package let id: EntityID<User>
      package var name: String
      package var street: String?
      package var city: String?

      package init(id: EntityID<User>, name: String, street: String? = nil, city: String? = nil) {
        self.id = id
        self.name = name
        self.street = street
        self.city = city
      }
    }

    package struct Note: EntityType {
      package static let tableName: TableName = "notes"
      package let id: EntityID<Note>
      package var text: String
      package var author: User.ID
      package var readers: [User.ID]
      package var score: Double

      package init(
        id: EntityID<Note>,
        text: String,
        author: User.ID,
        readers: [User.ID] = [],
        score: Double = 1.5
      ) {
        self.id = id
        self.text = text
        self.author = author
        self.readers = readers
        self.score = score
      }
    }

    package struct Tag: EntityType {
      package static let tableName: TableName = "tags"
      package let id: EntityID<Tag>

      package init(id: EntityID<Tag>) { self.id = id }
    }

    package struct Database: DatabaseType {
      package var users = EntityTable<User>()
      package var notes = EntityTable<Note>()
      package var tags = EntityTable<Tag>()

      package init() {}

      package static let schema = DatabaseSchema<Database> {
        Entities(\.users)
        Entities(\.notes)
        Entities(\.tags)
      }
    }

    package struct State: StateType {
      package var db = Database()

      package init() {}
    }
  }

  /// The entities of today.
  package enum Last {
    package struct User: EntityType {
      package typealias RawID = Int
      package static let tableName: TableName = "users"
      package let id: EntityID<User>
      package var name: String
      package var age: Int
    }

    package struct Address: EntityType {
      package static let tableName: TableName = "addresses"
      package let id: EntityID<Address>
      package var street: String
      package var city: String?
    }

    package struct Memo: EntityType {
      package static let tableName: TableName = "memos"
      package let id: EntityID<Memo>
      package var body: String
      package var author: User.ID
      package var readers: [User.ID]
      package var score: Double
    }

    package struct Database: DatabaseType {
      package var users = EntityTable<User>()
      package var addresses = EntityTable<Address>()
      package var memos = EntityTable<Memo>()

      package init() {}

      package static let schema = DatabaseSchema<Database> {
        Entities(\.users)
        Entities(\.addresses)
        Entities(\.memos)
      }
    }

    package struct State: StateType {
      package var db = Database()

      package init() {}
    }
  }

  package static let migrations = [
    DataMigration("0001_add_age", table: "users") { $0["age"] = .integer(18) }
      .reversed(table: "users") { $0.remove("age") }
      .allowing(.destructive("users.age")),
    DataMigration(
      "0002_memos",
      .rename("notes", to: "memos"),
      .renameField("text", to: "body", in: "memos")
    ),
    DataMigration("0003_split_address", table: "users") { user, tables in
      if let street = user["street"] {
        var address = MigrationRecord(table: "addresses", id: user.id)
        address["id"] = user["id"]
        address["street"] = street
        address["city"] = user["city"]
        try tables.put(address)
      }
      user.remove("street", "city")
    }.allowing(.destructive("users.street"), .destructive("users.city"))
      .allowing(.destructive("addresses"))
      .reversed { tables in
        try tables.forEach(in: "addresses") { address in
          if var user = try tables.record(in: "users", id: address.id) {
            user["street"] = address["street"]
            user["city"] = address["city"]
            try tables.put(user)
          }
          address.removeRecord()
        }
      },
    DataMigration(
      "0004_integer_ids",
      .changeID(of: "users") { user in .integer(Int(user.id.text?.dropFirst() ?? "") ?? -1) }
    ),
    DataMigration("0005_no_tags", .dropTable("tags")),
  ]

  /// A store of the first release with users `u1`, `u2` ….
  package static func makeFirst(at path: String, users count: Int = 5) async throws {
    let persistence = try await Persistence.open(
      at: path,
      initialState: First.State(),
      database: \.db
    )
    let store = Store<First.State, Never>(persistence)
    store.commit { state in
      for number in 1...count {
        state.db.users.insert(
          First.User(
            id: EntityID("u\(number)"),
            name: "User \(number)",
            street: number % 3 == 0 ? nil : "\(number) Main Street",
            city: number % 2 == 0 ? "Bern" : nil
          )
        )
        state.db.notes.insert(
          First.Note(
            id: EntityID("n\(number)"),
            text: "text \(number)",
            author: EntityID("u\(number)"),
            readers: ["u1", EntityID("u\(number)")],
            score: number == 1 ? -0.0 : Double(number) / 7
          )
        )
        state.db.tags.insert(First.Tag(id: EntityID("t\(number)")))
      }
    }
    try await persistence.close()
  }

  /// The entities of a store that has had all migrations.
  package static func expected(users count: Int = 5) -> Last.Database {
    var database = Last.Database()
    for number in 1...count {
      let id = Last.User.ID(number)
      database.users.insert(Last.User(id: id, name: "User \(number)", age: 18))
      if number % 3 != 0 {
        database.addresses.insert(
          Last.Address(
            id: EntityID("u\(number)"),
            street: "\(number) Main Street",
            city: number % 2 == 0 ? "Bern" : nil
          )
        )
      }
      database.memos.insert(
        Last.Memo(
          id: EntityID("n\(number)"),
          body: "text \(number)",
          author: id,
          readers: [1, id],
          score: number == 1 ? -0.0 : Double(number) / 7
        )
      )
    }
    return database
  }

  /// Every record of a store, as text, by its table.
  package static func contents(of path: String) throws -> [String: [String]] {
    let inspector = try Inspector(path: path)
    var contents: [String: [String]] = [:]
    for table in try inspector.tables() where table.count > 0 {
      contents[table.name] = try inspector.show(table: table.name).map { entity in
        // The order of the fields in a record is that of its layout.
        let members = entity.value.members ?? []
        let sorted = members.sorted { $0.name < $1.name }.filter { $0.value != .null }
        return
          "\(entity.id.map { "\($0)" } ?? ""): \(sorted.map { "\($0.name)=\($0.value.json())" })"
      }
    }
    return contents
  }
}
