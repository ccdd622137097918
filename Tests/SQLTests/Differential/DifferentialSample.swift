import Foundation
import Strata
import StrataMigrations
import StrataSQL
import TestSupport

/// A person, whose ID is a signed integer.
struct Keeper: EntityType {
  typealias RawID = Int
  static let tableName: TableName = "people"
  let id: EntityID<Keeper>
  var name: String
  var age: Int
  var city: String?
  var score: Double?
  var active: Bool
  var joined: Date
  var tags: [String]
}

/// A document, whose ID is a text, and which refers to a person.
struct Paper: EntityType {
  static let tableName: TableName = "documents"
  let id: EntityID<Paper>
  var title: String
  var owner: Keeper.ID?
  var size: UInt64
  var body: Data
  var price: Decimal
  var link: URL?
  var ratio: Float
  var details: Document.Details?
}

/// A device, whose ID is a UUID.
struct Gadget: EntityType {
  typealias RawID = UUID
  static let tableName: TableName = "devices"
  let id: EntityID<Gadget>
  var owner: Keeper.ID?
  var name: String?
  var serial: UUID
  var slot: UInt8
  var bay: UInt16
  var unit: UInt32
  var extra: [String: Int]
}

/// A seat, whose ID is an unsigned integer of 32 bits.
struct Seat: EntityType {
  typealias RawID = UInt32
  static let tableName: TableName = "seats"
  let id: EntityID<Seat>
  var name: String
  var row: Int8
  var place: Int16
  var hall: Int32
  var reserved: Bool?
}

/// A meter, whose ID is an unsigned integer of 64 bits.
struct Meter: EntityType {
  typealias RawID = UInt64
  static let tableName: TableName = "meters"
  let id: EntityID<Meter>
  var name: String?
  var total: UInt64
  var rate: Double
  var read: Date?
  var seat: Seat.ID?
}

struct DifferentialDatabase: DatabaseType {
  var people = EntityTable<Keeper>()
  var documents = EntityTable<Paper>()
  var devices = EntityTable<Gadget>()
  var seats = EntityTable<Seat>()
  var meters = EntityTable<Meter>()

  static let schema = DatabaseSchema<DifferentialDatabase> {
    Entities(\.people)
    Entities(\.documents)
    Entities(\.devices)
    Entities(\.seats)
    Entities(\.meters)
  }
}

struct DifferentialState: StateType {
  var db = DifferentialDatabase()
}

/// The rows that scripts run on: of three of the five tables; the others are unknown to the store.
struct DifferentialSample: Sendable {
  var people: [Keeper] = []
  var documents: [Paper] = []
  var devices: [Gadget] = []
  var seats: [Seat] = []
  var meters: [Meter] = []

  init(using random: inout SeededGenerator) {
    let count = { (random: inout SeededGenerator) in Int.random(in: 1...6, using: &random) }
    if Int.random(in: 0..<3, using: &random) > 0 {
      for id in 1...count(&random) { people.append(.random(id, using: &random)) }
      for id in 1...count(&random) { documents.append(.random(id, using: &random)) }
      for id in 1...count(&random) { devices.append(.random(id, using: &random)) }
    } else {
      for id in 1...count(&random) { seats.append(.random(id, using: &random)) }
      for id in 1...count(&random) { meters.append(.random(id, using: &random)) }
      for id in 1...count(&random) { documents.append(.random(id, using: &random)) }
    }
  }

  /// Samples with one row less; a table that has rows keeps one.
  var smaller: [DifferentialSample] {
    func without<Row>(
      _ rows: WritableKeyPath<DifferentialSample, [Row]>
    ) -> [DifferentialSample] {
      let all = self[keyPath: rows]
      guard all.count > 1 else { return [] }
      return all.indices.map { index in
        var sample = self
        sample[keyPath: rows].remove(at: index)
        return sample
      }
    }
    return without(\.people) + without(\.documents) + without(\.devices) + without(\.seats)
      + without(\.meters)
  }

