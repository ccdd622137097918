import StrataNormalization
import TestSupport
import Testing

/// An entity with padding between its fields, which plain copies do not copy.
private struct Padded: EntityType {
  typealias RawID = Int
  static let tableName: TableName = "padded"

  let id: EntityID<Padded>
  var small: Int8 = 0
  var text: String
  var flag: Bool?
  var number: Double?
  var byte: UInt8 = 0
}

@Suite struct DifferenceTests {
  @Test func `tables differ in what was written between them, however far apart they are`() throws {
    for seed in 0..<UInt64(loopCount("STRATA_SEQUENCES", 300)) {
      var writes = RandomWrites<ManyHashes>(seed: seed, range: seed % 2 == 0 ? 40 : 2_000)
      try check(&writes)
    }
  }

  @Test func `IDs of few hashes are told apart`() throws {
    for seed in 0..<UInt64(loopCount("STRATA_SEQUENCES", 200)) {
      var writes = RandomWrites<FewHashes>(seed: seed, range: 60)
      try check(&writes)
    }
  }

  @Test func `IDs of one hash are told apart`() throws {
    for seed in 0..<UInt64(loopCount("STRATA_SEQUENCES", 100)) {
      var writes = RandomWrites<OneHash>(seed: seed, range: 30)
      try check(&writes)
    }
  }

  private func check<Spread>(_ writes: inout RandomWrites<Spread>) throws {
    for _ in 0..<12 {
      if Int.random(in: 0..<3, using: &writes.generator) == 0 { writes.writeMany() }
      for _ in 0..<Int.random(in: 0..<12, using: &writes.generator) { try writes.write() }
      writes.keep()
    }
    for _ in 0..<20 {
      let old = writes.kept[Int.random(in: 0..<writes.kept.count, using: &writes.generator)]
      let new = writes.kept[Int.random(in: 0..<writes.kept.count, using: &writes.generator)]
      expectDifference(from: old, to: new, "\(writes.generator)")
    }
  }

  private func expectDifference<Spread>(
    from old: (table: EntityTable<Item<Spread>>, model: [Int: Item<Spread>]),
    to new: (table: EntityTable<Item<Spread>>, model: [Int: Item<Spread>]),
    _ comment: Comment
  ) {
    var put: [Int: Item<Spread>] = [:]
    var removed: Set<Int> = []
    let changes = new.table.changes(from: old.table)
    for change in changes {
      switch change {
      case .put(let item): put[item.id.raw.number] = item
      case .remove(let id): removed.insert(id.raw.number)
      }
    }
    #expect(changes.count == put.count + removed.count, "each once, \(comment)")
    // What was written and written back may be among the puts, so there may be more than differ.
    let wrong = put.filter { new.model[$0.key] != $0.value }
    let missing = new.model.filter { old.model[$0.key] != $0.value && put[$0.key] != $0.value }
    #expect(wrong.isEmpty && missing.isEmpty, comment)
    #expect(removed == Set(old.model.keys).subtracting(new.model.keys), comment)
  }

  @Test func `an entity beside one that was written does not differ, whatever its padding`() throws
  {
    var table = EntityTable<Padded>()
    for id in 0..<500 {
      table.insert(Padded(id: EntityID(id), small: Int8(id % 100), text: "entity number \(id)"))
    }
    for id in 0..<250 {
      let old = table
      try table.update(EntityID(id)) { $0.flag = $0.flag == nil ? true : nil }
      #expect(table.changes(from: old).map(\.id) == [EntityID(id)])
      table.remove(EntityID(id + 250))
      table.insert(Padded(id: EntityID(id + 500), text: "entity number \(id)"))
      let ids = Set(table.changes(from: old).map(\.id.raw))
      #expect(ids == [id, id + 250, id + 500])
    }
  }

  @Test func `writing an entity as it is makes no difference`() throws {
    let old = EntityTable((0..<100).map { Book(id: Book.ID($0), title: "a title of some length") })
    var new = old
    for book in old { new.insert(book) }
    try new.update(7) { _ in }
    #expect(new.changes(from: old).isEmpty)
  }

  @Test func `tables of which one came from the other are compared without ==`() throws {
    let comparisons = Recorder<Int>()
    try Counted.$didCompare.withValue({ comparisons.record(1) }) {
      var old = CountedDatabase()
      old.counted.insert(contentsOf: (0..<100).map { Counted(id: Counted.ID("\($0)")) })
      var new = old
      try new.counted.update("7") { $0.text = "seven" }
      #expect(ChangeSet(from: old, to: new).count == 1)
      #expect(ChangeSet(from: new, to: old).count == 1)
    }
    #expect(comparisons.elements == [])
  }

  @Test func `of tables made apart each entity whose bytes differ is compared once`() {
    let comparisons = Recorder<Int>()
    Counted.$didCompare.withValue({ comparisons.record(1) }) {
      // Long texts, so that each table has its own storage for them.
      func entities() -> [Counted] {
        (0..<100).map { Counted(id: Counted.ID("\($0)"), text: "a text of some length, \($0)") }
      }
      var old = CountedDatabase()
      old.counted = EntityTable(entities())
      var new = old
      new.counted = EntityTable(entities())
      #expect(ChangeSet(from: old, to: new).isEmpty)
    }
    #expect(comparisons.elements.count == 100)
  }
}
