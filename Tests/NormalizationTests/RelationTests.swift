import StrataNormalization
import Testing

@Suite struct RelationTests {
  var database = SocialDatabase()

  init() {
    database.users = [User(id: "ada", name: "Ada"), User(id: "bob", name: "Bob")]
    database.posts = [Post("p1", by: "ada", editor: "bob"), Post("p2", by: "gone")]
    database.comments = [
      Reply(id: 1, post: "p1", likedBy: ["ada"]), Reply(id: 2, post: "p1"),
      Reply(id: 3, post: "p2"),
    ]
  }

  @Test func `an entity comes with those it refers to and those that refer to it`() throws {
    let (post, author, editor, comments) = try #require(
      database.find(
        "p1",
        in: \.posts,
        with: Post.itsAuthor,
        Post.itsEditor,
        Post.itsComments
      )
    )
    #expect(post.id == "p1")
    #expect(author?.name == "Ada")
    #expect(editor?.name == "Bob")
    #expect(comments.map(\.id) == [1, 2])
  }

  @Test func `who is absent is nil`() throws {
    let found = try #require(
      database.find("p2", in: \.posts, with: Post.itsAuthor, Post.itsEditor)
    )
    #expect(found.1 == nil)
    #expect(found.2 == nil)
    if database.find("p9", in: \.posts, with: Post.itsAuthor) != nil {
      Issue.record("a post was found that is absent")
    }
  }

  @Test func `several come in the order of their IDs, without the absent ones`() {
    let found = database.find(in: ["p2", "p9", "p1"], of: \.posts, with: Post.itsAuthor)
    #expect(found.map(\.0.id) == ["p2", "p1"])
    #expect(found.map(\.1?.name) == [nil, "Ada"])
  }

  @Test func `a field of many IDs leads to many entities`() {
    let likers = Relation(each: \Reply.likedBy, in: \SocialDatabase.users)
    #expect(database.comments[1].map { likers.related(to: $0, in: database).map(\.id) } == ["ada"])
  }
}
