import Strata
import Testing

struct Member: EntityType {
  static let tableName: TableName = "members"
  let id: EntityID<Member>
  var email: String
  var team: Team.ID

  static let byEmail = UniqueIndex(\Member.email)
  static let byTeam = GroupIndex(\Member.team)
  static let indexes: EntityIndexes<Member> = [byEmail, byTeam]
}

struct Team: EntityType {
  static let tableName: TableName = "teams"
  let id: EntityID<Team>
  var name: String
}

struct Directory: DatabaseType {
  var members = EntityTable<Member>()
  var teams = EntityTable<Team>()

  static let schema = DatabaseSchema<Directory> {
    Entities(\.members)
    Entities(\.teams)
    References(from: \.members, Member.byTeam, to: \.teams, onRemoval: .restrict)
    Check("email", \.members) { $0.email.contains("@") }
  }
}

struct DirectoryState: RuledStateType {
  var db = Directory()
}

/// The page "Rules".
struct RulesTests {
  private typealias DirectoryStore = Store<DirectoryState, Never>

  private func store() throws -> DirectoryStore {
    let store = try DirectoryStore(InMemory(initialState: DirectoryState(), database: \.db))
    try store.commit { state in
      state.db.members.insert(Member(id: "1", email: "a@x", team: "red"))
      state.db.teams.insert(Team(id: "red", name: "Red"))
    }
    return store
  }

  private func insert(_ store: DirectoryStore, _ member: Member) throws {
    try store.commit { $0.db.members.insert(member) }
  }

  private func join(_ store: DirectoryStore, _ member: Member) throws {
    do {
      try store.commit("join") { $0.db.members.insert(member) }
    } catch let violation as RuleViolation {
      print(violation)
    }
  }

  @Test func `a commit throws what the table of rules says`() throws {
    let store = try store()
    let before = store.state.db
    #expect(
      throws: RuleViolation.notUnique(
        table: "members",
        index: "email",
        key: "a@x",
        ids: ["1", "2"]
      )
    ) {
      try insert(store, Member(id: "2", email: "a@x", team: "red"))
    }
    #expect(
      throws: RuleViolation.danglingReference(
        table: "members",
        ids: ["2"],
        to: "teams",
        id: "blue"
      )
    ) {
      try insert(store, Member(id: "2", email: "b@x", team: "blue"))
    }
    #expect(
      throws: RuleViolation.stillReferenced(table: "teams", id: "red", by: "members", ids: ["1"])
    ) {
      try store.commit { _ = $0.db.teams.remove("red") }
    }
    try join(store, Member(id: "2", email: "a@x", team: "red"))
    #expect(store.state.db == before)
  }

  @Test func `middleware refuses a commit`() throws {
    let store = try store()
    try Self.limit(store)
    #expect(throws: (any Error).self) {
      try store.commit { state in
        for number in 0...10_000 {
          state.db.members.insert(Member(id: .random(), email: "\(number)@x", team: "red"))
        }
      }
    }
    #expect(store.state.db.members.count == 1)
  }

  private static func limit(_ store: DirectoryStore) throws {
    struct TooManyMembers: Error {}

    store.add(
      middleware: .modify { edit in
        if edit.state.db.members.count > 10_000 { throw TooManyMembers() }
      }
    )
  }

  private func repair() async throws {
    var configuration = PersistenceConfiguration()
    configuration.brokenRules = .report
    let persistence = try await Persistence.open(
      at: "app.strata",
      initialState: DirectoryState(),
      database: \.db,
      configuration: configuration
    )
    for violation in persistence.report.brokenRules { print(violation) }
    for dangling in persistence.report.danglingReferences { print(dangling) }
  }
}
