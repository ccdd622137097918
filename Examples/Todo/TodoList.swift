import Strata
import StrataFlux

/// One item of the list.
struct Todo: EntityType {
  typealias RawID = Int
  static let tableName: TableName = "todos"

  let id: EntityID<Todo>
  var title: String
  var isDone = false
}

/// The persisted part of the state.
struct TodoDatabase: DatabaseType {
  var todos = EntityTable<Todo>()

  static let schema = DatabaseSchema<TodoDatabase> { Entities(\.todos) }
}

struct TodoList: StateType {
  var db = TodoDatabase()

  var sorted: [Todo] { db.todos.sorted { $0.id < $1.id } }
}

enum TodoAction: FluxAction {
  case add(String)
  case finish(Todo.ID)
  case remove(Todo.ID)
}

/// A pure reducer: it changes the state and has no side effects.
final class TodoReducer: Reducer<TodoList, TodoAction>, @unchecked Sendable {
  override func reduce(_ state: inout TodoList, _ action: TodoAction) throws {
    switch action {
    case .add(let title):
      let last = state.db.todos.map(\.id.raw).max() ?? 0
      state.db.todos.insert(Todo(id: EntityID(last + 1), title: title))
    case .finish(let id):
      try state.db.todos.update(id) { $0.isDone = true }
    case .remove(let id):
      guard state.db.todos.remove(id) != nil else {
        throw EntityError.notFound(table: Todo.tableName, id: "\(id)")
      }
    }
  }
}

typealias TodoStore = FluxStore<TodoList, TodoAction>