  /// Makes a store with the rows.
  func write(to path: String) async throws {
    var state = DifferentialState()
    state.db.people.insert(contentsOf: people)
    state.db.documents.insert(contentsOf: documents)
    state.db.devices.insert(contentsOf: devices)
    state.db.seats.insert(contentsOf: seats)
    state.db.meters.insert(contentsOf: meters)
    let persistence = try await Persistence.open(
      at: path,
      initialState: state,
      database: \.db,
      configuration: PersistenceConfiguration(now: { Sample.now }),
      with: [.migrations([])]
    )
    let store = Store<DifferentialState, Never>(persistence)
    try await persistence.close()
    withExtendedLifetime(store) {}
  }
}

extension Keeper {
  fileprivate static func random(_ id: Int, using random: inout SeededGenerator) -> Keeper {
    Keeper(
      id: EntityID(id * [1, 1, 3].picked(using: &random) - 1),
      name: ["Ada", "ada", "Grace", "Émile", "12", ""].picked(using: &random),
      age: Int.random(in: 0...9, using: &random),
      city: [nil, "Zürich", "Oslo", "Rome"].picked(using: &random),
      score: [nil, 0.5, -0.0, .nan, .infinity, 12, 1e300].picked(using: &random),
      active: Bool.random(using: &random),
      joined: Date(
        timeIntervalSinceReferenceDate: Double(Int.random(in: 0...900, using: &random)) * 1e6 / 3
      ),
      tags: (0..<Int.random(in: 0...2, using: &random)).map { "tag \($0)" }
    )
  }
}

extension Paper {
  fileprivate static func random(_ id: Int, using random: inout SeededGenerator) -> Paper {
    Paper(
      id: EntityID("doc-\(id)"),
      title: ["Ada", "Title", "12", "title"].picked(using: &random),
      owner: [nil, EntityID(0), EntityID(1), EntityID(2), EntityID(99)].picked(using: &random),
      size: [0, 1, 12, UInt64(Int64.max), UInt64.max].picked(using: &random),
      body: Data((0..<Int.random(in: 0...3, using: &random)).map { UInt8($0 * 31 & 0xFF) }),
      price: Decimal(Int.random(in: -999...9_999, using: &random)) / 100,
      link: Bool.random(using: &random) ? URL(string: "https://example.com/\(id)") : nil,
      ratio: Float(Int.random(in: 0...10, using: &random)) / 10,
      details: Bool.random(using: &random) ? .init(language: "de", pages: id) : nil
    )
  }
}

extension Gadget {
  fileprivate static func random(_ id: Int, using random: inout SeededGenerator) -> Gadget {
    Gadget(
      id: EntityID(random.uuid()),
      owner: [nil, EntityID(0), EntityID(1), EntityID(2)].picked(using: &random),
      name: [nil, "Ada", "Oslo", "gadget"].picked(using: &random),
      serial: random.uuid(),
      slot: UInt8.random(in: 0...9, using: &random),
      bay: UInt16.random(in: 0...9, using: &random),
      unit: [0, 7, .max].picked(using: &random),
      extra: Bool.random(using: &random) ? ["b": id, "a": 2] : [:]
    )
  }
}

extension Seat {
  fileprivate static func random(_ id: Int, using random: inout SeededGenerator) -> Seat {
    Seat(
      id: EntityID(UInt32(id) * 2),
      name: ["Ada", "left", "right"].picked(using: &random),
      row: Int8.random(in: 0...9, using: &random),
      place: Int16.random(in: -9...9, using: &random),
      hall: [0, 7, .min].picked(using: &random),
      reserved: [nil, true, false].picked(using: &random)
    )
  }
}

extension Meter {
  fileprivate static func random(_ id: Int, using random: inout SeededGenerator) -> Meter {
    Meter(
      id: EntityID(id == 3 ? .max : UInt64(id)),
      name: [nil, "Ada", "12"].picked(using: &random),
      total: [0, 12, .max].picked(using: &random),
      rate: [0.5, 12, -1.25].picked(using: &random),
      read: [nil, Date(timeIntervalSinceReferenceDate: 0.123456)].picked(using: &random),
      seat: [nil, EntityID(2), EntityID(4)].picked(using: &random)
    )
  }
}

extension Array {
  /// One of the elements, of which there must be some.
  func picked(using random: inout SeededGenerator) -> Element {
    self[Int.random(in: 0..<count, using: &random)]
  }
}
