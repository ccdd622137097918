import Foundation
import Strata
import StrataInspection
import StrataMigrating
import StrataMigrations
import StrataRecords
import StrataSQL
import StrataScripts
import StrataStorage
import TestSupport
import Testing

/// Values that SQL shows rounded, and that scripts only move.
@Suite struct MovedValuesTests {
  private struct Item: EntityType {
    static let tableName: TableName = "items"
    let id: EntityID<Item>
    var price: Decimal
    var cost: Decimal
    var sold: Date
    var bought: Date
    var weight: Double
    var marks: [String: Date]
    var code: UUID
    var isNew: Bool
  }

  private struct Database: DatabaseType {
    var items = EntityTable<Item>()
    static let schema = DatabaseSchema<Database> { Entities(\.items) }
  }

  private struct State: StateType {
    var db = Database()
  }

  private let directory: TemporaryDirectory
  private let path: String
  private let items: [Item]

  init() async throws {
    directory = try TemporaryDirectory()
    path = directory.path("app.strata")
    items = (1...4).map(Self.item)
    let first = items
    let persistence = try await Persistence.open(
      at: path,
      initialState: State(),
      database: \.db,
      with: [.migrations([])]
    )
    let store = Store<State, Never>(persistence)
    store.commit { $0.db.items.insert(contentsOf: first) }
    try await persistence.close()
  }

  private static func item(_ number: Int) -> Item {
    let seconds = Double(number)
    return Item(
      id: EntityID("i\(number)"),
      price: decimal("1234567890123456789.012345678\(number)"),
      cost: decimal("0.1000000000000000000000000\(number)"),
      sold: Date(timeIntervalSinceReferenceDate: 790_000_000.123_456 + seconds),
      bought: Date(timeIntervalSinceReferenceDate: 780_000_000.654_321 + seconds),
      weight: number == 2 ? .nan : number == 3 ? -0.0 : seconds / 7,
      marks: ["a": Date(timeIntervalSinceReferenceDate: 1.5), "b": .distantPast],
      code: UUID(),
      isNew: number == 1
    )
  }

  private static func decimal(_ text: String) -> Decimal { Decimal(string: text) ?? 0 }

  @discardableResult
  private func run(_ script: String) async throws -> MigrationReport.Step {
    let number = try await DataMigrator([], at: path).history().count + 1
    let earlier = try await DataMigrator([], at: path).history().map { row in
      try DataMigration(row.name, sql: row.script ?? "")
    }
    let migrator = DataMigrator(
      earlier + [try DataMigration("\(number)_script", sql: script)],
      at: path
    )
    return try #require(try await migrator.up().steps.last)
  }

  /// The records of a table by their IDs.
  private func records(of table: String) throws -> [String: RecordValue] {
    var records: [String: RecordValue] = [:]
    for entity in try Inspector(path: path).show(table: table) {
      records[entity.id?.text ?? ""] = entity.value
    }
    return records
  }

  private func rounds(_ step: MigrationReport.Step) -> [String] {
    step.findings.filter { $0.kind == .rounds }.map(\.description)
  }

  @Test func `a table that is made of another has its values as they were`() async throws {
    let before = try records(of: "items")
    let step = try await run("CREATE TABLE copies AS SELECT * FROM items")
    #expect(try records(of: "copies") == before)
    #expect(rounds(step) == [])
    try await run(
      """
      -- strata:allow destructive(items)
      CREATE TABLE goods(id TEXT, price DECIMAL, cost DECIMAL, sold TIMESTAMP, bought TIMESTAMP,
        weight DOUBLE, marks JSON, code UUID, isNew BOOLEAN);
      INSERT INTO goods SELECT id, price, cost, sold, bought, weight, marks, code, isNew FROM items;
      DROP TABLE items;
      """
    )
    #expect(try records(of: "goods") == before)
  }

