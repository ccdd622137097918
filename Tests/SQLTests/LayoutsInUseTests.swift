import Foundation
import ProductSupport
import Strata
import StrataInspection
import StrataJournal
import StrataMigrating
import StrataMigrations
import StrataRecords
import StrataSQL
import TestSupport
import Testing

/// The layout of a table that further records are written with: the one of the records that are there.
struct LayoutsInUseTests {
  let directory: TemporaryDirectory
  let path: String

  init() async throws {
    directory = try TemporaryDirectory()
    path = directory.path("app.strata")
    let file = directory.path("people.ndjson")
    try Data(#"{"id":1,"name":"Ada","age":36}"#.utf8).write(to: URL(fileURLWithPath: file))
    _ = try EntityImport(of: file, into: "people", of: path, ifMissing: .create).run(.write)
  }

  private var fields: [String] {
    get throws {
      let people = try Inspector(path: path).tables().first { $0.name == "people" }
      return people?.fields.map { "\($0.name) \($0.kind)" } ?? []
    }
  }

  /// Imports a person, and returns the kind in which the age is stored.
  private func importPerson(_ json: String) throws -> RecordValue? {
    let file = directory.path("more.ndjson")
    try Data(json.utf8).write(to: URL(fileURLWithPath: file))
    _ = try EntityImport(of: file, into: "people", of: path).run(.write)
    return try Inspector(path: path).show(table: "people", id: "2").first?.value["age"]
  }

  private static func rebuild(_ type: String) -> String {
    """
    CREATE TABLE other(id INTEGER PRIMARY KEY, name TEXT, age \(type));
    INSERT INTO other SELECT id, name, age FROM people;
    DROP TABLE people;
    ALTER TABLE other RENAME TO people;
    """
  }

  @Test func `a rebuild with another type that is taken back leaves the kinds of before`()
    async throws
  {
    let before = try fields
    let migration = try DataMigration(
      "0001_text",
      sql: Self.rebuild("TEXT"),
      down: Self.rebuild("INTEGER")
    )
    let migrator = DataMigrator([migration], at: path)
    for _ in 0..<2 {
      try await migrator.up()
      #expect(try fields == ["id int64", "name string", "age string"])
      try await migrator.down(to: 0)
      #expect(try fields == before)
    }
    #expect(try importPerson(#"{"id":2,"name":"Bob","age":7}"#) == .int(7, .bits64))
    #expect(try fields == before)
  }

  @Test func `a column that gets its former name again is written under it`() async throws {
    let before = try fields
    let migration = try DataMigration(
      "0001_years",
      sql: "ALTER TABLE people RENAME COLUMN age TO years",
      down: "ALTER TABLE people RENAME COLUMN years TO age"
    )
    let migrator = DataMigrator([migration], at: path)
    try await migrator.up()
    #expect(try fields == ["id int64", "name string", "years int64"])
    try await migrator.down(to: 0)
    #expect(try fields == before)
  }

  @Test func `a revert leaves the kinds that the records of then have`() async throws {
    let before = try fields
    let migration = try DataMigration("0001_text", sql: Self.rebuild("TEXT"))
    let migrator = DataMigrator([migration], at: path)
    try await migrator.up()
    try await migrator.revert(to: 0)
    #expect(try fields == before)
    #expect(try importPerson(#"{"id":2,"name":"Bob","age":7}"#) == .int(7, .bits64))
    #expect(try fields == before)
  }
}
