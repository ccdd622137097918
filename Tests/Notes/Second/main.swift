import Strata
import StrataMigrations

struct Note: DefaultingEntityType {
  typealias RawID = Int
  static let tableName: TableName = "notes"
  let id: EntityID<Note>
  var title: String
  var isDone = false

  static var defaults: Note { Note(id: 0, title: "") }
}

struct Database: DatabaseType {
  var notes = EntityTable<Note>()
  static let schema = DatabaseSchema<Database> { Entities(\.notes) }
}

struct AppState: StateType {
  var db = Database()
}

typealias AppStore = Store<AppState, Never>

let migrations = [
  DataMigration("0001_title", .renameField("text", to: "title", in: "notes"))
]

try await withPersistence(
  at: "notes.strata",
  initialState: AppState(),
  database: \.db,
  with: [.migrations(migrations)],
  store: AppStore.init
) { store, persistence in
  print(persistence.report)
  if let number = CommandLine.arguments.dropFirst().first.flatMap(Int.init) {
    try store.commit("finish") { state in
      try state.db.notes.update(EntityID(number)) { $0.isDone = true }
    }
  }
  for note in store.state.db.notes.sorted(by: { $0.id < $1.id }) {
    print(note.id, note.title, note.isDone ? "done" : "open")
  }
  try await persistence.flush()
}
