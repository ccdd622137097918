import StrataNormalization
import Testing

private struct Blog: DatabaseType {
  var users = EntityTable<User>()
  var posts = EntityTable<Post>()
  var comments = EntityTable<Reply>()

  static let schema = DatabaseSchema<Blog> {
    Entities(\.users)
    Entities(\.posts)
    Entities(\.comments)
    References(from: \.posts, Post.byAuthor, to: \.users, onRemoval: .cascade)
    References(from: \.comments, Reply.byPost, to: \.posts, onRemoval: .cascade)
    References(from: \.comments, Reply.byLiker, to: \.users, onRemoval: .nullify(\.likedBy))
    References(
      from: \.comments,
      Reply.byAuthor,
      to: \.users,
      onRemoval: .nullify(\.author),
      existence: .unchecked
    )
  }
}

/// References that a commit introduces lead to entities.
@Suite struct ExistenceTests {
  private let old: Blog

  init() throws {
    var blog = Blog()
    blog.users = [User(id: "ada"), User(id: "bob")]
    blog.posts = [Post("p1", by: "ada")]
    blog.comments = [Reply(id: 1, post: "p1", likedBy: ["bob"])]
    try blog.applyRules(since: Blog())
    old = blog
  }

  @Test func `a new entity that refers to an absent one is refused`() {
    var new = old
    new.posts.insert(Post("p2", by: "eve"))
    new.posts.insert(Post("p3", by: "eve"))
    let violation = RuleViolation.danglingReference(
      table: "posts",
      ids: ["p2", "p3"],
      to: "users",
      id: "eve"
    )
    #expect(throws: violation) { try new.applyRules(since: old) }
    #expect(
      violation.description == """
        the entities p2 and p3 in posts refer to eve, which does not exist in users. Insert that entity in the same \
        commit or before, or declare the References with existence: .unchecked.
        """
    )
  }

  @Test func `a changed reference to an absent entity is refused`() throws {
    var new = old
    try new.posts.update("p1") { $0.author = "eve" }
    #expect(throws: RuleViolation.self) { try new.applyRules(since: old) }
    new = old
    try new.comments.update(1) { $0.likedBy.insert("eve") }
    #expect(throws: RuleViolation.self) { try new.applyRules(since: old) }
  }

  @Test func `entities that refer to each other can be inserted together, in any order`() throws {
    var new = old
    new.comments.insert(Reply(id: 2, post: "p2", likedBy: ["eve"]))
    new.posts.insert(Post("p2", by: "eve"))
    new.users.insert(User(id: "eve"))
    try new.applyRules(since: old)
    #expect(new.comments.count == 2)
  }

  @Test func `an unchecked reference may be written before its entity`() throws {
    var new = old
    new.comments.insert(Reply(id: 2, post: "p1", author: "nobody"))
    try new.applyRules(since: old)
  }

  @Test func `a reference that led to nothing before refuses no commit`() throws {
    var old = old
    old.posts.insert(Post("lost", by: "eve"))
    old.comments.insert(Reply(id: 7, post: "nowhere"))
    var new = old
    try new.posts.update("lost") { $0.tags = ["changed"] }
    new.users.insert(User(id: "joe"))
    new.comments.remove(1)
    try new.applyRules(since: old)
    try new.posts.update("lost") { $0.author = "zoe" }
    #expect(throws: RuleViolation.self) { try new.applyRules(since: old) }
  }

  @Test func `an entity that the same commit removes does not count`() throws {
    var new = old
    new.posts.insert(Post("p2", by: "eve"))
    new.posts.remove("p2")
    new.users.remove("ada")
    try new.applyRules(since: old)
    #expect(new.posts.isEmpty)
    #expect(new.comments.isEmpty)
  }

  @Test func `dangling references are listed by rule, without those that are not checked`() {
    var blog = old
    for number in 0..<7 { blog.posts.insert(Post("x\(number)", by: User.ID("u\(number)"))) }
    blog.posts.insert(Post("y", by: "u0"))
    blog.comments.insert(Reply(id: 2, post: "p1", author: "nobody"))
    let dangling = blog.danglingReferences()
    #expect(dangling.map(\.table) == ["posts"])
    #expect(dangling.first?.count == 7)
    #expect(
      dangling.map(\.description) == [
        "posts refer to 7 absent entities of users: u0, u1, u2, u3, u4 and 2 more"
      ]
    )
    #expect(old.danglingReferences().isEmpty)
  }
}

/// Keys that several entities had already are not enforced for them.
@Suite struct BrokenUniquenessTests {
  private let old: SocialDatabase

  init() {
    var database = SocialDatabase()
    database.users = [
      User(id: "ada", email: "a@x"), User(id: "bob", email: "a@x"), User(id: "eve", email: "e@x"),
    ]
    old = database
  }

  @Test func `a commit beside the broken key goes on, and other keys are enforced`() throws {
    var new = old
    new.users.insert(User(id: "joe", email: "j@x"))
    try new.applyRules(since: old)
    var worse = new
    worse.users.insert(User(id: "zoe", email: "j@x"))
    #expect(throws: RuleViolation.self) { try worse.applyRules(since: new) }
  }

  @Test func `the rule holds again once the data is repaired`() throws {
    var new = old
    try new.users.update("bob") { $0.email = "b@x" }
    try new.applyRules(since: old)
    var again = new
    try again.users.update("bob") { $0.email = "a@x" }
    #expect(throws: RuleViolation.self) { try again.applyRules(since: new) }
  }

  @Test func `all violations are listed`() {
    var database = old
    database.users.insert(User(id: "zoe", email: "e@x"))
    #expect(
      database.brokenRules() == [
        .notUnique(table: "users", index: "email", key: "a@x", ids: ["ada", "bob"]),
        .notUnique(table: "users", index: "email", key: "e@x", ids: ["eve", "zoe"]),
      ]
    )
  }
}

private struct Offices: DatabaseType {
  var users = EntityTable<User>()
  var former = EntityTable<User>()
  var posts = EntityTable<Post>()
  var archived = EntityTable<Post>()

  static let schema = DatabaseSchema<Offices> {
    Entities(\.users)
    Entities(\.former, named: "former_users")
    Entities(\.posts)
    Entities(\.archived, named: "archived_posts")
    References(from: \.posts, Post.byAuthor, to: \.users, onRemoval: .cascade)
    References(from: \.archived, Post.byAuthor, to: \.former, onRemoval: .cascade)
  }
}

/// Two tables of one entity type are two targets of references.
@Suite struct ReferencedTableTests {
  @Test func `a removal concerns only the references to its table`() throws {
    var old = Offices()
    old.users = [User(id: "ada")]
    old.former = [User(id: "ada")]
    old.posts = [Post("p1", by: "ada")]
    old.archived = [Post("p0", by: "ada")]
    var new = old
    new.users.remove("ada")
    try new.applyRules(since: old)
    #expect(new.posts.isEmpty)
    #expect(new.archived.count == 1)
  }
}
