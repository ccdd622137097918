import Foundation
import Strata
import StrataColumns
import StrataInspection
import StrataJournal
import StrataMaintaining
import StrataMigrating
import StrataRecords
import StrataSQL
import StrataSQLite
import StrataScripts
import TestSupport
import Testing

/// What goes out comes in again, bit for bit, or the door says what it cannot hold.
@Suite struct RoundTripLawTests {
  private typealias Members = [RecordValue.Member]

  /// A record with a field of each kind, each null, left out or there.
  private func record(
    _ number: Int,
    isWhole: Bool = false,
    using random: inout SeededGenerator
  ) -> Members {
    var members: Members = [.init("id", .int(Int64(number), .bits64))]
    for scalar in Scalar.allCases {
      let choice = isWhole ? 9 : random.next() % 10
      if choice == 0 { continue }
      members.append(.init("f \(scalar)", choice == 1 ? .null : .random(scalar, using: &random)))
    }
    members.append(.init("ids", .array([.random(.uuid, using: &random)])))
    members.append(.init("Name", .random(.string, using: &random)))
    members.append(.init("name", .random(.string, using: &random)))
    return members
  }

  /// A value whose kind no layout says.
  private func loose(using random: inout SeededGenerator) -> RecordValue {
    func any() -> RecordValue {
      let scalar = Scalar.allCases[Int(random.next() % UInt64(Scalar.allCases.count))]
      return .random(scalar, using: &random)
    }
    switch random.next() % 4 {
    case 0: return .object([.init("a", any()), .init("b", any())])
    case 1: return .array([any(), .null, any()])
    default: return any()
    }
  }

  @Test(arguments: [StoreExport.Form.ndjson, .csv])
  func `records come back from a text as they were`(form: StoreExport.Form) throws {
    var random = SeededGenerator(seed: randomSeed())
    print("round trips: \(random)")
    let count = loopCount("STRATA_VALUES", 1_000)
    let first = record(0, isWhole: true, using: &random)
    var records = [first]
    for number in 1...count {
      records.append(record(number, using: &random))
      if number % 3 == 0 { records[number].append(.init("loose", loose(using: &random))) }
    }
    let sample = try FormSample()
    let path = try sample.store("all.strata", records)
    let before = try sample.bytes(of: path)
    let (file, _, notes) = try sample.export(form, of: path)
    let same = try sample.load(file, into: path)
    #expect(same.updated == 0 && same.inserted == 0, "\(same) \(random)")
    #expect(try sample.bytes(of: path) == before)
    // What the export does not tell is named; it is the field of any kind only.
    #expect(notes.allSatisfy { $0.hasPrefix("things.loose: ") }, "\(notes)")

    let others: Members = [.init("id", .int(-1, .bits64)), .init("loose", .string("x"))]
    let empty = try sample.store("empty.strata", [first + [.init("loose", .bool(true))], others])
    let counts = try sample.load(file, into: empty)
    #expect(counts.inserted == count, "\(counts) \(random)")
    let found = try sample.fields(of: empty)
    for (id, fields) in try sample.fields(of: path) {
      var (fields, others) = (fields, found[id])
      fields["loose"] = nil
      others?["loose"] = nil
      // Foundation cannot describe some of the dates.
      let areSame = others == fields
      #expect(areSame, "\(EncodedID.text(of: id[...])) \(random)")
    }
  }

  /// An entity with nested values of a type.
  private struct Thing: EntityType {
    struct Line: Codable, Equatable, Sendable {
      var at: Date
      var cents: Int16
      var share: Float
      var note: String?
    }

    enum Delivery: Codable, Equatable, Sendable {
      case pickup
      case sent(to: String, on: Date)
    }

    typealias RawID = UUID
    static let tableName: TableName = "things"
    let id: EntityID<Thing>
    var lines: [Line]
    var days: [Date]
    var delivery: Delivery?
    var price: Decimal?
    var marks: [String: Date]
    var counts: [Date: Int]

    init(using random: inout SeededGenerator) {
      func value<Value: Decodable>(_ scalar: Scalar, _: Value.Type = Value.self) -> Value? {
        do {
          return try RecordValue.random(scalar, using: &random).decoded(as: Value.self)
        } catch {
          return nil
        }
      }
      id = EntityID(value(.uuid) ?? UUID())
      lines = (0..<Int(random.next() % 3)).map { _ in
        Line(
          at: value(.date) ?? .distantPast,
          cents: value(.int16) ?? 0,
          share: value(.float) ?? 0,
          note: random.next() % 3 == 0 ? nil : value(.string)
        )
      }
      days = (0..<Int(random.next() % 3)).map { _ in value(.date) ?? .distantPast }
      switch random.next() % 3 {
      case 0: delivery = nil
      case 1: delivery = .pickup
      default: delivery = .sent(to: value(.string) ?? "", on: value(.date) ?? .distantPast)
      }
      price = random.next() % 3 == 0 ? nil : value(.decimal)
      marks = random.next() % 2 == 0 ? [:] : ["a": value(.date) ?? .distantPast]
      counts = random.next() % 2 == 0 ? [:] : [.distantPast: value(.int64) ?? 0]
    }

