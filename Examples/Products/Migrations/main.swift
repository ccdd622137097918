import Strata
import StrataMigrations

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

// Runs once on each file, before it is read; a new file notes it as applied.
let trim = DataMigration("0001_trim", table: "notes") { note in
  note["text"] = note["text"]?.text.map { .string($0.trimmingPrefix(" ").description) }
}

try await withPersistence(
  at: "app.strata",
  initialState: AppState(),
  database: \.db,
  with: [.migrations([trim])],
  store: Store<AppState, Never>.init
) { store, persistence in
  print(persistence.report.migrations?.steps.map(\.name) ?? [], store.state.db.notes.count)
}
