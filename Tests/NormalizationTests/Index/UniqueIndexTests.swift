import StrataNormalization
import Testing

@Suite struct UniqueIndexTests {
  var old = SocialDatabase()

  init() {
    old.users = [
      User(id: "ada", email: "a@x"), User(id: "bob", email: "b@x"), User(id: "eve"),
      User(id: "joe"),
    ]
  }

  @Test func `an entity is found by its key`() {
    #expect(old.users[User.byEmail]["b@x"]?.id == "bob")
    #expect(old.users[User.byEmail].id(of: "a@x") == "ada")
    #expect(old.users[User.byEmail]["c@x"] == nil)
    #expect(old.users[User.byEmail].count == 2)
  }

  @Test func `any number may have no key`() throws {
    try old.checkRules()
  }

  @Test func `two entities can swap their keys in one commit`() throws {
    var new = old
    try new.users.update("ada") { $0.email = "b@x" }
    try new.users.update("bob") { $0.email = "a@x" }
    let changes = try new.applyRules(since: old)
    #expect(changes.count == 2)
    #expect(new.users[User.byEmail]["b@x"]?.id == "ada")
    #expect(new.users[User.byEmail]["a@x"]?.id == "bob")
  }

  @Test func `a key can pass on when its owner goes`() throws {
    var new = old
    new.users.insert(User(id: "new", email: "a@x"))
    new.users.remove("ada")
    try new.applyRules(since: old)
    #expect(new.users[User.byEmail]["a@x"]?.id == "new")
  }

  @Test func `a second owner is refused, and both are named`() throws {
    var new = old
    new.users.insert(User(id: "zoe", email: "a@x"))
    let violation = RuleViolation.notUnique(
      table: "users",
      index: "email",
      key: "a@x",
      ids: ["ada", "zoe"]
    )
    #expect(throws: violation) { try new.applyRules(since: old) }
    #expect(throws: violation) { try new.checkRules() }
    #expect("\(violation)".contains("ada and zoe in users have the same key a@x"))
  }

  @Test func `each way of writing is judged`() throws {
    let twice = [User(id: "x", email: "e"), User(id: "y", email: "e")]
    var assigned = old
    assigned.users = EntityTable(twice)
    #expect(throws: RuleViolation.self) { try assigned.applyRules(since: old) }
    var inserted = old
    inserted.users.insert(contentsOf: twice)
    #expect(throws: RuleViolation.self) { try inserted.applyRules(since: old) }
    var applied = SocialDatabase()
    applied.apply(ChangeSet(from: SocialDatabase(), to: inserted))
    #expect(throws: RuleViolation.self) { try applied.applyRules(since: SocialDatabase()) }
  }

  @Test func `three with one key are down to one before it is free of blame`() throws {
    var new = old
    for id in ["x", "y", "z"] { new.users.insert(User(id: User.ID(id), email: "a@x")) }
    new.users.remove("ada")
    new.users.remove("y")
    #expect(throws: RuleViolation.self) { try new.applyRules(since: old) }
    new.users.remove("x")
    try new.applyRules(since: old)
    #expect(new.users[User.byEmail]["a@x"]?.id == "z")
  }

  @Test func `the same key is free in another table of the type`() throws {
    var new = old
    new.posts.insert(Post("p", slug: "hello"))
    new.drafts.insert(Post("q", slug: "hello"))
    try new.applyRules(since: old)
  }
}

private struct Badge: EntityType {
  static let tableName: TableName = "badges"
  let id: EntityID<Badge>
  var code: String

  static let byCode = UniqueIndex(\Badge.code)
  static let indexes: EntityIndexes<Badge> = [byCode, byCode]
}

private struct Cabinet: DatabaseType {
  var badges = EntityTable<Badge>()
  static let schema = DatabaseSchema<Cabinet> { Entities(\.badges) }
}

@Suite struct RepeatedIndexTests {
  @Test func `an index that is listed twice is maintained once`() {
    var cabinet = Cabinet()
    cabinet.badges = [Badge(id: "a", code: "7"), Badge(id: "b", code: "7")]
    #expect(cabinet.brokenRules().count == 1)
    #expect(cabinet.badges[Badge.byCode].count == 1)
  }
}
