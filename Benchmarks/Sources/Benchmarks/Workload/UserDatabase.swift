import Strata

/// The database of the benchmarks: one table.
struct UserDatabase: DatabaseType {
  var users = EntityTable<User>()

  static let schema = DatabaseSchema<UserDatabase> { Entities(\.users) }
}
