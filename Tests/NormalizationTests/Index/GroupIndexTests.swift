import StrataNormalization
import Testing

@Suite struct GroupIndexTests {
  var posts: EntityTable<Post> = [
    Post("p1", by: "ada", editor: "bob", tags: ["math", "code"], date: 3),
    Post("p2", by: "ada", tags: ["code"], date: 1),
    Post("p3", by: "bob", editor: "bob", date: 2),
  ]

  @Test func `a group holds the entities with its key`() {
    #expect(posts[Post.byAuthor]["ada"].map(\.id) == ["p1", "p2"])
    #expect(Array(posts[Post.byAuthor]["bob"].ids) == ["p3"])
  }

  @Test func `a group nobody is in is empty`() {
    #expect(posts[Post.byAuthor]["eve"].isEmpty)
    #expect(posts[Post.byAuthor]["eve"].ids.count == 0)
  }

  @Test func `groups are counted and named`() {
    #expect(posts[Post.byAuthor].count == 2)
    #expect(Set(posts[Post.byAuthor].keys) == ["ada", "bob"])
  }

  @Test func `an entity without a key is in no group`() {
    #expect(posts[Post.byEditor].keys == ["bob"])
    #expect(Set(posts[Post.byEditor]["bob"].ids) == ["p1", "p3"])
  }

  @Test func `an entity of several keys is in each group once`() {
    #expect(Set(posts[Post.byTag]["code"].ids) == ["p1", "p2"])
    #expect(posts[Post.byTag]["math"].map(\.id) == ["p1"])
  }

  @Test func `a group can be sorted by a field`() {
    #expect(posts[Post.timeline]["ada"].map(\.id) == ["p2", "p1"])
  }

  @Test mutating func `a change of the key moves the entity`() throws {
    try posts.update("p2") { $0.author = "bob" }
    #expect(posts[Post.byAuthor]["ada"].map(\.id) == ["p1"])
    #expect(posts[Post.byAuthor]["bob"].map(\.id) == ["p2", "p3"])
    #expect(posts[Post.timeline]["bob"].map(\.id) == ["p2", "p3"])
  }

  @Test mutating func `a change of what a group is sorted by moves the entity in it`() throws {
    try posts.update("p2") { $0.date = 9 }
    #expect(posts[Post.timeline]["ada"].map(\.id) == ["p1", "p2"])
  }

  @Test mutating func `a change of some of several keys leaves the others`() throws {
    try posts.update("p1") { $0.tags = ["code", "art", "art"] }
    #expect(Set(posts[Post.byTag].keys) == ["code", "art"])
    #expect(posts[Post.byTag]["art"].map(\.id) == ["p1"])
  }

  @Test mutating func `a group whose last member leaves is gone`() throws {
    posts.remove("p3")
    #expect(posts[Post.byAuthor].keys == ["ada"])
    #expect(posts[Post.byAuthor].count == 1)
  }

  @Test mutating func `what is removed is in no group`() {
    posts.removeAll { $0.author == "ada" }
    #expect(posts[Post.byAuthor].keys == ["bob"])
    #expect(posts[Post.byTag].count == 0)
    posts.removeAll()
    #expect(posts[Post.byAuthor].count == 0)
  }

  @Test func `a view shows the table as it was`() throws {
    var posts = posts
    let group = posts[Post.byAuthor]["ada"]
    try posts.update("p1") { $0.slug = "new" }
    posts.remove("p2")
    #expect(group.map(\.slug) == ["p1", "p2"])
  }

  @Test func `a copy keeps its own index`() {
    var copy = posts
    copy.insert(Post("p4", by: "ada"))
    #expect(posts[Post.byAuthor]["ada"].count == 2)
    #expect(copy[Post.byAuthor]["ada"].count == 3)
  }

  @Test func `an index that is not listed traps with the remedy`() async {
    await #expect(processExitsWith: .failure) {
      let index = GroupIndex(\Post.date)
      _ = EntityTable<Post>()[index]
    }
  }

  @Test func `an index is called what it was named, or after its field`() {
    #expect(User.byEmail.name == "email")
    #expect(Post.byAuthor.name == "author")
    #expect(Post.byDate.name == "date")
  }
}
