import StrataNormalization
import TestSupport
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

  @Test func `a rule by an index that is not listed traps when the schema is built`() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      struct Pet: EntityType {
        static let tableName: TableName = "pets"
        let id: EntityID<Pet>
        var owner: User.ID
        static let byOwner = GroupIndex(\Pet.owner)
        // Without its type it is not the list of the protocol.
        static let indexes = [byOwner]
      }
      struct Home: DatabaseType {
        var pets = EntityTable<Pet>()
        var users = EntityTable<User>()
        static let schema = DatabaseSchema<Home> {
          Entities(\.pets)
          Entities(\.users)
          References(from: \.pets, Pet.byOwner, to: \.users, onRemoval: .cascade)
        }
      }
      _ = Home.schema
    }
    let text = String(decoding: try #require(result?.standardErrorContent), as: UTF8.self)
    #expect(
      text.contains("The schema of Home, in References, names an index that is not maintained")
    )
    #expect(text.contains("Pet does not list its index \"owner\""), "\(text)")
    #expect(text.contains("static let indexes: EntityIndexes<Pet>"))
  }

  @Test func `a relation by an index that is not listed traps when it is made`() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      struct Pet: EntityType {
        static let tableName: TableName = "pets"
        let id: EntityID<Pet>
        var owner: User.ID
        static let byOwner = GroupIndex(\Pet.owner)
      }
      struct Home: DatabaseType {
        var pets = EntityTable<Pet>()
        static let schema = DatabaseSchema<Home> { Entities(\.pets) }
      }
      _ = Relation<Home, User, IndexedEntities<Pet>>(Pet.byOwner, in: \.pets)
    }
    let text = String(decoding: try #require(result?.standardErrorContent), as: UTF8.self)
    #expect(text.contains("A Relation of User names an index that is not maintained."), "\(text)")
  }

  /// An entity that counts how often its references are read.
  private struct Table: EntityType {
    static let tableName: TableName = "tables"
    let id: EntityID<Table>
    private var stored: [User.ID]
    @TaskLocal static var reads = Counter()

    init(id: EntityID<Table>, guests: [User.ID]) { (self.id, stored) = (id, guests) }

    var guests: [User.ID] {
      get {
        Table.reads.add()
        return stored
      }
      set { stored = newValue }
    }

    static let byGuest = GroupIndex(each: \Table.guests)
    static let indexes: EntityIndexes<Table> = [byGuest]

    enum CodingKeys: String, CodingKey { case id, stored = "guests" }
  }

  private struct Restaurant: DatabaseType {
    var tables = EntityTable<Table>()
    var users = EntityTable<User>()
    static let schema = DatabaseSchema<Restaurant> {
      Entities(\.tables)
      Entities(\.users)
      References(from: \.tables, Table.byGuest, to: \.users, onRemoval: .nullify(\.guests))
    }
  }

  @Test(arguments: [10, 20_000])
  func `a list is changed once, whatever number of its elements is removed`(count: Int) throws {
    var old = Restaurant()
    let ids = (0..<count).map { User.ID("guest \($0)") }
    old.users.insert(contentsOf: ids.map { User(id: $0) })
    let list = ids + ids.prefix(3)
    old.tables.insert(Table(id: "long", guests: list))
    old.tables.insert(Table(id: "short", guests: [ids[1], ids[9]]))
    try old.applyRules(since: Restaurant())
    var new = old
    let kept = Set([ids[1], ids[7]])
    for id in ids where !kept.contains(id) { new.users.remove(id) }
    let reads = Counter()
    try Table.$reads.withValue(reads) { _ = try new.applyRules(since: old) }
    #expect(new.tables["long"]?.guests == list.filter(kept.contains))
    #expect(new.tables["short"]?.guests == [ids[1]])
    #expect(new.danglingReferences().isEmpty)
    // A few for each of the two entities: to change it, for the index, and for the rules after it.
    #expect(reads.count <= 40, "\(reads.count)")
  }

  private struct Seat: EntityType {
    static let tableName: TableName = "seats"
    let id: EntityID<Seat>
    var holder: User.ID?
    static let oneEach = UniqueIndex(\Seat.holder)
    static let indexes: EntityIndexes<Seat> = [oneEach]
  }

  private struct Hall: DatabaseType {
    var seats = EntityTable<Seat>()
    var users = EntityTable<User>()
    static let schema = DatabaseSchema<Hall> {
      Entities(\.seats)
      Entities(\.users)
      References(from: \.seats, Seat.oneEach, to: \.users, onRemoval: .nullify(\.holder))
    }
  }

  @Test func `references by a unique index are one to one`() throws {
    var hall = Hall()
    hall.users.insert(User(id: "ada", name: "Ada"))
    hall.seats.insert(Seat(id: "1", holder: "ada"))
    hall.seats.insert(Seat(id: "2", holder: nil))
    try hall.applyRules(since: Hall())
    let old = hall

    var second = old
    second.seats.insert(Seat(id: "2", holder: "ada"))
    #expect(throws: RuleViolation.self) { try second.applyRules(since: old) }

    var dangling = old
    dangling.seats.insert(Seat(id: "2", holder: "eve"))
    let error = #expect(throws: RuleViolation.self) { try dangling.applyRules(since: old) }
    #expect(error == .danglingReference(table: "seats", ids: ["2"], to: "users", id: "eve"))

    // Also where one commit takes a second seat, which is refused only at its end, and removes the holder.
    hall.seats.insert(Seat(id: "2", holder: "ada"))
    hall.users.remove("ada")
    try hall.applyRules(since: old)
    #expect(hall.seats.allSatisfy { $0.holder == nil })
    #expect(hall.danglingReferences().isEmpty)
  }
}
