import Strata

/// The database of the benchmarks: one table.
struct UserDatabase: DatabaseType {
  var users = EntityTable<User>()

  static let schema = DatabaseSchema<UserDatabase> { Entities(\.users) }
}

struct UserState: StateType {
  var db = UserDatabase()
  var title = "users"

  init(_ users: [User] = []) { db.users = EntityTable(users) }
}

final class UserStore: Store<UserState, Never>, @unchecked Sendable {}

extension UserStore {
  /// The commit that most lines measure: one field of one user changes.
  func commitUpdate(_ number: Int64) {
    do {
      try commit { try $0.db.users.update(User.ID(number)) { $0.age += 1 } }
    } catch {
      fatalError("The commit was refused: \(error)")
    }
  }
}
