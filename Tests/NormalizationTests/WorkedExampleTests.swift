import Foundation
import StrataNormalization
import Testing

/// The code of the article "A worked example" of the documentation.
private enum Article {
  struct User: EntityType {
    static let tableName: TableName = "users"

    let id: EntityID<User>
    var name: String
    var email: String?

    static let byEmail = UniqueIndex(\User.email, named: "email")
    static let indexes: EntityIndexes<User> = [byEmail]
  }

  struct Post: EntityType {
    static let tableName: TableName = "posts"

    let id: EntityID<Post>
    var author: User.ID
    var title: String
    var date: Date
    var tags: [String] = []
    var pin: Rank?

    static let byAuthor = GroupIndex(\Post.author, sortedBy: \.date)
    static let byTag = GroupIndex(each: \Post.tags)
    static let byDate = OrderedIndex(\Post.date)
    static let pinned = ManualOrder(\Post.pin)
    static let indexes: EntityIndexes<Post> = [byAuthor, byTag, byDate, pinned]
  }

  struct Comment: EntityType {
    typealias RawID = Int
    static let tableName: TableName = "comments"

    let id: EntityID<Comment>
    var post: Post.ID
    var author: User.ID?
    var text: String

    static let byPost = GroupIndex(\Comment.post)
    static let byAuthor = GroupIndex(\Comment.author)
    static let indexes: EntityIndexes<Comment> = [byPost, byAuthor]
  }

  struct Network: DatabaseType {
    var users = EntityTable<User>()
    var posts = EntityTable<Post>()
    var comments = EntityTable<Comment>()

    static let schema = DatabaseSchema<Network> {
      Entities(\.users)
      Entities(\.posts)
      Entities(\.comments)
      References(from: \.posts, Post.byAuthor, to: \.users, onRemoval: .restrict)
      References(from: \.comments, Comment.byPost, to: \.posts, onRemoval: .cascade)
      References(from: \.comments, Comment.byAuthor, to: \.users, onRemoval: .nullify(\.author))
    }
  }
}

@Suite struct WorkedExampleTests {
  @Test func `the worked example does what it says`() throws {
    typealias User = Article.User
    typealias Post = Article.Post
    typealias Comment = Article.Comment
    typealias Network = Article.Network

    var network = Network()
    network.users.insert(User(id: "ada", name: "Ada", email: "ada@example.org"))
    network.posts.insert(Post(id: "p1", author: "ada", title: "Notes", date: .now, tags: ["math"]))
    try network.posts.update("p1") { $0.tags.append("engines") }
    try network.posts.append("p1", to: Post.pinned)

    try network.performBatchUpdates { context in
      context.comments.insert(Comment(id: 1, post: "p1", author: "ada", text: "Fine"))
      guard context.posts.contains("p1") else { try context.abort() }
    }

    let (start, end) = (Date.now.addingTimeInterval(-60), Date.now.addingTimeInterval(60))
    let ada = network.users["ada"]
    let writerOfNotes = network.users[User.byEmail]["ada@example.org"]
    let newest = network.posts[Post.byAuthor]["ada"].last
    let aboutMath = network.posts[Post.byTag]["math"].count
    let lastTen = network.posts[Post.byDate].suffix(10)
    let ofToday = network.posts[Post.byDate].range(from: start, to: end)
    #expect(ada?.name == "Ada")
    #expect(writerOfNotes?.id == "ada")
    #expect(newest?.id == "p1")
    #expect(aboutMath == 1)
    #expect(lastTen.count == 1)
    #expect(ofToday.count == 1)
    #expect(network.posts[Post.pinned].map(\.id) == ["p1"])

    let author = Relation(\Post.author, in: \Network.users)
    let comments = Relation(Comment.byPost, in: \Network.comments)
    if let (post, writer, replies) = network.find("p1", in: \.posts, with: author, comments) {
      print(post.title, writer?.name ?? "somebody", replies.count)
    }
    let found = network.find("p1", in: \.posts, with: author, comments)
    let (post, writer, replies) = try #require(found)
    #expect(post.title == "Notes")
    #expect(writer?.name == "Ada")
    #expect(replies.count == 1)

    let before = network
    network.posts.remove("p1")
    let changes = try network.applyRules(since: before)  // the comment is removed too
    print(changes)  // comments: 1 removed; posts: 1 removed
    print(changes.details(since: before))
    network.apply(changes.inverted(in: before))  // as before
    #expect("\(changes)" == "comments: 1 removed; posts: 1 removed")
    #expect(changes.details(since: before) == "comments\n  - 1\nposts\n  - p1")
    #expect(network == before)

    network.users.remove("ada")
    #expect(throws: RuleViolation.self) { try network.applyRules(since: before) }
  }
}
