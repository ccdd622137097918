import StrataNormalization
import Testing

@Suite struct ReferencesTests {
  let old: SocialDatabase

  init() {
    var database = SocialDatabase()
    for id in ["ada", "bob", "eve"] { database.users.insert(User(id: User.ID(id))) }
    database.posts.insert(Post("p1", by: "ada", editor: "bob"))
    database.posts.insert(Post("p2", by: "ada"))
    database.comments.insert(
      contentsOf: [
        Reply(id: 1, post: "p1", author: "bob"),
        Reply(id: 2, post: "p1", author: "ada", answers: 1, likedBy: ["bob", "eve"]),
        Reply(id: 3, post: "p2", author: "eve", answers: 2),
        Reply(id: 4, post: "p2"),
      ]
    )
    old = database
  }

  @Test func `an entity that is referred to is kept where the rule restricts`() {
    var new = old
    new.users.remove("ada")
    #expect(
      throws: RuleViolation.stillReferenced(
        table: "users",
        id: "ada",
        by: "posts",
        ids: ["p1", "p2"]
      )
    ) { try new.applyRules(since: old) }
  }

  @Test func `it can go with those that refer to it, in whatever order`() throws {
    var new = old
    new.users.remove("ada")
    new.posts.removeAll()
    try new.applyRules(since: old)
    #expect(Set(new.users.ids) == ["bob", "eve"])
    #expect(new.comments.isEmpty)
  }

  @Test func `it can go once they refer to another`() throws {
    var new = old
    new.users.remove("ada")
    try new.posts.updateAll { $0.author = "eve" }
    try new.applyRules(since: old)
    #expect(new.posts[Post.byAuthor]["eve"].count == 2)
    #expect(new.comments[2]?.author == nil)
  }

  @Test func `a removal cascades, also over several steps`() throws {
    var new = old
    new.posts.remove("p1")
    let changes = try new.applyRules(since: old)
    // 3 is of another post, but answers an answer to a comment of this one.
    #expect(Set(new.comments.ids) == [4])
    #expect(Set(changes.changes(of: Reply.self).map(\.id)) == [1, 2, 3])
    #expect(changes == ChangeSet(from: old, to: new))
  }

  @Test func `a removal nullifies fields and leaves sets`() throws {
    var new = old
    new.users.remove("bob")
    try new.applyRules(since: old)
    #expect(new.posts["p1"]?.editor == nil)
    #expect(new.comments[1]?.author == nil)
    #expect(new.comments[2]?.likedBy == ["eve"])
    #expect(new.comments[3] == old.comments[3])
  }

  @Test func `an entity that was removed and put back takes nobody along`() throws {
    var new = old
    let post = new.posts.remove("p1")
    new.posts.insert(try #require(post))
    let changes = try new.applyRules(since: old)
    #expect(changes.changes(of: Reply.self).isEmpty)
    #expect(new.comments.count == 4)
  }

  @Test func `a table that was assigned is judged like any other`() throws {
    var new = old
    new.posts = [Post("p2", by: "ada")]
    try new.applyRules(since: old)
    #expect(Set(new.comments.ids) == [4])
  }

  @Test func `what was put in the same commit is removed with what it refers to`() throws {
    var new = old
    new.posts.remove("p2")
    new.comments.insert(Reply(id: 9, post: "p2"))
    try new.applyRules(since: old)
    #expect(Set(new.comments.ids) == [1, 2])
  }

  @Test func `a ring of references goes as a whole`() throws {
    var before = old
    try before.comments.update(1) { $0.answers = 3 }
    var new = before
    new.comments.remove(2)
    try new.applyRules(since: before)
    #expect(Set(new.comments.ids) == [4])
  }

  @Test func `a chain of ten thousand goes at once`() throws {
    var before = SocialDatabase()
    before.comments.insert(
      contentsOf: (0..<10_000).map {
        Reply(id: Reply.ID($0), post: "p", answers: $0 == 0 ? nil : Reply.ID($0 - 1))
      }
    )
    var new = before
    new.comments.remove(0)
    let changes = try new.applyRules(since: before)
    #expect(changes.count == 10_000)
    #expect(new.comments.isEmpty)
  }

  @Test func `a reference to nobody is nobody's matter`() throws {
    var new = old
    new.comments.insert(Reply(id: 9, post: "nowhere", author: "nobody"))
    let changes = try new.applyRules(since: old)
    #expect(changes.count == 1)
  }

  @Test func `references of a table that is not listed trap with the remedy`() async {
    await #expect(processExitsWith: .failure) {
      struct Lonely: DatabaseType {
        var posts = EntityTable<Post>()
        var users = EntityTable<User>()
        static let schema = DatabaseSchema<Lonely> {
          Entities(\.posts)
          References(from: \.posts, Post.byAuthor, to: \.users, onRemoval: .cascade)
        }
      }
      _ = Lonely.schema
    }
  }
}