  @Test func `a column that was renamed has its kind in a table that is made of it`() async throws {
    let before = try records(of: "items")
    try await run(
      "ALTER TABLE items RENAME COLUMN sold TO gone; CREATE TABLE copies AS SELECT * FROM items"
    )
    for (id, record) in try records(of: "copies") { #expect(record["gone"] == before[id]?["sold"]) }
    #expect(try records(of: "copies").count == before.count)
  }

  @Test func `a number in a column of texts has all digits and its sign`() async throws {
    try await run(
      "CREATE TABLE notes(id TEXT, weight TEXT); INSERT INTO notes SELECT id, weight FROM items"
    )
    let notes = try records(of: "notes")
    #expect(notes["i1"]?["weight"] == .string("\(1.0 / 7)"))
    #expect(notes["i3"]?["weight"] == .string("-0.0"))
  }

  @Test func `an integer column takes no decimal numbers`() async throws {
    let error = await #expect(throws: PersistenceError.self) {
      try await run(
        "CREATE TABLE prices(id TEXT, price INT); INSERT INTO prices SELECT id, cost FROM items"
      )
    }
    #expect("\(String(describing: error))".contains("price"))
    let same = await #expect(throws: PersistenceError.self) {
      try await run(
        "CREATE TABLE prices(id TEXT, cost INT); INSERT INTO prices SELECT id, cost FROM items"
      )
    }
    #expect("\(String(describing: same))".contains("cost"))
    try await run("CREATE TABLE flags AS SELECT id, isNew, cost FROM items")
    let flags = try records(of: "flags")
    for (id, record) in try records(of: "items") {
      #expect(flags[id]?["isNew"] == record["isNew"])
      #expect(flags[id]?["cost"] == record["cost"])
    }
  }

  @Test func `a cell that comes from another has the value of that one`() async throws {
    let before = try records(of: "items")
    let step = try await run("UPDATE items SET price = cost, sold = bought")
    #expect(rounds(step) == [])
    for (id, record) in try records(of: "items") {
      #expect(record["sold"] == before[id]?["bought"])
      // All costs show as 0.1, and that of the same record is the one.
      #expect(record["price"] == before[id]?["cost"])
    }
    let moved = try await run(
      """
      CREATE TABLE prices(id TEXT, price DECIMAL, sold TIMESTAMP, marks JSON);
      INSERT INTO prices SELECT 'p-' || id, cost, bought, marks FROM items;
      """
    )
    // The IDs are others, so of equal costs it is not known which one is which.
    #expect(
      rounds(moved) == ["rounds(prices.price): prices.price gets 4 values that SQL has rounded"]
    )
    for (id, record) in try records(of: "prices") {
      let item = before[String(id.dropFirst(2))]
      #expect(record["sold"] == item?["bought"])
      #expect(record["marks"] == item?["marks"])
      #expect(record["price"] == .decimal(Decimal(string: "0.1") ?? 0))
    }
  }

  @Test func `a literal that a field holds exactly is stored exactly`() async throws {
    let step = try await run(
      """
      UPDATE items SET price = 98765432109876543210.123456789, cost = -0.30000000000000000001,
        sold = '2026-02-03 04:05:06.789123Z' WHERE id = 'i1';
      UPDATE items SET price = '11111111111111111111.5' WHERE id = 'i2';
      UPDATE items SET cost = 0.1 WHERE id = 'i3';
      """
    )
    #expect(rounds(step) == [])
    let records = try records(of: "items")
    #expect(records["i1"]?["price"] == .decimal(Self.decimal("98765432109876543210.123456789")))
    #expect(records["i1"]?["cost"] == .decimal(Self.decimal("-0.30000000000000000001")))
    #expect(records["i2"]?["price"] == .decimal(Self.decimal("11111111111111111111.5")))
    guard case .date(let date)? = records["i1"]?["sold"] else {
      Issue.record("no date")
      return
    }
    let text = try #require(Date(timeText: "2026-02-03 04:05:06.789123Z"))
    #expect(date == text)
  }

  @Test func `what SQL computes and a field holds rounded is said`() async throws {
    let step = try await run("UPDATE items SET price = price / 3, weight = weight * 2")
    #expect(rounds(step) == ["rounds(items.price): items.price gets 4 values that SQL has rounded"])
    #expect(step.findings.allSatisfy { !$0.isRefused })
    let exact = try await run("UPDATE items SET price = length(id) * 0.25")
    #expect(rounds(exact) == [])
  }
}
