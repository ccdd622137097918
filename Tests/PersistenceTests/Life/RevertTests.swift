import Foundation
import Strata
import StrataJournal
import StrataPersistence
import StrataRecords
import StrataSQLite
import StrataStorage
import TestSupport
import Testing

private struct Reading: EntityType {
  static let tableName: TableName = "readings"
  let id: EntityID<Reading>
  var value: Double
}

/// The same entity in a later release; its text is too long to be in the entity itself.
private struct LaterReading: DefaultingEntityType {
  static let tableName: TableName = "readings"
  static let defaults = LaterReading(id: "", value: 0, unit: "degrees on the scale of Celsius")
  let id: EntityID<LaterReading>
  var value: Double
  var unit: String
}

private struct First: StateType {
  struct Database: DatabaseType {
    var readings = EntityTable<Reading>()
    static let schema = DatabaseSchema<Database> { Entities(\.readings) }
  }

  var db = Database()
}

private struct Later: StateType {
  struct Database: DatabaseType {
    var readings = EntityTable<LaterReading>()
    static let schema = DatabaseSchema<Database> { Entities(\.readings) }
  }

  var db = Database()
}

/// What a typed revert writes.
struct RevertTests {
  let directory: TemporaryDirectory
  let path: String

  init() async throws {
    directory = try TemporaryDirectory()
    path = directory.path("app.strata")
    let persistence = try await Persistence.open(
      at: path,
      initialState: First(),
      database: \.db
    )
    let store = Store<First, Never>(persistence)
    store.commit { state in
      for number in 0..<70 {
        let value = number < 60 ? Double.nan : Double(number)
        state.db.readings.insert(Reading(id: EntityID("\(number)"), value: value))
      }
    }
    try await persistence.close()
  }

  private func open(
    _ configuration: PersistenceConfiguration = PersistenceConfiguration(),
    tables: [TableOption<Later.Database>] = []
  ) async throws -> Persistence<Later, Later.Database> {
    try await Persistence.open(
      at: path,
      initialState: Later(),
      database: \.db,
      tables: tables,
      configuration: configuration
    )
  }

  /// The bytes of all records, by their encoded IDs.
  private func records() throws -> [[UInt8]: [UInt8]] {
    let view = try ReadView(Connection(path: path, mode: .readOnly))
    var scan = try view.state(at: view.last.revision).scan("readings")
    var records: [[UInt8]: [UInt8]] = [:]
    while let entity = try scan.next() { records[Array(entity.id)] = Array(entity.record) }
    return records
  }

  @Test func `a revert writes only the entities whose records differ`() async throws {
    let before = try records()
    let changing = try await open()
    Store<Later, Never>(changing).commit { state in
      for number in [3, 65, 66] {
        state.db.readings.insert(LaterReading(id: EntityID("\(number)"), value: 1, unit: "K"))
      }
    }
    try await changing.close()
    // The state to revert to is read from the file: it shares nothing with the present one.
    let persistence = try await open()
    let store = Store<Later, Never>(persistence)
    try await persistence.revert(to: .revision(1))
    let deltas = persistence.deltas(from: persistence.revision)
    var changed: [String] = []
    for try await delta in deltas {
      changed += delta.changes.changes(of: LaterReading.self).map { "\($0.id)" }
    }
    #expect(changed.sorted() == ["3", "65", "66"])
    #expect(store.state.db.readings["3"]?.value.isNaN == true)
    try await persistence.close()
    let after = try records()
    #expect(after.count == 70)
    #expect(after.filter { before[$0.key] == $0.value }.count == 67)
  }

  @Test func `a revert to what is there writes nothing`() async throws {
    let before = try records()
    let changing = try await open()
    Store<Later, Never>(changing).commit { $0.db.readings.remove("3") }
    try await changing.close()
    var configuration = PersistenceConfiguration()
    configuration.recentStates = 0
    let persistence = try await open(configuration)
    let store = Store<Later, Never>(persistence)
    #expect(store.state.db.readings.count == 69)
    #expect(try await persistence.revert(to: .revision(2)) == 2)
    try await persistence.close()
    #expect(try records() == before.filter { $0.key != Array(EncodedID.bytes(of: .string("3"))) })
  }

  @Test func `what a redaction leaves out of the file is no difference`() async throws {
    let redacted: [TableOption<Later.Database>] = [.redacted(\.readings) { $0.unit = "" }]
    try await open(tables: redacted).close()
    let persistence = try await open(tables: redacted)
    let store = Store<Later, Never>(persistence)
    store.commit { state in
      state.db.readings.insert(LaterReading(id: "3", value: .nan, unit: "secret"))
    }
    let revision = persistence.revision
    #expect(try await persistence.revert(to: .revision(revision)) == revision)
    #expect(store.state.db.readings["3"]?.unit == "secret")
    try await persistence.close()
  }
}
