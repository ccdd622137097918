import StrataNormalization
import TestSupport
import Testing

/// An order within each list.
@Suite struct ListOrderTests {
  struct Item: EntityType {
    typealias RawID = Int
    static let tableName: TableName = "items"

    let id: EntityID<Item>
    var list: String?
    var place: Rank?

    static let byList = ManualOrder(\Item.place, within: \.list)
    static let indexes: EntityIndexes<Item> = [byList]
  }

  struct Lists: DatabaseType {
    var items = EntityTable<Item>()

    static let schema = DatabaseSchema<Lists> { Entities(\.items) }

    subscript(list: String) -> [Int] { items[Item.byList, list: list].map(\.id.raw) }
  }

  var database: Lists

  init() throws {
    database = Lists()
    for (id, list) in [(1, "A"), (2, "B"), (3, "A"), (4, "C")] {
      database.items.insert(Item(id: EntityID(id), list: list))
      try database.items.append(EntityID(id), to: Item.byList)
    }
  }

  @Test mutating func `entities are moved within a list and between lists`() throws {
    try database.items.append(2, to: Item.byList, list: "A")
    #expect(database["A"] == [1, 3, 2])
    #expect(database["B"] == [])
    try database.items.move(3, to: 1, in: Item.byList)
    #expect(database["A"] == [1, 3, 2])
    try database.items.move(3, to: 0, in: Item.byList)
    try database.items.move(4, to: 1, in: Item.byList, list: "A")
    #expect(database["A"] == [3, 4, 1, 2])
    #expect(database.items[4]?.list == "A")
    try database.items.remove(4, from: Item.byList)
    #expect(database["A"] == [3, 1, 2])
    database.items.removeAll(from: Item.byList)
    #expect(database["A"] == [])
    #expect(database.items.count == 4)
  }

  @Test
  mutating func `an entity whose list alone was changed is last, and one without a list in none`()
    throws
  {
    try database.items.update(2) { $0.list = "A" }
    #expect(database["A"] == [1, 3, 2])
    try database.items.move(1, to: 2, in: Item.byList)
    #expect(database["A"] == [3, 2, 1])
    database.items.insert(Item(id: 3, list: "C", place: database.items[3]?.place))
    #expect(database["C"] == [4, 3])
    try database.items.update(3) { $0.list = nil }
    #expect(database["C"] == [4])
    try database.items.append(3, to: Item.byList)
    #expect(database.items[3]?.place == nil)
    try database.items.append(3, to: Item.byList, list: "B")
    #expect(database["B"] == [3])
    #expect(throws: EntityError.self) { try database.items.append(9, to: Item.byList, list: "B") }
  }

  @Test mutating func `an undo brings an entity back to its own place`() throws {
    let before = database
    try database.items.move(1, to: 0, in: Item.byList, list: "B")
    try database.items.move(3, to: 0, in: Item.byList, list: "B")
    let undo = ChangeSet(from: database, to: before)
    #expect(database.applying(undo) == before)
    #expect(database.applying(undo)["A"] == [1, 3])
  }

  @Test mutating func `after an undo entities with one place are moved apart`() throws {
    let before = database
    try database.items.move(3, to: 0, in: Item.byList)
    let undo = ChangeSet(from: database, to: before)
    database.items.insert(Item(id: 5, list: "A"))
    try database.items.append(5, to: Item.byList)
    database.apply(undo)
    #expect(database.items[5]?.place == database.items[1]?.place || database["A"].count == 3)
    try database.items.move(4, to: 2, in: Item.byList, list: "A")
    #expect(database["A"].count == 4)
    #expect(database["A"][2] == 4)
  }

  @Test mutating func `places are shortened when they have grown`() throws {
    database.items = EntityTable((0..<200).map { Item(id: EntityID($0), list: "A") })
    try database.items.append(contentsOf: (0..<200).map { EntityID($0) }, to: Item.byList)
    var model = Array(0..<200)
    var random = SeededGenerator(seed: 5)
    for _ in 0..<5_000 {
      let id = Int.random(in: 0..<200, using: &random)
      model.removeAll { $0 == id }
      model.insert(id, at: 77)
      try database.items.move(EntityID(id), to: 77, in: Item.byList)
    }
    #expect(database["A"] == model)
    let longest = database.items.compactMap { $0.place?.description.count }.max()
    #expect(longest ?? 99 <= 32)
  }

  @Test
  func `a rank between bounds that are equal or in the wrong order comes after the lower one`() {
    let first = Rank(after: nil, before: nil)
    let second = Rank(after: first, before: nil)
    for (lower, upper) in [(first, first), (second, first)] {
      #expect(Rank(after: lower, before: upper) > lower)
    }
  }

  /// A table, its past, and what each list must be.
  struct Program {
    var random: SeededGenerator
    var database = Lists()
    var past: [Lists] = []
    var model: [String: [Int]] = [:]

    init(seed: UInt64) {
      random = SeededGenerator(seed: seed)
      database.items = EntityTable((0..<8).map { Item(id: EntityID($0)) })
    }

    mutating func number(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }

    mutating func remove(_ id: Int) {
      for list in model.keys { model[list]?.removeAll { $0 == id } }
    }

    mutating func step() throws {
      past.append(database)
      let (id, list) = (number(8), ["A", "B", "C"][number(3)])
      let item = EntityID<Item>(id)
      if !database.items.contains(item) { database.items.insert(Item(id: item)) }
      let own = database.items[item]?.list
      switch number(9) {
      case 0...1:
        try database.items.append(item, to: Item.byList, list: list)
        remove(id)
        model[list, default: []].append(id)
      case 2...3:
        let position = number(8)
        try database.items.move(item, to: position, in: Item.byList, list: list)
        remove(id)
        let place = min(position, model[list]?.count ?? 0)
        model[list, default: []].insert(id, at: place)
      case 4:
        let position = number(8)
        try database.items.move(item, to: position, in: Item.byList)
        guard let own else { return }
        remove(id)
        model[own, default: []].insert(id, at: min(position, model[own]?.count ?? 0))
      case 5:
        try database.items.update(item) { $0.list = list }
        if own != list, database.items[item]?.place != nil {
          remove(id)
          model[list, default: []].append(id)
        }
      case 6:
        if number(2) == 0 {
          try database.items.update(item) { $0.list = nil }
        } else {
          try database.items.remove(item, from: Item.byList)
        }
        remove(id)
      case 7:
        database.items.remove(item)
        remove(id)
      default: merge()
      }
    }

    /// Undoes a commit of the past, whatever has happened since: then places may be equal.
    mutating func merge() {
      let from = number(past.count)
      let to = number(past.count)
      database.apply(ChangeSet(from: past[from], to: past[to]))
      model = Dictionary(grouping: database.items.filter { $0.list != nil && $0.place != nil }) {
        $0.list ?? ""
      }
      .mapValues { items in
        items.sorted {
          ($0.place?.description ?? "", $0.id.raw) < ($1.place?.description ?? "", $1.id.raw)
        }.map(\.id.raw)
      }
    }
  }

  @Test func `lists are their model after any sequence of changes`() throws {
    let first = randomSeed()
    for seed in first..<first + UInt64(loopCount("STRATA_PROGRAMS", 1_000)) {
      var program = Program(seed: seed)
      for _ in 0..<30 {
        try program.step()
        for list in ["A", "B", "C"] {
          #expect(program.database[list] == program.model[list] ?? [], "\(program.random)")
        }
      }
      let rebuilt = Lists(items: EntityTable(Array(program.database.items)))
      for list in ["A", "B", "C"] { #expect(rebuilt[list] == program.database[list]) }
    }
  }
}
