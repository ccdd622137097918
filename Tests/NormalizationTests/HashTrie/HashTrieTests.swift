import StrataNormalization
import TestSupport
import Testing

@Suite struct HashTrieTests {
  @Test func `a hundred entities with one hash are all found`() {
    let table = EntityTable((0..<100).map { Item<OneHash>($0) })
    #expect(table.count == 100)
    #expect((0..<100).allSatisfy { table[EntityID(SparseID($0))] == Item($0) })
    #expect(table[EntityID(SparseID(100))] == nil)
    #expect(table.structureFault() == nil)
  }

  @Test func `a table grows, is emptied and grows again`() {
    var table = EntityTable<Item<ManyHashes>>()
    for _ in 0..<3 {
      for number in 0..<2_000 { table.insert(Item(number)) }
      #expect(table.structureFault() == nil)
      #expect(Set(table.map(\.id.raw.number)) == Set(0..<2_000))
      for number in 0..<2_000 { table.remove(EntityID(SparseID(number))) }
      #expect(table.isEmpty)
      #expect(table == [])
      #expect(table.structureFault() == nil)
    }
  }

  @Test func `nodes become fewer as entities do`() {
    var table = EntityTable((0..<4_000).map { Item<ManyHashes>($0) })
    for number in 4..<4_000 { table.remove(EntityID(SparseID(number))) }
    #expect(table.nodes.count == 1)
  }

  @Test func `leaves are half full or better`() {
    let items = (0..<20_000).map { Item<ManyHashes>($0) }
    var grown = EntityTable<Item<ManyHashes>>()
    for item in items { grown.insert(item) }
    for table in [grown, EntityTable(items)] { #expect(table.leafCount < 20_000 / 4) }
  }

  @Test func `iteration gives each entity once`() {
    let table = EntityTable((0..<5_000).map { Item<ManyHashes>($0) })
    #expect(table.map(\.id.raw.number).sorted() == Array(0..<5_000))
    #expect(Array(table.ids) == table.map(\.id))
  }

  @Test func `an iterator goes through the table as it was`() {
    var table = EntityTable((0..<500).map { Item<ManyHashes>($0) })
    var numbers: [Int] = []
    for item in table {
      numbers.append(item.id.raw.number)
      table.remove(item.id)
    }
    #expect(numbers.sorted() == Array(0..<500))
    #expect(table.isEmpty)
  }

  @Test func `ids are reached by index`() {
    let ids = EntityTable((0..<500).map { Item<ManyHashes>($0) }).ids
    var index = ids.startIndex
    var reached: [EntityID<Item<ManyHashes>>] = []
    while index != ids.endIndex {
      #expect(index < ids.endIndex)
      #expect(ids.index(ids.startIndex, offsetBy: reached.count) == index)
      reached.append(ids[index])
      index = ids.index(after: index)
    }
    #expect(reached == Array(ids))
    #expect(ids.distance(from: ids.startIndex, to: ids.endIndex) == 500)
  }

  @Test func `ids of an empty table end where they start`() {
    let ids = EntityTable<Item<ManyHashes>>().ids
    #expect(ids.startIndex == ids.endIndex)
    #expect(ids.randomElement() == nil)
  }

  @Test func `of an array put into an empty table the later of two with one ID stays`() {
    let first = (0..<1_000).map { Item<FewHashes>($0 % 200, "\($0)") }
    var table = EntityTable<Item<FewHashes>>()
    table.insert(contentsOf: first)
    #expect(table.count == 200)
    #expect((0..<200).allSatisfy { table[EntityID(SparseID($0))] == first[800 + $0] })
  }

  @Test func `an entity that does not equal itself does not differ where it is shared`() {
    var table = EntityTable((0..<1_000).map { Book(id: Book.ID($0)) })
    table.insert(Book(id: 500, rating: .nan))
    let copy = table
    #expect(copy == table)
    #expect(EntityTable(Array(table)) != table)
  }

  @Test func `entities that need more alignment than memory has are found`() {
    var table = EntityTable((0..<300).map { Wide(id: Wide.ID($0)) })
    for id in 300..<400 { table.insert(Wide(id: Wide.ID(id))) }
    #expect(table.structureFault() == nil)
    #expect(table.allSatisfy { $0.lanes == Wide(id: $0.id).lanes })
    #expect(table.count == 400)
  }

  @Test func `a table is read by many while others write copies of their own`() async {
    let table = EntityTable((0..<2_000).map { Item<ManyHashes>($0) })
    let sums = await withTaskGroup(of: Int.self) { group in
      for task in 0..<8 {
        group.addTask {
          var copy = table
          for number in 0..<500 {
            if task % 2 == 0 { copy.insert(Item(number, "task \(task)")) }
            if task % 4 == 0 { copy.remove(EntityID(SparseID(number))) }
          }
          return table.reduce(0) { $0 + $1.id.raw.number }
        }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(sums == Array(repeating: 2_000 * 1_999 / 2, count: 8))
    #expect(table == EntityTable((0..<2_000).map { Item($0) }))
  }
}

/// An entity of 64 bytes alignment.
struct Wide: EntityType {
  typealias RawID = Int
  static let tableName: TableName = "wide"

  let id: EntityID<Wide>
  var lanes: SIMD8<Double>

  init(id: EntityID<Wide>) {
    self.id = id
    lanes = SIMD8(repeating: Double(id.raw))
  }
}
