import Foundation
import Strata

/// The same user, who writes and reads the fields of its records by hand.
struct HandwrittenUser: EntityType {
  typealias RawID = Int64

  static let tableName: TableName = "users"

  /// The nested part of a user.
  struct Address: Codable, Equatable, Sendable {
    var street: String
    var city: String
    var zip: String
  }

  let id: EntityID<HandwrittenUser>
  var name: String
  var email: String
  var age: Int
  var score: Double
  var isActive: Bool
  var createdAt: Date
  var tags: [String]
  var address: Address
}

extension HandwrittenUser {
  init(_ user: User) {
    self.init(
      id: HandwrittenUser.ID(user.id.raw),
      name: user.name,
      email: user.email,
      age: user.age,
      score: user.score,
      isActive: user.isActive,
      createdAt: user.createdAt,
      tags: user.tags,
      address: Address(
        street: user.address.street,
        city: user.address.city,
        zip: user.address.zip
      )
    )
  }
}

extension HandwrittenUser: RecordCodable {
  init(record: inout RecordFieldReader) throws {
    id = try record.decode("id")
    name = try record.decode("name")
    email = try record.decode("email")
    age = try record.decode("age")
    score = try record.decode("score")
    isActive = try record.decode("isActive")
    createdAt = try record.decode("createdAt")
    tags = try record.decode("tags")
    address = try record.decode("address")
  }

  func encode(record: inout RecordFieldWriter) {
    record.encode("id", id)
    record.encode("name", name)
    record.encode("email", email)
    record.encode("age", age)
    record.encode("score", score)
    record.encode("isActive", isActive)
    record.encode("createdAt", createdAt)
    record.encode("tags", tags)
    record.encode("address", address)
  }
}

extension HandwrittenUser.Address: RecordCodable {
  init(record: inout RecordFieldReader) throws {
    street = try record.decode("street")
    city = try record.decode("city")
    zip = try record.decode("zip")
  }

  func encode(record: inout RecordFieldWriter) {
    record.encode("street", street)
    record.encode("city", city)
    record.encode("zip", zip)
  }
}

/// The database of handwritten users.
struct HandwrittenDatabase: DatabaseType {
  var users = EntityTable<HandwrittenUser>()

  static let schema = DatabaseSchema<HandwrittenDatabase> { Entities(\.users) }
}

struct HandwrittenState: StateType {
  var db = HandwrittenDatabase()
}
