import Foundation
import Strata

/// The entity of the benchmarks: nine fields, with a nested struct and an array.
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
