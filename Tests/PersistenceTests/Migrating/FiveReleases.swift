import Foundation
import Strata
import StrataStorage

/// An app that has had five migrations since its first release, in their Swift form, with its types as they were at
/// first and as they are now.
enum FiveReleases {
  /// The entities of the first release.
  enum First {
    struct User: EntityType {
      static let tableName: TableName = "users"
      let id: EntityID<User>
      var name: String
      var street: String?
      var city: String?
    }

    struct Note: EntityType {
      static let tableName: TableName = "notes"
      let id: EntityID<Note>
      var text: String
      var author: User.ID
      var readers: [User.ID] = []
      var score = 1.5
    }

    struct Tag: EntityType {
      static let tableName: TableName = "tags"
      let id: EntityID<Tag>
    }

    struct Database: DatabaseType {
      var users = EntityTable<User>()
      var notes = EntityTable<Note>()
      var tags = EntityTable<Tag>()
      static let schema = DatabaseSchema<Database> {
        Entities(\.users)
        Entities(\.notes)
        Entities(\.tags)
      }
    }

    struct State: StateType {
      var db = Database()
    }
  }

  /// The entities of today.
  enum Last {
    struct User: EntityType {
      typealias RawID = Int
      static let tableName: TableName = "users"
      let id: EntityID<User>
      var name: String
      var age: Int
    }

    struct Address: EntityType {
      static let tableName: TableName = "addresses"
      let id: EntityID<Address>
      var street: String
      var city: String?
    }

    struct Memo: EntityType {
      static let tableName: TableName = "memos"
      let id: EntityID<Memo>
      var body: String
      var author: User.ID
      var readers: [User.ID]
      var score: Double
    }

    struct Database: DatabaseType {
      var users = EntityTable<User>()
      var addresses = EntityTable<Address>()
      var memos = EntityTable<Memo>()
      static let schema = DatabaseSchema<Database> {
        Entities(\.users)
        Entities(\.addresses)
        Entities(\.memos)
      }
    }

    struct State: StateType {
      var db = Database()
    }
  }

  static let migrations = [
    DataMigration("0001_add_age", table: "users") { $0["age"] = .integer(18) }
      .reversed(table: "users") { $0.remove("age") },
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
  static func makeFirst(at path: String, users count: Int = 5) async throws {
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
  static func expected(users count: Int = 5) -> Last.Database {
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
  static func contents(of path: String) throws -> [String: [String]] {
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
