import StrataNormalization
import Testing

@Suite struct ChangeSetReadingTests {
  let old: SocialDatabase

  init() {
    var old = SocialDatabase()
    old.users = [User(id: "ada", name: "Ada", email: "a@x"), User(id: "bob", name: "Bob")]
    old.posts = [Post("p", by: "ada")]
    self.old = old
  }

  @Test func `changes are printed for a person, with the fields that differ`() throws {
    var new = old
    try new.users.update("ada") { user in
      user.name = "Ada L."
      user.email = nil
    }
    new.users.remove("bob")
    new.users.insert(User(id: "eve"))
    new.posts.remove("p")
    #expect(
      ChangeSet(from: old, to: new).details(since: old) == """
        posts
          - p
        users
          ~ ada  name: "Ada" → "Ada L.", email: Optional("a@x") → nil
          - bob
          + eve  User(id: eve, name: "", email: nil, karma: 0.0)
        """
    )
  }

  @Test func `no changes print nothing`() {
    #expect(ChangeSet().details(since: old).isEmpty)
  }

  @Test func `what undoes a change of each kind is the opposite`() throws {
    var new = old
    try new.users.update("ada") { $0.name = "Ada L." }
    new.users.remove("bob")
    new.users.insert(User(id: "eve"))
    let changes = ChangeSet(from: old, to: new)
    let undo = changes.inverted(in: old)
    #expect(new.applying(undo) == old)
    #expect(new.applying(undo).users[User.byEmail]["a@x"]?.name == "Ada")
    #expect(undo.inverted(in: new) == changes)
  }
}
