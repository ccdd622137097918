import Strata
import StrataArchive

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

// Another machine may have the folder: a file that is not here comes from it.
let folder = FolderArchive("archive")

try await withPersistence(
  at: "app.strata",
  initialState: AppState(),
  database: \.db,
  with: [.archive(folder)],
  store: Store<AppState, Never>.init
) { store, persistence in
  try await store.commitDurably(until: .replicated) {
    $0.db.notes.insert(Note(id: .random(), text: "Buy milk"))
  }
  print(store.state.db.notes.count, "notes,", persistence.replicatedRevision ?? 0, "in the archive")
}
