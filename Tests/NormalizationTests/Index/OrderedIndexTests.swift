import StrataNormalization
import Testing

@Suite struct OrderedIndexTests {
  var posts = EntityTable((0..<100).map { Post("p\($0)", date: $0 * 37 % 100 / 2) })

  @Test func `entities are in the order of the field, then of their IDs`() {
    let expected = posts.sorted { ($0.date, $0.id) < ($1.date, $1.id) }
    #expect(Array(posts[Post.byDate]) == expected)
    #expect(Array(posts[Post.byDate].ids) == expected.map(\.id))
  }

  @Test func `positions and parts are those of a sorted array`() {
    let expected = posts.sorted { ($0.date, $0.id) < ($1.date, $1.id) }
    let sorted = posts[Post.byDate]
    #expect(sorted[42] == expected[42])
    #expect(Array(sorted[10..<20]) == Array(expected[10..<20]))
    #expect(Array(sorted.suffix(3)) == Array(expected.suffix(3)))
    #expect(sorted.reversed().map(\.id) == expected.reversed().map(\.id))
    #expect(sorted[10..<20][15..<17].map(\.id) == expected[15..<17].map(\.id))
  }

  @Test func `ranges have a first bound inside and a second one outside, or inside`() {
    let sorted = posts[Post.byDate]
    #expect(Set(sorted.range(from: 10, to: 12).map(\.date)) == [10, 11])
    #expect(Set(sorted.range(from: 10, through: 12).map(\.date)) == [10, 11, 12])
    #expect(sorted.range(to: 10).count == posts.count { $0.date < 10 })
    #expect(sorted.range(from: 45).count == posts.count { $0.date >= 45 })
    #expect(sorted.range(from: 12, to: 10).isEmpty)
    #expect(sorted.range(from: 12, through: 10).isEmpty)
    #expect(sorted.range().count == 100)
    #expect(sorted.position(of: 1_000) == 100)
  }

  @Test func `a field that is no number comes last and does no harm`() throws {
    var users = EntityTable<User>()
    for id in 0..<200 {
      users.insert(User(id: User.ID("\(id)"), karma: id % 3 == 0 ? .nan : Double(id)))
    }
    let karmas = users[User.byKarma].map(\.karma)
    #expect(karmas.prefix(133).allSatisfy { !$0.isNaN })
    #expect(karmas.prefix(133).sorted() == Array(karmas.prefix(133)))
    #expect(karmas.dropFirst(133).allSatisfy { $0.isNaN })
    for id in 0..<200 where id % 2 == 0 { users.remove(User.ID("\(id)")) }
    for id in 0..<200 where id % 4 == 1 { try users.update(User.ID("\(id)")) { $0.karma = .nan } }
    #expect(users[User.byKarma].count == 100)
    #expect(Set(users[User.byKarma].ids) == Set(users.ids))
    #expect(users[User.byKarma].range(from: 100).contains { $0.karma == 103 })
  }

  @Test func `IDs without an order of their own are told apart`() {
    struct Flag: Hashable, Codable, Sendable {
      var number: Int
      func hash(into hasher: inout Hasher) { hasher.combine(number % 3) }
    }
    struct Flagged: EntityType {
      typealias RawID = Flag
      static var tableName: TableName { "flagged" }
      let id: EntityID<Flagged>
      var level = 0
      static let byLevel = OrderedIndex(\Flagged.level)
      static let groups = GroupIndex(\Flagged.level)
      static let indexes: EntityIndexes<Flagged> = [byLevel, groups]
    }
    var table = EntityTable((0..<60).map { Flagged(id: EntityID(Flag(number: $0))) })
    for number in stride(from: 0, to: 60, by: 2) { table.remove(EntityID(Flag(number: number))) }
    #expect(Set(table[Flagged.byLevel].ids.map(\.raw.number)) == Set(table.ids.map(\.raw.number)))
    #expect(table[Flagged.groups][0].count == 30)
  }
}
