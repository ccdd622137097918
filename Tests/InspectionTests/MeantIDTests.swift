import Foundation
import Strata
import StrataInspection
import StrataJournal
import StrataMaintaining
import StrataRecords
import TestSupport
import Testing

/// What is printed for an ID is accepted for it, whatever its raw value is.
struct MeantIDTests {
  private static let seed = randomSeed()
  private static let count = loopCount("STRATA_IDS", 72)

  let directory: TemporaryDirectory
  let path: String

  init() throws {
    directory = try TemporaryDirectory()
    path = directory.path("app.strata")
  }

  struct Keyed<Raw: RandomID>: EntityType {
    typealias RawID = Raw
    static var tableName: TableName { TableName(stringLiteral: Raw.table) }
    let id: EntityID<Keyed<Raw>>
    var seen: [EntityID<Keyed<Raw>>: Int] = [:]
  }

  protocol RandomID: Hashable, Codable, Sendable {
    static var table: String { get }
    static func random(using random: inout SeededGenerator) -> Self
  }

  struct Point: RandomID {
    static let table = "points"
    let x: Int
    let label: String
    let day: Date

    static func random(using random: inout SeededGenerator) -> Point {
      Point(
        x: .random(using: &random),
        label: .random(using: &random),
        day: .random(using: &random)
      )
    }
  }

  enum Place: RandomID {
    static let table = "places"
    case home
    case shelf(Int, room: String)

    static func random(using random: inout SeededGenerator) -> Place {
      Int.random(in: 0..<5, using: &random) == 0
        ? .home : .shelf(.random(using: &random), room: .random(using: &random))
    }
  }

  struct Database: DatabaseType {
    var texts = EntityTable<Keyed<String>>()
    var numbers = EntityTable<Keyed<Int>>()
    var large = EntityTable<Keyed<UInt64>>()
    var doubles = EntityTable<Keyed<Double>>()
    var floats = EntityTable<Keyed<Float>>()
    var bools = EntityTable<Keyed<Bool>>()
    var dates = EntityTable<Keyed<Date>>()
    var data = EntityTable<Keyed<Data>>()
    var decimals = EntityTable<Keyed<Decimal>>()
    var links = EntityTable<Keyed<URL>>()
    var marks = EntityTable<Keyed<UUID>>()
    var points = EntityTable<Keyed<Point>>()
    var places = EntityTable<Keyed<Place>>()
    var lists = EntityTable<Keyed<[String]>>()

    static let schema = DatabaseSchema<Database> {
      Entities(\.texts)
      Entities(\.numbers)
      Entities(\.large)
      Entities(\.doubles)
      Entities(\.floats)
      Entities(\.bools)
      Entities(\.dates)
      Entities(\.data)
      Entities(\.decimals)
      Entities(\.links)
      Entities(\.marks)
      Entities(\.points)
      Entities(\.places)
      Entities(\.lists)
    }
  }

  struct State: StateType {
    var db = Database()
  }

  private func write() async throws {
    let persistence = try await Persistence.open(
      at: path,
      initialState: State(),
      database: \.db
    )
    let store = Store<State, Never>(persistence)
    var random = SeededGenerator(seed: Self.seed)
    store.commit { state in
      func fill<Raw>(_ table: inout EntityTable<Keyed<Raw>>) {
        for _ in 0..<Self.count {
          let first = table.first { _ in true }?.id
          let seen = first.map { [$0: 1] } ?? [:]
          table.insert(Keyed(id: .init(.random(using: &random)), seen: seen))
        }
      }
      fill(&state.db.texts)
      fill(&state.db.numbers)
      fill(&state.db.large)
      fill(&state.db.doubles)
      fill(&state.db.floats)
      fill(&state.db.bools)
      fill(&state.db.dates)
      fill(&state.db.data)
      fill(&state.db.decimals)
      fill(&state.db.links)
      fill(&state.db.marks)
      fill(&state.db.points)
      fill(&state.db.places)
      fill(&state.db.lists)
    }
    try await persistence.close()
  }

