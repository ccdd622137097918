import Foundation
import Strata

/// A user of the peers: the same fields, with a plain number as its ID.
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
