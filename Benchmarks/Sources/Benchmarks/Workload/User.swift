import Foundation
import Strata

/// What all benchmarks store: nine fields, with a nested struct and an array.
struct User: EntityType {
  typealias RawID = Int64

  static let tableName: TableName = "users"

  let id: EntityID<User>
  var name: String
  var email: String
  var age: Int
  var score: Double
  var isActive: Bool
  var createdAt: Date
  var tags: [String]
  var address: Address
}

/// The nested part of a user.
struct Address: Codable, Equatable, Sendable {
  var street: String
  var city: String
  var zip: String
}

/// The same for the peers, whose identifiers are plain numbers.
struct PlainUser: Codable, Equatable, Sendable {
  var id: Int64
  var name: String
  var email: String
  var age: Int
  var score: Double
  var isActive: Bool
  var createdAt: Date
  var tags: [String]
  var address: Address
}

extension PlainUser {
  init(_ user: User) {
    self.init(
      id: user.id.raw,
      name: user.name,
      email: user.email,
      age: user.age,
      score: user.score,
      isActive: user.isActive,
      createdAt: user.createdAt,
      tags: user.tags,
      address: user.address
    )
  }
}
