import Strata

struct User: EntityType {
  typealias RawID = Int
  struct Place: Codable, Equatable, Sendable {
    var city: String
    var floor: Int
  }

  static let tableName: TableName = "users"
  let id: EntityID<User>
  var name: String
  var email: String?
  var tags: [String] = []
  var home: Place?
}
