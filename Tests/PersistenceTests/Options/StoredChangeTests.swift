import Foundation
import Strata
import StrataInspection
import StrataJournal
import StrataPersistence
import StrataRecords
import StrataStorage
import TestSupport
import Testing

/// What counts as a change of a persisted value, or of a redacted record: other stored bytes.
struct StoredChangeTests {
  private func withStore(
    _ initial: MeasuredState = MeasuredState(),
    _ body: (Store<MeasuredState, Never>, Persistence<MeasuredState, MeasuredState.Database>)
      async throws -> Void
  ) async throws -> MeasuredState {
    let directory = try TemporaryDirectory()
    func open() async throws -> Persistence<MeasuredState, MeasuredState.Database> {
      try await Persistence.open(
        at: directory.path("app.strata"),
        initialState: initial,
        database: \.db,
        values: [PersistedValue("measure", \.measure)]
      )
    }
    let persistence = try await open()
    try await body(Store(persistence), persistence)
    try await persistence.close()
    let again = try await open()
    defer { _ = again }
    let state = again.initialState
    try await again.close()
    return state
  }

  @Test
  func `a value with NaN makes no delta with commits that leave it`() async throws {
    var initial = MeasuredState()
    initial.measure.numbers = [.nan]
    initial.measure.number = .nan
    let restored = try await withStore(initial) { store, persistence in
      for _ in 0..<100 { store.commit { $0.clicks += 1 } }
      #expect(persistence.revision == 0)
      store.commit { $0.measure = Measure(number: .nan, numbers: [.nan]) }
      #expect(persistence.revision == 0)
      store.commit { $0.measure.text = "measured" }
      #expect(persistence.revision == 1)
    }
    #expect(restored.measure.number.isNaN && restored.measure.text == "measured")
  }

  @Test
  func `what == takes for the same is kept as a change if its bytes differ`() async throws {
    var initial = MeasuredState()
    initial.measure.text = "caf\u{E9}"
    let restored = try await withStore(initial) { store, persistence in
      store.commit { $0.measure.number = -0.0 }
      #expect(persistence.revision == 1)
      store.commit { $0.measure.text = "cafe\u{301}" }
      #expect(persistence.revision == 2)
      store.commit { $0.measure.remark = "not compared" }
      #expect(persistence.revision == 3)
    }
    #expect(restored.measure.number.sign == .minus)
    #expect(Array(restored.measure.text.utf8) == Array("cafe\u{301}".utf8))
    #expect(restored.measure.remark == "not compared")
  }

  @Test
  func `a value that is built again with the same contents is no change`() async throws {
    let seed = randomSeed()
    var order = SeededGenerator(seed: .random(in: .min ... .max))
    for number in 0..<loopCount("STRATA_VALUES", 1_000) / 50 {
      var initial = MeasuredState()
      initial.measure.unordered = Unordered(seed: seed, number: number, order: &order)
      initial.measure.text = String(repeating: "long ", count: 20)
      _ = try await withStore(initial) { store, persistence in
        let value = Unordered(seed: seed, number: number, order: &order)
        let text = String(repeating: "long ", count: 20)
        store.commit {
          $0.measure.unordered = value
          $0.measure.text = text
        }
        #expect(persistence.revision == 0, "seed \(seed), number \(number)")
        let other = Unordered(seed: seed, number: number + 1, order: &order)
        store.commit { $0.measure.unordered = other }
        #expect(persistence.revision == 1, "seed \(seed), number \(number)")
      }
    }
  }

  @Test
  func `a redaction takes effect whatever the == of the entity compares`() async throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("app.strata")
    var initial = MeasuredState()
    initial.db.samples = [Sampled(id: "a", secret: "hush", number: .nan)]
    func open(
      _ options: [TableOption<MeasuredState.Database>]
    ) async throws -> Persistence<MeasuredState, MeasuredState.Database> {
      try await Persistence.open(
        at: path,
        initialState: initial,
        database: \.db,
        tables: options
      )
    }
    try await open([]).close()
    let redacted: [TableOption<MeasuredState.Database>] = [.redacted(\.samples) { $0.secret = "" }]
    let persistence = try await open(redacted)
    #expect(persistence.revision == 1)
    try await persistence.close()
    let record = try Inspector(path: path).query { view in
      var scan = try view.state(at: view.last.revision).scan("samples")
      return try scan.next().map { try view.catalog.members($0.layout, $0.record, of: "samples") }
    }
    #expect(record?.first { $0.name == "secret" }?.value == .string(""))
    // It is stored as the options require, with NaN too.
    let again = try await open(redacted)
    #expect(again.revision == 1)
    try await again.close()
  }
}

struct Measure: Codable, Equatable, Sendable {
  var number = 0.0
  var numbers: [Double] = []
  var text = ""
  var remark = ""
  var unordered: Unordered?

  static func == (a: Measure, b: Measure) -> Bool {
    a.number == b.number && a.numbers == b.numbers && a.text == b.text
  }
}

struct Sampled: EntityType {
  static let tableName: TableName = "samples"
  let id: EntityID<Sampled>
  var secret: String
  var number: Double

  static func == (a: Sampled, b: Sampled) -> Bool { a.id == b.id }
}

struct MeasuredState: StateType {
  struct Database: DatabaseType {
    var samples = EntityTable<Sampled>()

    static let schema = DatabaseSchema<Database> { Entities(\.samples) }
  }

  var db = Database()
  var measure = Measure()
  /// Not persisted.
  var clicks = 0
}
