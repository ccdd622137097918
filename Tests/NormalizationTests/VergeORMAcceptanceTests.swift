import StrataNormalization
import Testing

/// What VergeORM's own tests require of tables, batches and indexes, under their names.
@Suite struct VergeORMAcceptanceTests {
  var database = SocialDatabase()

  @Test mutating func testBasicUsage() {
    database.performBatchUpdates { context in
      context.users.insert(User(id: "ada", name: "Ada"))
      context.posts.insert(Post("p", by: "ada"))
    }
    #expect(database.users.find(by: "ada")?.name == "Ada")
    #expect(database.posts.find(by: "p")?.author == "ada")
  }

  @Test mutating func testSimpleInsert() {
    database.users.insert(User(id: "ada"))
    #expect(database.users.count == 1)
  }

  @Test func testCommit() {
    var edited = database
    edited.users.insert(User(id: "ada"))
    #expect(database.users.isEmpty)
    #expect(edited.users.count == 1)
  }

  @Test func testEqualityEntityTable() {
    let a: EntityTable<User> = [User(id: "ada"), User(id: "bob")]
    var b: EntityTable<User> = [User(id: "bob"), User(id: "ada")]
    #expect(a == b)
    b.insert(User(id: "ada", name: "Ada"))
    #expect(a != b)
  }

  @Test mutating func testManagingOrderTable() throws {
    database.posts = [Post("a"), Post("b"), Post("c")]
    for id in ["c", "a", "b"] as [Post.ID] { try database.posts.append(id, to: Post.pinned) }
    database.posts.remove("a")
    #expect(database.posts[Post.pinned].map(\.id) == ["c", "b"])
  }

  @Test mutating func testUpdate() throws {
    database.users.insert(User(id: "ada"))
    try database.performBatchUpdates { context in
      try context.users.update("ada") { $0.name = "one" }
      #expect(context.users["ada"]?.name == "one")
      try context.users.update("ada") { $0.name += " more" }
    }
    #expect(database.users["ada"]?.name == "one more")
  }

  @Test mutating func testUpdateIfExists() throws {
    try database.performBatchUpdates { context in
      let absent = try context.users.updateIfExists("ada") { $0.name = "x" }
      context.users.insert(User(id: "ada"))
      let present = try context.users.updateIfExists("ada") { $0.name = "x" }
      #expect(absent == nil)
      #expect(present?.name == "x")
    }
  }

  @Test mutating func testGetAll() {
    database.performBatchUpdates { context in
      context.users.insert(contentsOf: [User(id: "ada"), User(id: "bob")])
      #expect(Set(context.users.map(\.id)) == ["ada", "bob"])
    }
    #expect(Set(database.users.ids) == ["ada", "bob"])
  }

  @Test mutating func testFind() {
    database.users = [User(id: "ada"), User(id: "bob")]
    #expect(database.users.find(by: "ada")?.id == "ada")
    #expect(database.users.find(by: "eve") == nil)
    #expect(
      database.users.find(in: ["bob", "eve", "ada", "bob"]).map(\.id) == ["bob", "ada", "bob"]
    )
  }

  @Test func testDescription() {
    #expect("\(User.ID("ada"))" == "ada")
    #expect("\(Reply.ID(7))" == "7")
  }

  @Test mutating func testDeletionAndInsertionInTransaction() {
    database.users = [User(id: "ada"), User(id: "bob")]
    database.performBatchUpdates { context in
      context.users.removeAll()
      context.users.insert(User(id: "ada", name: "again"))
    }
    #expect(database.users.map(\.name) == ["again"])
  }

  @Test mutating func testRemoveBook() {
    database.posts = [Post("a", by: "ada"), Post("b", by: "ada")]
    database.posts.remove("a")
    #expect(database.posts[Post.byAuthor]["ada"].map(\.id) == ["b"])
    database.posts.remove("b")
    #expect(database.posts[Post.byAuthor].keys.isEmpty)
  }

  @Test mutating func testRemoveAuthor() throws {
    database.users = [User(id: "ada")]
    database.comments = [Reply(id: 1, post: "p", author: "ada")]
    var edited = database
    edited.users.remove("ada")
    try edited.applyRules(since: database)
    #expect(edited.comments[Reply.byAuthor].count == 0)
    #expect(edited.comments.count == 1)
  }

  @Test mutating func testAutomaticIndex() {
    database.posts.insert(Post("a", by: "ada"))
    #expect(database.posts[Post.byAuthor]["ada"].count == 1)
    #expect(database.posts[Post.byDate].count == 1)
  }

  @Test func testPartialAccess() {
    func names(in database: some HasUsers) -> [String] { database.users.map(\.name) }
    #expect(names(in: database).isEmpty)
  }

  @Test func `a table is sorted by a field`() {
    let users: EntityTable<User> = [
      User(id: "b", name: "x"), User(id: "a", name: "x"), User(id: "c", name: "a"),
    ]
    #expect(users.sorted { $0.name }.map(\.id) == ["c", "a", "b"])
  }
}

/// A part of a database, for code that needs only this part.
protocol HasUsers {
  var users: EntityTable<User> { get }
}

extension SocialDatabase: HasUsers {}
