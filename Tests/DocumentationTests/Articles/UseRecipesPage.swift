import Foundation
import Strata
import StrataFlux
import StrataFluxRecorder
import StrataMaintenance
import Testing

/// The second half of the page "Recipes": the clock, users, IDs, seeds and travels.
struct UseRecipesTests {
  struct Task: EntityType {
    typealias RawID = Int
    static let tableName: TableName = "tasks"
    let id: EntityID<Task>
    var title: String
    var project: Project.ID
    var due: Date
    var isDone = false

    /// Those that are not done, by their project.
    static let open = GroupIndex(
      { (task: Task) -> Project.ID? in task.isDone ? nil : task.project },
      named: "open"
    )
    static let indexes: EntityIndexes<Task> = [open]
  }

  struct Project: EntityType {
    static let tableName: TableName = "projects"
    let id: EntityID<Project>
    var name: String
    var limit = 10
  }

  struct Database: DatabaseType {
    var tasks = EntityTable<Task>()
    var projects = EntityTable<Project>()

    static let schema = DatabaseSchema<Database> {
      Entities(\.tasks)
      Entities(\.projects)
      References(from: \.tasks, Task.open, to: \.projects, onRemoval: .restrict)
    }
  }

  struct Numbers: Codable, Equatable, Sendable {
    var nextTask = 1
    var seeds = 0
  }

  struct PlannerState: RuledStateType {
    var db = Database()
    var numbers = Numbers()
    /// The start of the day that is shown; not in the file.
    var today = Calendar.current.startOfDay(for: .now)
  }

  typealias PlannerStore = Store<PlannerState, Never>

  final class Midnight: StoreComponentType {
    static let scope = \PlannerState.today
    let store: PlannerStore
    let now: @Sendable () -> Date

    init(store: PlannerStore, now: @escaping @Sendable () -> Date = { Date() }) {
      self.store = store
      self.now = now
    }

    /// Makes today the state, if it is not.
    func update() throws {
      let today = Calendar.current.startOfDay(for: now())
      try commit("midnight") { $0 = today }
    }

    /// Does so at the start of each day, until the task is cancelled.
    func run() async throws {
      while true {
        try update()
        let next = Calendar.current.nextDate(
          after: now(),
          matching: DateComponents(hour: 0),
          matchingPolicy: .nextTime
        )
        try await ContinuousClock().sleep(for: .seconds(next?.timeIntervalSince(now()) ?? 3600))
      }
    }
  }

  private func late(in store: PlannerStore) -> Derived<Int> {
    let late = store.derived(.map { state in state.db.tasks.count { $0.due < state.today } })
    return late
  }

  struct TooManyTasks: Error {
    let project: Project.ID
  }

  static func limit(_ store: PlannerStore) {
    store.add(
      middleware: .modify { edit in
        let db = edit.state.db
        let changed = db.tasks.changes(from: edit.previous.db.tasks)
        for project in Set(changed.compactMap { db.tasks[$0.id]?.project }) {
          let limit = db.projects[project]?.limit ?? 0
          if db.tasks[Task.open][project].count > limit { throw TooManyTasks(project: project) }
        }
      }
    )
  }

  struct Request: Sendable {
    let user: String
    let id: String
  }

  static func handle(_ request: Request, by work: @Sendable () async throws -> Void) async throws {
    try await CommitContext.with(CommitContext(user: request.user, request: request.id)) {
      try await work()
    }
  }

  static func logOut(
    _ store: PlannerStore,
    _ persistence: Persistence<PlannerState, Database>
  ) async throws {
    try store.commit("log out") { $0 = PlannerState() }
    try await persistence.compact()
  }

  final class Planner: StoreComponentType {
    let store: PlannerStore

    init(store: PlannerStore) { self.store = store }

    func add(_ title: String, to project: Project.ID, due: Date) throws -> Task.ID {
      try commit("add task") { state in
        let id = Task.ID(state.numbers.nextTask)
        state.numbers.nextTask += 1
        state.db.tasks.insert(Task(id: id, title: title, project: project, due: due))
        return id
      }
    }
  }

  static let seeds = [
    Project(id: "inbox", name: "Inbox"),
    Project(id: "someday", name: "Someday"),
  ]

