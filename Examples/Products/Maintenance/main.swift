import Strata
import StrataMaintenance

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

// What the law may ask for: every trace of an entity leaves the file.
try await withPersistence(
  at: "app.strata",
  initialState: AppState(),
  database: \.db,
  store: Store<AppState, Never>.init
) { store, persistence in
  store.commit("add") { $0.db.notes.insert(Note(id: "1", text: "call Ada")) }
  store.commit("remove") { $0.db.notes.remove("1") }
  let report = try await persistence.erase([Note.ID("1")])
  print(report)
}