  @Test func `an ID is found by each text that is printed for it`() async throws {
    try await write()
    let inspector = try Inspector(path: path)
    var number = 0
    for table in try inspector.tables().map(\.name) {
      let ids = try inspector.show(table: table).compactMap(\.id)
      #expect(!ids.isEmpty)
      for id in ids {
        let comment: Comment = "\(table) \(id) seed \(Self.seed)"
        let plain = [
          EncodedID.text(of: id), try EncodedID.exactText(of: EncodedID.bytes(of: id)[...]),
        ].filter { text in
          // It is the text of another ID.
          !ids.contains { other in
            let others = [EncodedID.text(of: other), other.lineText, other.json()]
            return other != id && others.contains(text)
          }
        }
        for text in plain + [id.lineText, id.json()] {
          number += 1
          #expect(try Self.finds(id, by: text, in: table, inspector, question: number), comment)
        }
      }
    }
  }

  /// Whether a text leads to an ID; each question is asked in its turn.
  private static func finds(
    _ id: RecordValue,
    by text: String,
    in table: String,
    _ inspector: Inspector,
    question: Int
  ) throws -> Bool {
    switch question % 5 {
    case 0: try inspector.show(table: table, id: text).map(\.id) == [id]
    case 1: try inspector.history(table: table, id: text).versions.count == 1
    case 2: try !inspector.blame(table: table, id: text).entities.isEmpty
    case 3:
      try inspector.diff(RevisionSpan("0..1", now: Date()), table: table, id: text)
        .tables.map(\.added) == [1]
    default: try inspector.log(.of(table, text)).deltas.count == 1
    }
  }

  @Test func `an entity that others refer to, also as a key, is found and not erased`() async throws
  {
    try await write()
    let inspector = try Inspector(path: path)
    for table in try inspector.tables().map(\.name) {
      var referred: [[UInt8]] = []
      let entities = try inspector.show(table: table)
      let known = Set(entities.map { EncodedID.bytes(of: $0.id ?? .null) })
      for entity in entities {
        guard case .object(let members) = entity.value,
          let seen = members.first(where: { $0.name == "seen" })?.value
        else { continue }
        let place = Layout.Reference(path: [.field("seen"), .key], table: table)
        let keys = place.encodedIDs(in: seen, behind: 1)
        let own = EncodedID.bytes(of: entity.id ?? .null)
        referred += keys.filter { $0 != own && known.contains($0) }
      }
      // A table may have one entity only.
      guard let id = referred.first else { continue }
      let text = try EncodedID.exactText(of: id[...])
      let found = try inspector.references(table: table, id: text)
      #expect(!found.incoming.isEmpty, "\(table) \(text) seed \(Self.seed)")
      #expect(throws: PersistenceError.self, "\(table) \(text) seed \(Self.seed)") {
        try StoreErasure.run(
          at: path,
          ErasedEntities([.init(table: table, meantBy: text)]),
          .refuse
        )
      }
    }
  }

  @Test func `an entity is erased by the text that is printed for its ID`() async throws {
    try await write()
    let tables = try Inspector(path: path).tables().map(\.name)
    for table in tables {
      let entity = try #require(try Inspector(path: path).show(table: table).first)
      let text = try #require(entity.id).lineText
      let report = try StoreErasure.run(
        at: path,
        ErasedEntities([.init(table: table, meantBy: text)]),
        .leave
      )
      #expect(report.entities == [table: 1], "\(table) \(text) seed \(Self.seed)")
      let left = try Inspector(path: path).show(table: table).map(\.id)
      #expect(!left.contains(entity.id), "\(table) \(text) seed \(Self.seed)")
    }
  }

  @Test func `a text may mean a number, a UUID or itself`() throws {
    #expect(
      try EncodedID.candidates(for: "42") == [EncodedID.bytes(of: 42), EncodedID.bytes(of: "42")]
    )
    #expect(
      try EncodedID.candidates(for: "\(UInt64.max)")
        == [EncodedID.bytes(of: UInt64.max), EncodedID.bytes(of: "\(UInt64.max)")]
    )
    let uuid = UUID()
    #expect(
      try EncodedID.candidates(for: uuid.uuidString)
        == [EncodedID.bytes(of: uuid), EncodedID.bytes(of: uuid.uuidString)]
    )
    #expect(try EncodedID.candidates(for: "ann") == [EncodedID.bytes(of: "ann")])
  }
}

