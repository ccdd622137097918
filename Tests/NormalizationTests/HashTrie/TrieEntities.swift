import StrataNormalization

/// An ID whose hash is chosen: equal numbers modulo `Spread.count` collide.
struct SparseID<Spread: HashSpread>: Hashable, Codable, Sendable, ExpressibleByIntegerLiteral {
  var number: Int

  init(integerLiteral value: Int) { number = value }
  init(_ number: Int) { self.number = number }

  static func == (a: SparseID, b: SparseID) -> Bool { a.number == b.number }

  func hash(into hasher: inout Hasher) { hasher.combine(number % Spread.count) }
}

/// The number of hashes of the IDs.
protocol HashSpread: Sendable {
  static var count: Int { get }
}

enum OneHash: HashSpread {
  static let count = 1
}

enum FewHashes: HashSpread {
  static let count = 7
}

enum ManyHashes: HashSpread {
  static let count = Int.max
}

/// An entity that refers to an object, to find lost and duplicate references.
struct Item<Spread: HashSpread>: EntityType {
  typealias RawID = SparseID<Spread>
  static var tableName: TableName { "items" }

  let id: EntityID<Item>
  var notes: [String]

  init(_ number: Int, _ note: String = "") {
    id = EntityID(SparseID(number))
    notes = ["item \(number)", note]
  }
}

extension EntityTable {
  func contents<Spread>() -> [Int: Item<Spread>] where Entity == Item<Spread> {
    Dictionary(uniqueKeysWithValues: map { ($0.id.raw.number, $0) })
  }
}
