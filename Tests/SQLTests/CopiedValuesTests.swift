import Foundation
import Strata
import StrataMigrations
import StrataSQL
import StrataSQLite
import StrataSchema
import StrataScripts
import TestSupport
import Testing

/// The ledger says from which fields a script has made the values of others.
@Suite struct CopiedValuesTests {
  struct Copy: Sendable, CustomTestStringConvertible {
    /// The field that the values come from, and the SQL that takes them from it.
    let source: String
    let value: String
    /// The column that gets them; one that has a kind is new.
    let target: String
    var kind: String?
    var table = "people"
    /// A value of the column that no other field has.
    let other: String

    var testDescription: String { "\(target) = \(value)" }

    /// What comes before the assignment.
    var start: String {
      let added = kind.map { "ALTER TABLE \(table) ADD COLUMN \(target) \($0); " } ?? ""
      return "\(added)UPDATE \(table) SET"
    }
  }

  static let copies = [
    Copy(source: "city", value: "city", target: "name", other: "'made ' || id"),
    Copy(source: "name", value: "name", target: "city", other: "upper(name) || id"),
    Copy(source: "name", value: "name", target: "nick", kind: "TEXT", other: "NULL"),
    Copy(source: "tags", value: "json_extract(tags, '$[1]')", target: "name", other: "'-'"),
    Copy(source: "score", value: "score", target: "ratio", kind: "REAL", other: "id + 0.25"),
    Copy(
      source: "joined",
      value: "joined",
      target: "left",
      kind: "TIMESTAMP",
      other: "'2031-01-01 00:00:00.000'"
    ),
    Copy(
      source: "city",
      value: "json_object('in', json_array(city))",
      target: "places",
      kind: "JSON",
      other: "json_array(id)"
    ),
    Copy(
      source: "body",
      value: "body",
      target: "copy",
      kind: "BLOB",
      table: "documents",
      other: "CAST('made ' || id AS BLOB)"
    ),
    Copy(
      source: "price",
      value: "price",
      target: "cost",
      kind: "DECIMAL",
      table: "documents",
      other: "'900.5'"
    ),
    Copy(
      source: "details.language",
      value: "json_extract(details, '$.language')",
      target: "title",
      table: "documents",
      other: "'made ' || id"
    ),
    Copy(source: "age", value: "age", target: "years", kind: "INTEGER", other: "-7"),
  ]

  private let sample: Sample

  init() async throws {
    sample = try Sample()
    try await sample.write { store, _ in
      store.commit("add") { state in
        for id in 1...12 {
          state.db.people.insert(
            Person(
              id: EntityID(id),
              name: "person \(id)",
              age: id,
              city: "city \(id)",
              score: Double(id) / 7,
              active: true,
              joined: Date(timeIntervalSinceReferenceDate: Double(id) * 1e6),
              tags: ["a", "tag \(id)"]
            )
          )
          state.db.documents.insert(
            Document(
              id: EntityID("\(id)"),
              title: "title \(id)",
              owner: EntityID(id),
              size: UInt64(id) * 1_000,
              body: Data([200, 0, UInt8(id)]),
              price: Decimal(id) + Decimal(25) / 100,
              link: nil,
              ratio: 0.5,
              details: Document.Details(language: "language \(id)", pages: id)
            )
          )
        }
      }
    }
  }

  /// The fields that a script has made of others, as the ledger names them.
  private func renames(by script: String) async throws -> [[String?]] {
    var migrator = DataMigrator([try DataMigration("1_script", sql: script)], at: sample.path)
    migrator.configuration.findings = .report
    migrator.configuration.backups = .none
    _ = try await migrator.up()
    let connection = try Connection(path: sample.path, mode: .readOnly)
    return try DataLedger.entries(on: connection).flatMap(\.renames)
      .map { [$0.before.field, $0.after.field] }
  }

  /// The value of one record, and of all, where the others have new ones.
  @Test(arguments: copies, [1, 2, 12, nil] as [Int?])
  func `a field that a value came from is found, whatever the records before it got`(
    _ copy: Copy,
    _ id: Int?
  ) async throws {
    // A number that many fields may have says where it comes from only if all records say so.
    if copy.source == "age", id != nil { return }
    let value = id.map { "CASE WHEN id = '\($0)' THEN \(copy.value) ELSE \(copy.other) END" }
    let found = try await renames(
      by: "\(copy.start) \(copy.target) = \(value ?? copy.value)"
    )
    #expect(found.contains { $0[0] == copy.source && $0[1]?.hasPrefix(copy.target) ?? false })
  }

  @Test(arguments: copies)
  func `values that no field had come from none`(_ copy: Copy) async throws {
    let found = try await renames(by: "\(copy.start) \(copy.target) = \(copy.other)")
    #expect(found == [])
  }

  @Test func `what replaces a value that was dropped may be made of it`() async throws {
    let found = try await renames(
      by: """
        -- strata:allow destructive(people.city)
        ALTER TABLE people ADD COLUMN place TEXT;
        UPDATE people SET place = upper(city) WHERE id = 12;
        ALTER TABLE people DROP COLUMN city;
        """
    )
    #expect(found == [["city", "place"]])
  }
}
