import Foundation
import ProductSupport
import Strata
import StrataColumns
import StrataInspection
import StrataJournal
import StrataMigrating
import StrataRecords
import StrataSQL
import StrataSQLite
import StrataScripts
import StrataStorage
import TestSupport
import Testing

/// Texts of IDs and of references are one identity, however they are composed.
struct TextIdentityTests {
  let directory: TemporaryDirectory
  let path: String

  init() throws {
    directory = try TemporaryDirectory()
    path = directory.path("app.strata")
  }

  private func write(_ database: PublishedState.Database) async throws {
    var state = PublishedState()
    state.db = database
    let initial = state
    // An opening notes which fields refer to entities, also where no layout of a small table does yet.
    for _ in 0..<2 {
      try await Persistence.open(at: path, initialState: initial, database: \.db).close()
    }
  }

  private func rows(_ sql: String) throws -> [[Value]] {
    try StoreQuery(path: path).run(sql).rows()
  }

  private func number(_ sql: String) throws -> Value? { try rows(sql).first?.first }

  private static let decomposed = "E\u{301}mile"
  private static let composed = "\u{C9}mile"

  private static var sample: PublishedState.Database {
    var database = PublishedState.Database()
    database.writers = [
      Writer(id: EntityID(decomposed), name: "Zola"), Writer(id: "ada", name: "Ada"),
    ]
    database.posts = [
      Post(
        id: "1",
        author: EntityID(decomposed),
        readers: [EntityID(decomposed), "ada"],
        byReader: [:]
      ),
      Post(id: "2", author: EntityID(composed), readers: [], byReader: [EntityID(decomposed): 3]),
      Post(id: "3", author: nil, readers: ["ada"], byReader: [:]),
    ]
    return database
  }