extension LogRequest {
  fileprivate static func of(_ table: String, _ id: String) -> LogRequest {
    var request = LogRequest(.last(100))
    request.filter = LogFilter(table: table, id: id)
    return request
  }
}

extension Int: MeantIDTests.RandomID {
  static let table = "numbers"
  static func random(using random: inout SeededGenerator) -> Int {
    [Int.min, -5, 0, 5, .max].randomElement(using: &random) ?? 0
  }
}

extension UInt64: MeantIDTests.RandomID {
  static let table = "large"
  static func random(using random: inout SeededGenerator) -> UInt64 {
    Bool.random(using: &random) ? UInt64(Int64.max) + 1 : .random(in: 0...9, using: &random)
  }
}

extension String: MeantIDTests.RandomID {
  static let table = "texts"
  static func random(using random: inout SeededGenerator) -> String {
    let words = [
      "", "null", "5", "-5", "--help", "a b", "\"5\"", "int:5", "text:5", "é", "a\nb", "a\\nb",
      "\u{202E}x", "\\u202ex", "2026-02-03", "{\"a\":1}", "a/b", "'", "🇩🇪", "\"\u{301}", "\"\"",
      "\"a\\nb\"", "\"\\u202ex\"", "\"\\\"5\\\"\"", "\"null\"",
    ]
    return words.randomElement(using: &random) ?? ""
  }
}

extension Double: MeantIDTests.RandomID {
  static let table = "doubles"
  static func random(using random: inout SeededGenerator) -> Double {
    [-0.5, 0, 5, 1e300, 0.1, .infinity, .leastNonzeroMagnitude].randomElement(using: &random) ?? 0
  }
}

extension Float: MeantIDTests.RandomID {
  static let table = "floats"
  static func random(using random: inout SeededGenerator) -> Float {
    [-0.5, 0, 5, 0.1, .infinity].randomElement(using: &random) ?? 0
  }
}

extension Bool: MeantIDTests.RandomID {
  static let table = "bools"
  static func random(using random: inout SeededGenerator) -> Bool {
    random.next() % 2 == 0
  }
}

extension Date: MeantIDTests.RandomID {
  static let table = "dates"
  static func random(using random: inout SeededGenerator) -> Date {
    let seconds = [0, 0.25, -1e9, 791_791_446.123456, 3e11]
    return Date(timeIntervalSinceReferenceDate: seconds.randomElement(using: &random) ?? 0)
  }
}

extension Data: MeantIDTests.RandomID {
  static let table = "data"
  static func random(using random: inout SeededGenerator) -> Data {
    Data(
      (0..<Int.random(in: 0...4, using: &random)).map { _ in
        UInt8.random(in: 0...255, using: &random)
      }
    )
  }
}

extension Decimal: MeantIDTests.RandomID {
  static let table = "decimals"
  static func random(using random: inout SeededGenerator) -> Decimal {
    [Decimal(5), Decimal(1) / 3, Decimal(-12)].randomElement(using: &random) ?? 0
  }
}

extension URL: MeantIDTests.RandomID {
  static let table = "links"
  static func random(using random: inout SeededGenerator) -> URL {
    URL(filePath: ["/a", "/a b", "/ü"].randomElement(using: &random) ?? "/")
  }
}

extension UUID: MeantIDTests.RandomID {
  static let table = "marks"
  static func random(using random: inout SeededGenerator) -> UUID { random.uuid() }
}

extension [String]: MeantIDTests.RandomID {
  static let table = "lists"
  static func random(using random: inout SeededGenerator) -> [String] {
    (0..<Int.random(in: 0...2, using: &random)).map { _ in .random(using: &random) }
  }
}
