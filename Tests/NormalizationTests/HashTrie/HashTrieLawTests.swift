import StrataNormalization
import TestSupport
import Testing

/// Random writes to a table and to a dictionary, with older copies of both kept.
struct RandomWrites<Spread: HashSpread> {
  var generator: SeededGenerator
  /// How many IDs there are.
  let range: Int
  var table = EntityTable<Item<Spread>>()
  var model: [Int: Item<Spread>] = [:]
  var kept: [(table: EntityTable<Item<Spread>>, model: [Int: Item<Spread>])] = []

  init(seed: UInt64, range: Int) {
    generator = SeededGenerator(seed: seed)
    self.range = range
  }

  mutating func write() throws {
    let number = Int.random(in: 0..<range, using: &generator)
    let note = "\(Int.random(in: 0..<1_000, using: &generator))"
    switch Int.random(in: 0..<10, using: &generator) {
    case 0...3:
      table.insert(Item(number, note))
      model[number] = Item(number, note)
    case 4...5:
      let updated = try table.updateIfExists(EntityID(SparseID(number))) { $0.notes.append(note) }
      model[number]?.notes.append(note)
      #expect(updated == model[number], "\(generator)")
    default:
      let removed = table.remove(EntityID(SparseID(number)))
      #expect(removed == model.removeValue(forKey: number), "\(generator)")
    }
  }

  /// Inserts or removes one in a row, so that the table grows far or becomes empty.
  mutating func writeMany() {
    let numbers = 0..<Int.random(in: 0..<range, using: &generator)
    if Bool.random(using: &generator) {
      table.insert(contentsOf: numbers.map { Item($0, "many") })
      for number in numbers { model[number] = Item(number, "many") }
    } else {
      table.remove(in: numbers.map { EntityID(SparseID($0)) })
      for number in numbers { model[number] = nil }
    }
  }

  mutating func keep() {
    kept.append((table, model))
    if kept.count > 12 { kept.remove(at: Int.random(in: 0..<12, using: &generator)) }
  }

  func check() {
    #expect(table.structureFault() == nil, "\(generator)")
    #expect(table.contents() == model, "\(generator)")
    #expect(table.count == model.count, "\(generator)")
    for number in 0..<range {
      #expect(table[EntityID(SparseID(number))] == model[number], "\(generator)")
    }
    for (table, model) in kept {
      #expect(table.structureFault() == nil, "\(generator), kept")
      #expect(table.contents() == model, "\(generator), kept")
    }
  }
}

@Suite struct HashTrieLawTests {
  func follow<Spread: HashSpread>(
    _: Spread.Type,
    seeds: Range<UInt64>,
    range: Int,
    writes: Int
  ) throws {
    for seed in seeds {
      var random = RandomWrites<Spread>(seed: seed, range: range)
      for step in 1...writes {
        try random.write()
        if step % 97 == 0 { random.writeMany() }
        if step % 7 == 0 { random.keep() }
        if step % 50 == 0 { random.check() }
      }
      random.check()
    }
  }

  @Test func `a table does what a dictionary does, and so do the copies kept of it`() throws {
    try follow(ManyHashes.self, seeds: 0..<6, range: 300, writes: 1_000)
  }

  @Test func `a small table does what a dictionary does`() throws {
    try follow(ManyHashes.self, seeds: 0..<40, range: 24, writes: 400)
  }

  @Test func `IDs with few hashes are told apart`() throws {
    try follow(FewHashes.self, seeds: 0..<8, range: 60, writes: 400)
  }

  @Test func `IDs that all have one hash are told apart`() throws {
    try follow(OneHash.self, seeds: 0..<8, range: 60, writes: 400)
  }

  @Test func `tables made in different orders are equal`() {
    for seed in 0..<50 as Range<UInt64> {
      var generator = SeededGenerator(seed: seed)
      let items = (0..<Int.random(in: 0..<400, using: &generator)).map { Item<ManyHashes>($0) }
      var table = EntityTable<Item<ManyHashes>>()
      for item in items.shuffled(using: &generator) { table.insert(item) }
      for number in 400..<600 { table.insert(Item(number)) }
      for number in 400..<600 { table.remove(EntityID(SparseID(number))) }
      #expect(table == EntityTable(items), "\(generator)")
      #expect(EntityTable(items.shuffled(using: &generator)) == table, "\(generator)")
    }
  }

  @Test func `tables that differ in one entity are not equal`() throws {
    for seed in 0..<50 as Range<UInt64> {
      var generator = SeededGenerator(seed: seed)
      let count = Int.random(in: 1..<400, using: &generator)
      let items = (0..<count).map { Item<ManyHashes>($0) }
      let id = EntityID<Item<ManyHashes>>(SparseID(Int.random(in: 0..<count, using: &generator)))
      let table = EntityTable(items.shuffled(using: &generator))
      var updated = table
      try updated.update(id) { $0.notes.append("other") }
      var exchanged = table
      exchanged.remove(id)
      exchanged.insert(Item(1_000))
      for other in [updated, exchanged, EntityTable(Array(updated)), EntityTable(Array(exchanged))]
      {
        #expect(table != other, "\(generator)")
        #expect(other != table, "\(generator)")
      }
    }
  }
}