    /// One with a date in its dictionary.
    static var marked: Thing {
      var random = SeededGenerator(seed: 0)
      var thing = Thing(using: &random)
      thing.marks = ["x": .distantPast]
      return thing
    }
  }

  private struct ThingDatabase: DatabaseType {
    var things = EntityTable<Thing>()
    static let schema = DatabaseSchema<ThingDatabase> { Entities(\.things) }
  }

  private struct ThingState: StateType {
    var db = ThingDatabase()
  }

  /// Makes a store by two commits.
  private static func store(
    at path: String,
    _ first: (inout EntityTable<Thing>) -> Void,
    then second: (inout EntityTable<Thing>) -> Void = { _ in }
  ) async throws {
    let persistence = try await Persistence.open(
      at: path,
      initialState: ThingState(),
      database: \.db
    )
    let store = Store<ThingState, Never>(persistence)
    store.commit { first(&$0.db.things) }
    store.commit { second(&$0.db.things) }
    try await persistence.close()
  }

  /// The same values, with the members of objects in the order of their names: another layout may have another one.
  private static func sorted(_ fields: [String: RecordValue]) -> [String: RecordValue] {
    func sorted(_ value: RecordValue) -> RecordValue {
      switch value {
      case .array(let elements): .array(.init(elements.map(sorted)))
      case .object(let members):
        .object(
          .init(
            members.map { .init($0.name, sorted($0.value)) }.sorted { $0.name < $1.name }
          )
        )
      default: value
      }
    }
    return fields.mapValues(sorted)
  }

  @Test(arguments: [StoreExport.Form.ndjson, .csv], [1, 2, 3, 7, 20, 40, 65, 1_000])
  func `entities of a type come back from a text as they were`(
    form: StoreExport.Form,
    most: Int
  ) async throws {
    var random = SeededGenerator(seed: randomSeed())
    print("typed round trips of \(most): \(random)")
    let count = min(loopCount("STRATA_VALUES", 1_000), most)
    let things = (0..<count).map { _ in Thing(using: &random) }
    let sample = try FormSample()
    let path = sample.directory.path("things.strata")
    try await Self.store(at: path) { $0.insert(contentsOf: things) }
    let before = try sample.fields(of: path)
    let bytes = try sample.bytes(of: path)
    let (file, _, notes) = try sample.export(form, of: path)
    let counts = try sample.load(file, into: path)
    #expect(counts.unchanged == things.count, "\(counts) \(random)")
    #expect(try sample.bytes(of: path) == bytes)
    let untold = [
      (things.contains { !$0.counts.isEmpty }, "things.counts"),
      (things.contains { !$0.marks.isEmpty }, "things.marks"),
    ]
    #expect(notes.map { String($0.prefix { $0 != ":" }) } == untold.filter(\.0).map(\.1))

    // Without its entities, a store knows their kinds still, but for those in dictionaries; one dictionary says them.
    for (kept, unknown) in [(nil, ["marks", "counts"]), (Thing.marked, ["counts"])] {
      let emptied = sample.directory.path("\(unknown.count).strata")
      try await Self.store(at: emptied) {
        $0.insert(contentsOf: things)
      } then: {
        $0.removeAll()
        if let kept { $0.insert(kept) }
      }
      #expect(try sample.load(file, into: emptied).inserted == things.count)
      let after = try sample.fields(of: emptied)
      for (id, fields) in before {
        var (fields, others) = (fields, after[id])
        for name in unknown {
          fields[name] = nil
          others?[name] = nil
        }
        let areSame = others.map(Self.sorted) == Self.sorted(fields)
        #expect(areSame, "\(EncodedID.text(of: id[...])) \(random)")
      }
    }
  }

