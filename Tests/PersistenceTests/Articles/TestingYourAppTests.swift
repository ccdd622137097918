import Foundation
import Strata
import Testing

private struct Todo: EntityType {
  static let tableName: TableName = "todos"
  let id: EntityID<Todo>
  var title: String
  var done: Date?

  static let byTitle = UniqueIndex(\Todo.title, named: "title")
  static let indexes: EntityIndexes<Todo> = [byTitle]
}

private struct Database: DatabaseType {
  var todos = EntityTable<Todo>()
  static let schema = DatabaseSchema<Database> { Entities(\.todos) }
}

private struct AppState: RuledStateType {
  var db = Database()
}

private typealias AppStore = Store<AppState, Never>

private final class TodoList: StoreComponentType {
  let store: AppStore
  let now: @Sendable () -> Date

  init(store: AppStore, now: @escaping @Sendable () -> Date = { Date() }) {
    self.store = store
    self.now = now
  }

  func add(_ id: Todo.ID, _ title: String) throws {
    try commit("add") { state in
      state.db.todos.insert(Todo(id: id, title: title))
    }
  }

  func finish(_ id: Todo.ID) throws {
    try commit("finish") { state in
      try state.db.todos.update(id) { $0.done = now() }
    }
  }
}

/// The code of the article "Testing Your App" of the documentation.
struct TestingYourAppTests {
  @Test func `a title is there once`() throws {
    let store = try AppStore(InMemory(initialState: AppState(), database: \.db))
    let list = TodoList(store: store)
    try list.add("1", "milk")
    #expect(throws: RuleViolation.self) { try list.add("2", "milk") }
    #expect(store.state.db.todos.count == 1)
  }

  @Test func `finishing can be undone`() throws {
    let store = try AppStore(InMemory(initialState: AppState(), database: \.db))
    let list = TodoList(store: store)
    let undo = UndoStack(of: list, database: \.db)
    try list.add("1", "milk")
    try list.finish("1")
    try undo.undo()
    #expect(store.state.db.todos["1"]?.done == nil)
  }

  @Test func `subscribers see the new todo`() throws {
    let store = try AppStore(InMemory(initialState: AppState(), database: \.db))
    let count = store.derived(.map(\.db.todos.count))
    try TodoList(store: store).add("1", "milk")
    #expect(count.value == 1)
  }

  private func open(
    _ path: String,
    now: @escaping @Sendable () -> Date = { Date() }
  ) async throws -> Persistence<AppState, Database> {
    try await Persistence.open(
      at: path,
      initialState: AppState(),
      database: \.db,
      configuration: PersistenceConfiguration(now: now)
    )
  }

  @Test func `todos are there after a relaunch`() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appending(path: "app.strata").path

    let first = try await open(path)
    let store = AppStore(first)
    try TodoList(store: store).add("1", "milk")
    try await first.close()

    let second = try await open(path)
    #expect(second.report.outcome == .restored)
    #expect(second.initialState.db.todos["1"]?.title == "milk")
    try await second.close()
  }

  @Test func `finishing notes the time, and so does the journal`() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }

    let noon = Date(timeIntervalSince1970: 43_200)
    let persistence = try await open(folder.appending(path: "app.strata").path, now: { noon })
    let store = AppStore(persistence)
    let list = TodoList(store: store, now: { noon })
    try list.add("1", "milk")
    try list.finish("1")
    #expect(store.state.db.todos["1"]?.done == noon)
    for try await delta in persistence.deltas() { #expect(delta.time == noon) }
    try await persistence.close()
  }

  /// Lines without their indentation and without `private`, which the article does not need.
  private func lines(_ text: some StringProtocol) -> [String] {
    text.split(separator: "\n").map { line in
      let line = line.trimmingCharacters(in: .whitespaces)
      return line.hasPrefix("private ") ? String(line.dropFirst("private ".count)) : line
    }
    .filter { !$0.isEmpty }
  }

  @Test func `the article shows the code that is compiled here`() throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
      .deletingLastPathComponent()
    let article = try String(
      contentsOf: root.appending(
        path: "Sources/StrataPersistence/StrataPersistence.docc/TestingYourApp.md"
      ),
      encoding: .utf8
    )
    let compiled = lines(try String(contentsOfFile: #filePath, encoding: .utf8))
    let blocks = article.split(separator: "```swift\n").dropFirst().map { block in
      lines(block.prefix(upTo: block.range(of: "```")?.lowerBound ?? block.endIndex))
    }
    #expect(blocks.count == 5)
    for block in blocks {
      let isCompiled = compiled.indices.contains { compiled[$0...].starts(with: block) }
      #expect(isCompiled, "not compiled: \(block.first ?? "")")
    }
  }
}
