import StrataCore
import StrataEntityStore
import StrataNormalization
import Testing

private struct Owner: EntityType {
  static let tableName: TableName = "owners"
  let id: EntityID<Owner>
  var email: String?

  static let byEmail = UniqueIndex(\Owner.email, named: "email")
  static let indexes: EntityIndexes<Owner> = [byEmail]
}

private struct Shelter: DatabaseType {
  var owners = EntityTable<Owner>()
  static let schema = DatabaseSchema<Shelter> { Entities(\.owners) }
}

private struct ShelterState: StateType {
  var db = Shelter()
}

private typealias ShelterStore = Store<ShelterState, Never>

/// A store with rules, change sets and undo, and without a file.
@Suite struct InMemoryTests {
  @Test func `the rules hold from the first commit`() throws {
    let store = try ShelterStore(InMemory(initialState: ShelterState(), database: \.db))
    try store.commit { state throws in state.db.owners.insert(Owner(id: "a", email: "a@x")) }
    #expect(throws: RuleViolation.self) {
      try store.commit { state throws in state.db.owners.insert(Owner(id: "b", email: "a@x")) }
    }
    #expect(store.state.db.owners.count == 1)
  }

  @Test func `commits can be undone`() throws {
    let store = try ShelterStore(InMemory(initialState: ShelterState(), database: \.db))
    let undo = UndoStack(of: store, database: \.db)
    try store.commit("add") { state throws in state.db.owners.insert(Owner(id: "a")) }
    try undo.undo()
    #expect(store.state.db.owners.isEmpty)
  }

  @Test func `one value starts any number of stores`() throws {
    var state = ShelterState()
    state.db.owners = [Owner(id: "a")]
    let source = try InMemory(initialState: state, database: \.db)
    let (first, second) = (ShelterStore(source), ShelterStore(source))
    try first.commit { state throws in state.db.owners.removeAll() }
    #expect(second.state.db.owners.count == 1)
  }

  @Test func `a state that a file would refuse is refused`() {
    var state = ShelterState()
    state.db.owners = [Owner(id: "a", email: "x"), Owner(id: "b", email: "x")]
    let broken = state
    #expect(throws: RuleViolation.self) { try InMemory(initialState: broken, database: \.db) }
  }

  @Test func `a table that the schema leaves out is refused, with the line to add`() {
    let error = #expect(throws: UnlistedTables.self) {
      try InMemory(initialState: PartialState(), database: \.db)
    }
    #expect(error?.lines == [#"Entities(\.drafts)"#])
  }

  @Test func `rules for a store that exists trap for such a table`() async {
    let result = await #expect(
      processExitsWith: .failure,
      observing: [\.standardErrorContent]
    ) {
      Store<PartialState, Never>(initialState: PartialState()).databaseHook(\.db)
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains(#"Add to the schema: Entities(\.drafts)"#))
  }
}

private struct Draft: EntityType {
  static let tableName: TableName = "drafts"
  let id: EntityID<Draft>
}

private struct Partial: DatabaseType {
  var owners = EntityTable<Owner>()
  var drafts = EntityTable<Draft>()
  static let schema = DatabaseSchema<Partial> { Entities(\.owners) }
}

private struct PartialState: StateType {
  var db = Partial()
}
