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

typealias AppStore = Store<AppState, Never>

// At the top level.
let persistence = try await Persistence.open(
  at: "app.strata",
  initialState: AppState(),
  database: \.db
)
let store = AppStore(persistence)
store.commit { $0.db.notes.insert(Note(id: "1", text: "top level")) }
try await persistence.close()

// In an asynchronous function.
func addNote() async throws {
  let persistence = try await Persistence.open(
    at: "app.strata",
    initialState: AppState(),
    database: \.db
  )
  let store = AppStore(persistence)
  store.commit { $0.db.notes.insert(Note(id: "2", text: "function")) }
  try await persistence.close()
}

// In an actor.
actor Notebook {
  private var persistence: Persistence<AppState, Database>?

  func add() async throws {
    let persistence = try await Persistence.open(
      at: "app.strata",
      initialState: AppState(),
      database: \.db
    )
    self.persistence = persistence
    let store = AppStore(persistence)
    store.commit { $0.db.notes.insert(Note(id: "3", text: "actor")) }
    try await persistence.close()
  }
}

// In a function that cannot wait asynchronously.
func addNoteAndBlock() throws {
  let persistence = try Persistence.openBlocking(
    at: "app.strata",
    initialState: AppState(),
    database: \.db
  )
  let store = AppStore(persistence)
  store.commit { $0.db.notes.insert(Note(id: "4", text: "blocking")) }
  print(store.state.db.notes.count, "notes")
}

try await addNote()
try await Notebook().add()
try addNoteAndBlock()