  @Test(arguments: [StoreExport.Form.ndjson, .csv])
  func `values that JSON tells come back in a new store`(form: StoreExport.Form) throws {
    var random = SeededGenerator(seed: randomSeed())
    print("new stores: \(random)")
    let told: [Scalar] = [.bool, .int64, .double, .string]
    let records = (1...loopCount("STRATA_VALUES", 1_000)).map { number -> Members in
      var members: Members = [.init("id", .int(Int64(number), .bits64))]
      for scalar in told where random.next() % 8 != 0 {
        var value = RecordValue.random(scalar, using: &random)
        if case .double(let number) = value, !number.isFinite { value = .double(0.5) }
        // A text that is written as a number is one in the CSV of a table that is new.
        if case .string(let text) = value { value = .string("x" + text) }
        members.append(.init("\(scalar)", value))
      }
      return members
    }
    let sample = try FormSample()
    let path = try sample.store("all.strata", records)
    let (file, _, notes) = try sample.export(form, of: path)
    #expect(notes == [])
    let new = sample.directory.path("new.strata")
    try sample.load(file, into: new, ifMissing: .create)
    #expect(try sample.fields(of: new) == sample.fields(of: path), "\(random)")
  }

  @Test func `SQLite holds the values, or the export says what it rounds`() throws {
    var random = SeededGenerator(seed: randomSeed())
    print("SQLite files: \(random)")
    let records = (0..<loopCount("STRATA_VALUES", 1_000)).map {
      record($0, isWhole: $0 == 0, using: &random)
    }
    let sample = try FormSample()
    let path = try sample.store("all.strata", records)
    let file = sample.directory.path("plain.sqlite")
    let counts = try StoreExport(path: path, at: .head(back: 0)).write(toDatabase: file)
    let stored = try sample.fields(of: path)
    let connection = try Connection(path: file, mode: .readOnly)
    var rounded: [String: Int] = [:]
    for scalar in Scalar.allCases {
      let rows = try connection.all("SELECT id, \"f \(scalar)\" FROM things") {
        row throws(SQLiteError) in (try row.int(0), try row.value(1))
      }
      for (id, shown) in rows {
        let value = stored[EncodedID.bytes(of: .int(id, .bits64))]?["f \(scalar)"]
        guard let value else {
          #expect(shown == .null)
          continue
        }
        if scalar.stored(RecordValue(shown)) != value { rounded["f \(scalar)", default: 0] += 1 }
      }
    }
    try connection.close()
    for (field, count) in rounded {
      let note = counts.notes.first { $0.hasPrefix("things.\(field): ") }
      #expect(note?.contains("SQLite holds \(count) value") == true, "\(field) \(counts.notes)")
    }
    #expect(counts.notes.count == rounded.count, "\(counts.notes)")
  }

  @Test func `a script that moves values into texts loses no digit`() async throws {
    var random = SeededGenerator(seed: randomSeed())
    print("moved values: \(random)")
    let kinds: [Scalar] = [.decimal, .double, .float, .date, .uint64]
    let records = (1...loopCount("STRATA_VALUES", 1_000)).map { number -> Members in
      [.init("id", .int(Int64(number), .bits64))]
        + kinds.map { .init("\($0)", .random($0, using: &random)) }
    }
    let sample = try FormSample()
    let path = try sample.store("all.strata", records)
    let columns = kinds.map { "\"\($0)\"" }.joined(separator: ", ")
    let script = """
      CREATE TABLE texts(id INTEGER, \(kinds.map { "\"\($0)\" TEXT" }.joined(separator: ", ")));
      INSERT INTO texts(id, \(columns)) SELECT id, \(columns) FROM things;
      """
    try await DataMigrator([try DataMigration("0001_texts", sql: script)], at: path).up()
    let moved = try Inspector(path: path).show(table: "texts")
    #expect(moved.count == records.count)
    for entity in moved {
      let number = Int(entity.id?.integer ?? 0)
      for scalar in kinds {
        let value = records[number - 1].first { $0.name == "\(scalar)" }?.value
        guard let text = entity.value["\(scalar)"]?.text else {
          // SQL has no NaN.
          let isNaN = value.flatMap { ScalarText.text(of: $0) }?.hasPrefix("NaN") ?? false
          #expect(isNaN, "\(number) \(scalar) \(String(describing: value)) \(random)")
          continue
        }
        let isSame = Self.read(text, as: scalar) == value
        #expect(isSame, "\(number) \(scalar) \(text) \(random)")
      }
    }
  }

  /// A text as SQLite and ``ScalarText`` write it.
  private static func read(_ text: String, as scalar: Scalar) -> RecordValue? {
    switch text {
    case "Inf": scalar.stored(.double(.infinity))
    case "-Inf": scalar.stored(.double(-.infinity))
    default: ScalarText.value(text, as: scalar)
    }
  }
}
