import Strata

struct Note: EntityType {
  static let tableName: TableName = "notes"
  let id: EntityID<Note>
  var text: String
}

struct Database: DatabaseType {
  var notes = EntityTable<Note>()
  static let schema = DatabaseSchema<Database> { Entities(\.notes) }
}

struct AppState: StateType {
  var db = Database()
}

try await withPersistence(
  at: "app.strata",
  initialState: AppState(),
  database: \.db,
  store: Store<AppState, Never>.init
) { store in
  store.commit("add note") { $0.db.notes.insert(Note(id: .random(), text: "Buy milk")) }
  print(store.state.db.notes.count, "notes")
}
