import Strata

struct UserState: StateType {
  var db = UserDatabase()
  var title = "users"

  init(_ users: [User] = []) { db.users = EntityTable(users) }
}
