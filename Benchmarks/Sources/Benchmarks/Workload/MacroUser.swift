import Foundation
import Strata

/// The same user with the macro: its records have the same bytes, and do not go through `Codable`.
@Entity("users")
struct MacroUser {
  typealias RawID = Int64

  /// The nested part of a user.
  @Record
  struct Address: Equatable {
    var street: String
    var city: String
    var zip: String
  }

  let id: EntityID<MacroUser>
  var name: String
  var email: String
  var age: Int
  var score: Double
  var isActive: Bool
  var createdAt: Date
  var tags: [String]
  var address: Address
}

extension MacroUser {
  init(_ user: User) {
    self.init(
      id: MacroUser.ID(user.id.raw),
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

struct MacroDatabase: DatabaseType {
  var users = EntityTable<MacroUser>()

  static let schema = DatabaseSchema<MacroDatabase> { Entities(\.users) }
}

struct MacroState: UsersState {
  static let database: StatePath<MacroState, MacroDatabase> = \.db

  var db = MacroDatabase()

  init(_ users: [User] = []) { db.users = EntityTable(users.map(MacroUser.init)) }

  var count: Int { db.users.count }

  mutating func update(_ number: Int64) throws {
    try db.users.update(MacroUser.ID(number)) { $0.age += 1 }
  }
}
