import Strata

struct Note: EntityType {
  typealias RawID = Int
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

typealias AppStore = Store<AppState, Never>

try await withPersistence(
  at: "notes.strata",
  initialState: AppState(),
  database: \.db,
  store: AppStore.init
) { store in
  if let text = CommandLine.arguments.dropFirst().first {
    store.commit("add note") { state in
      let id = (state.db.notes.map(\.id.raw).max() ?? 0) + 1
      state.db.notes.insert(Note(id: EntityID(id), text: text))
    }
  }
  for note in store.state.db.notes.sorted(by: { $0.id < $1.id }) {
    print(note.id, note.text)
  }
}
