import Strata

/// A state with a table of users.
///
/// What is measured for each form of a user is generic over it, and specialized for it.
protocol UsersState: StateType {
  associatedtype Database: DatabaseType

  static var database: StatePath<Self, Database> { get }

  init(_ users: [User])

  /// How many users there are.
  var count: Int { get }

  /// Changes one field of one user.
  mutating func update(_ number: Int64) throws
}

/// Users that are stored through `Codable`.
struct UserState: UsersState {
  static let database: StatePath<UserState, UserDatabase> = \.db

  var db = UserDatabase()
  var title = "users"

  init(_ users: [User] = []) { db.users = EntityTable(users) }

  var count: Int { db.users.count }

  mutating func update(_ number: Int64) throws {
    try db.users.update(User.ID(number)) { $0.age += 1 }
  }
}

/// How the records of users are written and read.
enum UserForm: String, CaseIterable {
  case codable
  /// With `@Entity`.
  case entity

  /// What the form adds to the ID of a line.
  var suffix: String { self == .codable ? "" : ".entity" }
  /// What it adds to the name of a benchmark.
  var ending: String { self == .codable ? "" : "-entity" }
  /// What it adds to the description of the work.
  var remark: String { self == .codable ? "" : ", @Entity" }
}
