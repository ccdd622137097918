#if GRDB_PEER
  import Foundation
  import GRDB

  /// GRDB as its documentation recommends: a pool in WAL mode and one record type.
  final class GRDBPeer<Record: UserRecord>: WritePeer {
    private let pool: DatabasePool
    private var records: [Record]

    init(_ users: [PlainUser], _ path: String, _ record: (PlainUser) -> Record) throws {
      records = users.map(record)
      pool = try Self.open(path)
      try pool.write { database in
        try Record.createTable(in: database)
        for record in records { try record.insert(database) }
      }
    }

    static func open(_ path: String) throws -> DatabasePool { try DatabasePool(path: path) }

    func update(_ numbers: ArraySlice<Int64>) throws {
      try pool.write { database in
        for number in numbers {
          records[Int(number)].age += 1
          try records[Int(number)].update(database)
        }
      }
    }
  }

  /// A user that GRDB reads and writes.
  protocol UserRecord: Codable, FetchableRecord, PersistableRecord, Sendable {
    var id: Int64 { get }
    var age: Int { get set }

    static func createTable(in database: Database) throws
  }

  /// A Codable record: GRDB stores the nested struct and the array as JSON, and the date as text.
  extension PlainUser: UserRecord {
    static var databaseTableName: String { "user" }

    static func createTable(in database: Database) throws {
      try database.create(table: databaseTableName) { table in
        table.primaryKey("id", .integer)
        table.column("name", .text)
        table.column("email", .text)
        table.column("age", .integer)
        table.column("score", .double)
        table.column("isActive", .boolean)
        table.column("createdAt", .datetime)
        table.column("tags", .text)
        table.column("address", .text)
      }
    }
  }

  /// A user in columns of numbers and texts only, for speed.
  struct FlatUser: UserRecord {
    static var databaseTableName: String { "flatUser" }

    var id: Int64
    var name: String
    var email: String
    var age: Int
    var score: Double
    var isActive: Bool
    var createdAt: Double
    var tags: String
    var street: String
    var city: String
    var zip: String

    init(_ user: PlainUser) {
      id = user.id
      name = user.name
      email = user.email
      age = user.age
      score = user.score
      isActive = user.isActive
      createdAt = user.createdAt.timeIntervalSinceReferenceDate
      tags = user.tags.joined(separator: ",")
      street = user.address.street
      city = user.address.city
      zip = user.address.zip
    }

    static func createTable(in database: Database) throws {
      try database.create(table: databaseTableName) { table in
        table.primaryKey("id", .integer)
        table.column("name", .text)
        table.column("email", .text)
        table.column("age", .integer)
        table.column("score", .double)
        table.column("isActive", .boolean)
        table.column("createdAt", .double)
        for name in ["tags", "street", "city", "zip"] { table.column(name, .text) }
      }
    }
  }
#endif
