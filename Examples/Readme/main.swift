import Strata

struct User: EntityType {
  static let tableName: TableName = "users"
  let id: EntityID<User>
  var name: String
}

struct Database: DatabaseType {
  var users = EntityTable<User>()
  static let schema = DatabaseSchema<Database> { Entities(\.users) }
}

struct AppState: StateType {
  var db = Database()
  var selected: User.ID?
}

typealias AppStore = Store<AppState, Never>

try await withPersistence(
  at: "app.strata",
  initialState: AppState(),
  database: \.db,
  store: AppStore.init
) { store in
  let subscription = store.sinkState { changes in
    changes.ifChanged(\.db.users.count) { print("\($0) users") }
  }
  store.commit("add Ada") { $0.db.users.insert(User(id: "ada", name: "Ada")) }
  subscription.cancel()
}
