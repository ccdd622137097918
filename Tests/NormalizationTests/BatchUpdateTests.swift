import StrataNormalization
import Testing

@Suite struct BatchUpdateTests {
  struct Refusal: Error, Equatable {}

  var database = SocialDatabase()

  init() { database.users = [User(id: "ada", name: "Ada"), User(id: "bob", name: "Bob")] }

  @Test mutating func `a batch is made as a whole and gives what the closure gives`() {
    let count = database.performBatchUpdates { context in
      context.users.insert(User(id: "eve"))
      context.posts.insert(Post("p1", by: "eve"))
      return context.users.count
    }
    #expect(count == 3)
    #expect(database.posts["p1"]?.author == "eve")
  }

  @Test mutating func `a batch reads what it wrote and not what it removed`() throws {
    try database.performBatchUpdates { context in
      context.users.remove("ada")
      #expect(context.users["ada"] == nil)
      #expect(context.users.find(in: ["ada", "bob"]).map(\.id) == ["bob"])
      try context.users.update("bob") { $0.email = "b@x" }
      #expect(context.users[User.byEmail]["b@x"]?.name == "Bob")
      #expect(context.previous.users["ada"]?.name == "Ada")
    }
  }

  @Test mutating func `a batch that throws has not happened`() {
    let before = database
    #expect(throws: Refusal()) {
      try database.performBatchUpdates { context in
        context.users.removeAll()
        throw Refusal()
      }
    }
    #expect(database == before)
    #expect(database.users[User.byKarma].count == 2)
  }

  @Test mutating func `a batch that aborts has not happened`() {
    let before = database
    #expect(throws: BatchAborted.self) {
      try database.performBatchUpdates { context in
        context.users.remove("ada")
        try context.abort()
      }
    }
    #expect(database == before)
  }

  @Test mutating func `an empty batch changes nothing`() {
    let before = database
    database.performBatchUpdates { _ in }
    #expect(ChangeSet(from: before, to: database).isEmpty)
  }

  @Test mutating func `an update after a removal in one batch is refused`() {
    #expect(throws: EntityError.notFound(table: "users", id: "ada")) {
      try database.performBatchUpdates { context in
        context.users.remove("ada")
        try context.users.update("ada") { $0.name = "late" }
      }
    }
  }
}