  static func addSeeds(to store: PlannerStore) throws {
    try store.commit("seeds") { state in
      for project in seeds.dropFirst(state.numbers.seeds) where state.db.projects[project.id] == nil
      {
        state.db.projects.insert(project)
      }
      state.numbers.seeds = max(state.numbers.seeds, seeds.count)
    }
  }

  static func sounds(
    of store: FluxStore<Counter, CounterAction>,
    play: @escaping @Sendable () -> Void
  ) -> StoreSubscription {
    let sounds = store.sinkState(first: .nextCommit) { changes in
      if changes.traces.contains(where: { $0.name.hasPrefix("recorder: ") }) { return }
      changes.ifChanged(\.count) { _ in play() }
    }
    return sounds
  }
}

extension UseRecipesTests {
  private func store() throws -> PlannerStore {
    let store = try PlannerStore(InMemory(initialState: PlannerState(), database: \.db))
    try Self.addSeeds(to: store)
    return store
  }

  @Test func `a value that depends on the clock follows midnight`() throws {
    let store = try store()
    let noon = Date(timeIntervalSince1970: 1_800_000_000)
    try Midnight(store: store, now: { noon }).update()
    let late = late(in: store)
    _ = try Planner(store: store).add("milk", to: "inbox", due: noon)
    #expect(late.value == 0)
    try Midnight(store: store, now: { noon + 86_400 }).update()
    #expect(late.value == 1)
  }

  @Test func `a rule over two tables sees what a commit changed`() throws {
    let store = try store()
    Self.limit(store)
    try store.commit { try $0.db.projects.update("inbox") { $0.limit = 1 } }
    let planner = Planner(store: store)
    _ = try planner.add("milk", to: "inbox", due: .now)
    #expect(throws: TooManyTasks.self) { try planner.add("bread", to: "inbox", due: .now) }
    #expect(store.state.db.tasks.count == 1)
  }

  @Test func `a project with open tasks stays, one with tasks that are done goes`() throws {
    let store = try store()
    let id = try Planner(store: store).add("milk", to: "inbox", due: .now)
    #expect(throws: RuleViolation.self) { try store.commit { _ = $0.db.projects.remove("inbox") } }
    try store.commit { try $0.db.tasks.update(id) { $0.isDone = true } }
    try store.commit { _ = $0.db.projects.remove("inbox") }
    #expect(store.state.db.projects["inbox"] == nil)
  }

  @Test func `the ID of a removed entity is never given again`() throws {
    let planner = Planner(store: try store())
    let first = try planner.add("milk", to: "inbox", due: .now)
    try planner.commit { _ = $0.db.tasks.remove(first) }
    #expect(try planner.add("bread", to: "inbox", due: .now) == 2)
  }

  @Test func `seeds come once, and what a person removed stays away`() throws {
    let store = try store()
    try store.commit { _ = $0.db.projects.remove("someday") }
    try Self.addSeeds(to: store)
    #expect(store.state.db.projects.map(\.id) == ["inbox"])
  }

  @Test func `a commit says for whom it was made`() async throws {
    let store = try store()
    try await Self.handle(Request(user: "ann", id: "r-7")) {
      try store.commit("rename") { try $0.db.projects.update("inbox") { $0.name = "In" } }
    }
    #expect(store.changes.context == CommitContext(user: "ann", request: "r-7"))
  }

  @Test func `a travel of the recorder plays no sound`() async throws {
    let dispatcher = Dispatcher()
    let recorder = RecorderMiddleware()
    dispatcher.register(middleware: recorder)
    let counter = FluxStore(identifier: "counter", reducer: CounterReducer())
    try dispatcher.register(store: counter)
    let played = Store<Counter, Never>(initialState: Counter())
    let sounds = Self.sounds(of: counter) { played.commit { $0.count += 1 } }
    try await dispatcher.dispatch(CounterAction.increase)
    try await dispatcher.dispatch(CounterAction.increase)
    try recorder.back()
    #expect(counter.state.count == 1)
    try recorder.returnToPresent()
    #expect(played.state.count == 2)
    sounds.cancel()
  }
}
