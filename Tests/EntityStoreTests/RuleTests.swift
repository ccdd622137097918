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

private struct Pet: EntityType {
  static let tableName: TableName = "pets"
  let id: EntityID<Pet>
  var owner: Owner.ID
  var sitter: Owner.ID?

  static let byOwner = GroupIndex(\Pet.owner)
  static let bySitter = GroupIndex(\Pet.sitter)
  static let indexes: EntityIndexes<Pet> = [byOwner, bySitter]
}

private struct Shelter: DatabaseType {
  var owners = EntityTable<Owner>()
  var pets = EntityTable<Pet>()

  static let schema = DatabaseSchema<Shelter> {
    Entities(\.owners)
    Entities(\.pets)
    References(from: \.pets, Pet.byOwner, to: \.owners, onRemoval: .cascade)
    References(from: \.pets, Pet.bySitter, to: \.owners, onRemoval: .nullify(\.sitter))
  }
}

private struct ShelterState: StateType {
  var db = Shelter()
  var count = 0
}

private typealias ShelterStore = Store<ShelterState, Never>

@Suite struct StoreRuleTests {
  private let store = ShelterStore(initialState: ShelterState())
  private let hook: DatabaseHook<ShelterState, Shelter>

  init() throws {
    hook = store.databaseHook(\.db)
    try store.commit { state throws in
      state.db.owners = [Owner(id: "a", email: "a@x"), Owner(id: "b", email: "b@x")]
      state.db.pets = [Pet(id: "p", owner: "a", sitter: "b"), Pet(id: "q", owner: "b")]
    }
  }

  @Test func `a commit that breaks a rule has not happened`() {
    #expect(throws: RuleViolation.self) {
      try store.commit { state throws in
        state.count = 1
        state.db.owners.insert(Owner(id: "c", email: "a@x"))
      }
    }
    #expect(store.state.count == 0)
    #expect(store.state.db.owners.count == 2)
    #expect(store.changes.version == 1)
  }

  @Test func `keys can be swapped by two batches of one commit`() throws {
    try store.commit { state throws in
      try state.db.performBatchUpdates { try $0.owners.update("a") { $0.email = "b@x" } }
      try state.db.performBatchUpdates { try $0.owners.update("b") { $0.email = "a@x" } }
    }
    #expect(store.state.db.owners[Owner.byEmail]["a@x"]?.id == "b")
  }

  @Test func `a removal through a table's dispatcher obeys the rules too`() throws {
    let owners = ShelterStore.TableDispatcher<Owner>(targetStore: store, table: \.db.owners)
    try owners.remove("b")
    #expect(Set(store.state.db.pets.ids) == ["p"])
    #expect(store.state.db.pets["p"]?.sitter == nil)
  }

  @Test func `what cascades is in the commit's change set`() throws {
    try store.commit { state throws in state.db.owners.remove("b") }
    let changes = store.changes.attachments[hook.key]
    #expect(changes?.changes(of: Pet.self).count == 2)
    #expect(changes?.changes(of: Owner.self) == [.remove("b")])
  }

  @Test func `a refusal traps with the remedy where the closure does not throw`() async {
    await #expect(processExitsWith: .failure) {
      let store = ShelterStore(initialState: ShelterState())
      store.databaseHook(\.db)
      store.commit { state in
        state.db.owners = [Owner(id: "a", email: "x"), Owner(id: "b", email: "x")]
      }
    }
  }
}
