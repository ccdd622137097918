import Foundation
import Strata
import StrataInspection
import StrataMigrations
import StrataSQL
import StrataSQLite
import TestSupport

struct Person: EntityType {
  typealias RawID = Int
  static let tableName: TableName = "people"
  let id: EntityID<Person>
  var name: String
  var age: Int
  var city: String?
  var score: Double?
  var active: Bool
  var joined: Date
  var tags: [String]
}

struct Document: EntityType {
  static let tableName: TableName = "documents"
  let id: EntityID<Document>
  var title: String
  var owner: Person.ID
  var size: UInt64
  var body: Data
  var price: Decimal
  var link: URL?
  var ratio: Float
  var details: Details?

  struct Details: Codable, Equatable, Sendable {
    // Sorted, because SQL shows the members of a nested value as they are stored.
    var language: String
    var pages: Int
  }
}

struct Device: EntityType {
  typealias RawID = UUID
  static let tableName: TableName = "Order"
  let id: EntityID<Device>
  var owner: Person.ID
  /// Columns of SQL are compared without case.
  var Owner: String
  var rowid: Int
}

struct SampleDatabase: DatabaseType {
  var people = EntityTable<Person>()
  var documents = EntityTable<Document>()
  var devices = EntityTable<Device>()

  static let schema = DatabaseSchema<SampleDatabase> {
    Entities(\.people)
    Entities(\.documents)
    Entities(\.devices)
  }
}

struct SampleState: StateType {
  var db = SampleDatabase()
}

typealias SampleStore = Store<SampleState, Never>

extension Person {
  static func random(_ id: Int, using random: inout SeededGenerator) -> Person {
    Person(
      id: EntityID(id),
      name: ["Ada", "ada", "Grace", "Émile", "E\u{301}mile", "林", "", "12"].randomElement(
        using: &random
      ) ?? "",
      age: Int.random(in: 0...90, using: &random),
      city: [nil, "Zürich", "Oslo", "Rome", "12"].randomElement(using: &random) ?? nil,
      score: [nil, 0.5, -0.0, .nan, .infinity, 12, 1e300].randomElement(using: &random) ?? nil,
      active: Bool.random(using: &random),
      joined: Date(
        timeIntervalSinceReferenceDate: Double(Int.random(in: 0...9_000, using: &random)) * 1e5 / 3
      ),
      tags: (0..<Int.random(in: 0...3, using: &random)).map { "tag \($0)" }
    )
  }
}

extension Document {
  static func random(_ id: Int, people: Int, using random: inout SeededGenerator) -> Document {
    Document(
      id: EntityID("doc-\(id)"),
      title: "Title \(Int.random(in: 0...20, using: &random))",
      owner: EntityID(Int.random(in: -people...people, using: &random)),
      size: [0, 1, 12, UInt64(Int64.max), UInt64.max].randomElement(using: &random) ?? 0,
      body: Data((0..<Int.random(in: 0...9, using: &random)).map { UInt8($0 * 31 & 0xFF) }),
      price: Decimal(Int.random(in: -999...9_999, using: &random)) / 100,
      link: Bool.random(using: &random) ? URL(string: "https://example.com/\(id)") : nil,
      ratio: Float(Int.random(in: 0...10, using: &random)) / 10,
      details: Bool.random(using: &random)
        ? Details(language: "de", pages: id) : nil
    )
  }
}

/// A store that tests query.
struct Sample {
  let directory: TemporaryDirectory
  let path: String

  init() throws {
    directory = try TemporaryDirectory()
    path = directory.path("app.strata")
  }

  /// 2026-02-02 02:40:00 UTC, the time of every commit.
  static let now = Date(timeIntervalSince1970: 1_770_000_000)

  /// Opens the store, runs a closure, and closes it.
  func write(
    initial: SampleState = SampleState(),
    snapshots: SnapshotPolicy = SnapshotPolicy(),
    _ body: (SampleStore, Persistence<SampleState, SampleDatabase>) async throws -> Void
  ) async throws {
    let persistence = try await Persistence.open(
      at: path,
      initialState: initial,
      database: \.db,
      configuration: PersistenceConfiguration(snapshots: snapshots, now: { Self.now }),
      with: [.migrations([])]
    )
    let store = SampleStore(persistence)
    try await body(store, persistence)
    try await persistence.flush()
    try await persistence.close()
  }

  /// The rows of a query, each as the values of its columns.
  func rows(
    _ sql: String,
    _ reading: StoreQuery.Reading = .automatic,
    at: String? = nil
  ) throws -> [[Value]] {
    try result(sql, reading, at: at).rows()
  }

  func result(
    _ sql: String,
    _ reading: StoreQuery.Reading = .automatic,
    at: String? = nil
  ) throws -> QueryResult {
    var query = StoreQuery(path: path, now: Self.now)
    query.reading = reading
    if let at { query.at = try RevisionExpression(at, now: Self.now) }
    return try query.run(sql)
  }
}

extension QueryResult {
  func rows() throws -> [[Value]] {
    var rows: [[Value]] = []
    try forEach { rows.append($0) }
    return rows
  }
}

/// The error of a query.
func queryError<R>(_ body: () throws -> R) throws -> QueryError? {
  do {
    _ = try body()
    return nil
  } catch let error as QueryError {
    return error
  }
}