  @Test func `references are stored composed, as IDs are`() async throws {
    try await write(Self.sample)
    let posts = try Inspector(path: path).query { view in
      var scan = try view.state(at: view.last.revision).scan("posts")
      var posts: [[RecordValue.Member]] = []
      while let post = try scan.next() {
        posts.append(try view.catalog.members(post.layout, post.record, of: "posts"))
      }
      return posts
    }
    let stored = posts.map { post in post.first { $0.name == "author" }?.value }
    // Values of records compare their bytes.
    #expect(stored == [.string(Self.composed), .string(Self.composed), nil])
    #expect(
      posts[0].first { $0.name == "readers" }?.value
        == .array([.string(Self.composed), .string("ada")])
    )
    #expect(
      posts[1].first { $0.name == "byReader" }?.value
        == .array([.string(Self.composed), .integer(3)])
    )
  }

  @Test func `a query finds what Swift finds, whichever way a constant is composed`() async throws {
    try await write(Self.sample)
    let joined = "SELECT count(*) FROM posts JOIN writers ON posts.author = writers.id"
    #expect(try number(joined) == .integer(2))
    #expect(
      try number("SELECT count(*) FROM posts WHERE author NOT IN (SELECT id FROM writers)")
        == .integer(0)
    )
    for text in [Self.composed, Self.decomposed] {
      #expect(try number("SELECT count(*) FROM posts WHERE author = '\(text)'") == .integer(2))
      #expect(try number("SELECT name FROM writers WHERE id = '\(text)'") == .text("Zola"))
      #expect(try number("SELECT name FROM writers WHERE id IN ('\(text)', 'x')") == .text("Zola"))
      #expect(try number("SELECT count(*) FROM writers WHERE id >= '\(text)'") == .integer(1))
      #expect(try number("SELECT count(*) FROM writers WHERE id < '\(text)'") == .integer(1))
      #expect(
        try number(
          "SELECT count(*) FROM writers w, posts p WHERE w.id = p.author AND w.id = '\(text)'"
        )
          == .integer(2)
      )
    }
    #expect(try number("SELECT count(DISTINCT author) FROM posts") == .integer(1))
    #expect(
      try number(
        "SELECT count(*) FROM posts, json_each(readers) r JOIN writers w ON w.id = r.value"
      ) == .integer(3)
    )
  }

  @Test func `a script that removes orphans removes none`() async throws {
    try await write(Self.sample)
    let script = try DataMigration(
      "0001_orphans",
      sql: """
        DELETE FROM posts WHERE author NOT IN (SELECT id FROM writers);
        UPDATE posts SET author = '\(Self.decomposed)' WHERE id = '3';
        """
    )
    let report = try await DataMigrator([script], at: path).up()
    #expect(report.steps.first?.findings.filter { !$0.isAllowed }.isEmpty == true)
    #expect(try number("SELECT count(*) FROM posts") == .integer(3))
    let author = try Inspector(path: path).query { view in
      var scan = try view.state(at: view.last.revision).scan(
        "posts",
        .ids([EncodedID.bytes(of: .string("3"))])
      )
      return try scan.next().flatMap { post in
        try view.catalog.members(post.layout, post.record, of: "posts").first {
          $0.name == "author"
        }?.value
      }
    }
    #expect(author == .string(Self.composed))
  }

  @Test func `a reference that a file has as it was given is read composed`() throws {
    var bytes: [UInt8] = []
    var writer = RecordWriter()
    let given = try writer.encode(
      Given(author: Self.decomposed, readers: [Self.decomposed]),
      into: &bytes
    )
    #expect(given.fields.map(\.name) == ["author", "readers"])
    let layout = try Layout([
      Layout.Field("author", .scalar(.string), to: .table("writers")),
      Layout.Field("readers", .array(of: .scalar(.string)), to: .elements(.table("writers"))),
    ])
    var names = UniqueNames()
    let columns = EntityColumns([layout], names: &names)
    var reader = EntityReader(columns, used: [1, 2]) { _ in layout }
    reader.move(to: [], layout: 0, record: bytes[...])
    func utf8(_ value: Value) -> [UInt8]? {
      if case .text(let text) = value { Array(text.utf8) } else { nil }
    }
    #expect(try utf8(reader.value(1)) == Array(Self.composed.utf8))
    #expect(try utf8(reader.value(2)) == Array("[\"\(Self.composed)\"]".utf8))
  }

  @Test func `joins count what Swift counts, for random texts`() async throws {
    let seed = randomSeed()
    var random = SeededGenerator(seed: seed)
    func text() -> String {
      let parts = [
        "e", "\u{301}", "\u{E9}", "o", "\u{308}", "\u{F6}", "x", "\u{1E9B}\u{323}", "\u{AC00}",
        "\u{1100}\u{1161}",
      ]
      let count = Int.random(in: 1...3, using: &random)
      return (0..<count).map { _ in parts.randomElement(using: &random) ?? "" }.joined()
    }
    var database = PublishedState.Database()
    for _ in 0..<200 { database.writers.insert(Writer(id: EntityID(text()), name: "")) }
    for number in 0..<loopCount("STRATA_VALUES", 1_000) {
      let post = Post(
        id: EntityID("\(number)"),
        author: EntityID(text()),
        readers: [EntityID(text())],
        byReader: [:]
      )
      database.posts.insert(post)
    }
    try await write(database)
    let expected = database.posts.count { post in
      post.author.map { database.writers.contains($0) } ?? false
    }
    #expect(
      try number("SELECT count(*) FROM posts JOIN writers ON posts.author = writers.id")
        == .integer(Int64(expected)),
      "seed \(seed)"
    )
    #expect(
      try number("SELECT count(*) FROM posts WHERE author NOT IN (SELECT id FROM writers)")
        == .integer(Int64(database.posts.count - expected)),
      "seed \(seed)"
    )
    for post in database.posts.prefix(50) {
      guard let author = post.author else { continue }
      let same = database.posts.count { $0.author == author }
      #expect(
        try number("SELECT count(*) FROM posts WHERE author = '\(author)'")
          == .integer(Int64(same)),
        "seed \(seed), \(author)"
      )
    }
  }
}

private struct Given: Codable {
  var author: String
  var readers: [String]
}

struct Writer: EntityType {
  static let tableName: TableName = "writers"
  let id: EntityID<Writer>
  var name: String
}

struct Post: EntityType {
  static let tableName: TableName = "posts"
  let id: EntityID<Post>
  var author: Writer.ID?
  var readers: [Writer.ID]
  var byReader: [Writer.ID: Int]
}

struct PublishedState: StateType {
  struct Database: DatabaseType {
    var writers = EntityTable<Writer>()
    var posts = EntityTable<Post>()

    static let schema = DatabaseSchema<Database> {
      Entities(\.writers)
      Entities(\.posts)
    }
  }

  var db = Database()
}
