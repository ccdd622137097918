import Foundation
import Strata
import StrataInspection
import StrataJournal
import StrataMaintaining
import StrataMigrating
import StrataMigrations
import StrataRecords
import StrataSQL
import StrataScripts
import TestSupport
import Testing

/// The IDs that SQLite gives, and what scripts may not touch for it.
@Suite struct GivenIDTests {
  let sample: Sample

  init() async throws {
    sample = try Sample()
    var random = SeededGenerator(seed: 1)
    var state = SampleState()
    for id in 1...9 { state.db.people.insert(.random(id, using: &random)) }
    let initial = state
    try await sample.write(initial: initial) { _, _ in }
  }

  private func up(
    _ scripts: [String],
    at path: String? = nil
  ) async throws -> MigrationReport {
    let migrations = try scripts.enumerated().map { number, script in
      try DataMigration("\(number + 1)_script", sql: script)
    }
    var migrator = DataMigrator(migrations, at: path ?? sample.path)
    migrator.configuration.findings = .report
    migrator.configuration.backups = .none
    return try await migrator.up()
  }

  private func ids(of table: String) throws -> [RecordValue] {
    try Inspector(path: sample.path).show(table: table).compactMap(\.id)
  }

  private static let insert = """
    INSERT INTO people(name, age, active, joined, tags) VALUES ('New', 1, 1, '2026-02-03', '[]')
    """

  @Test func `an ID that SQLite gives is above one that was removed in a commit`() async throws {
    try await sample.write { store, _ in
      store.commit { state in
        for id in 5...9 { state.db.people.remove(Person.ID(id)) }
      }
    }
    _ = try await up([Self.insert])
    #expect(try ids(of: "people").last == .int(10, .bits64))
  }

  @Test func `an ID that SQLite gives is above one that a script of the run has removed`()
    async throws
  {
    _ = try await up([
      "DELETE FROM people WHERE id > 4", Self.insert, "DELETE FROM people WHERE id = 10",
      Self.insert,
    ])
    #expect(try ids(of: "people").last == .int(11, .bits64))
  }

  @Test func `an ID that SQLite gives is above one that the table had under another name`()
    async throws
  {
    try await sample.write { store, _ in
      store.commit { state in
        for id in [9] { state.db.people.remove(Person.ID(id)) }
      }
    }
    let rename = "ALTER TABLE people RENAME TO persons"
    _ = try await up([rename])
    _ = try await up([rename, Self.insert.replacing("people", with: "persons")])
    #expect(try ids(of: "persons").last == .int(10, .bits64))
  }

  private static let new = "INSERT INTO people(name) VALUES ('New')"
  private static let created = "CREATE TABLE people(id INTEGER PRIMARY KEY, name TEXT)"
  private static let rebuilt = """
    CREATE TABLE others(id INTEGER PRIMARY KEY, name TEXT); INSERT INTO others SELECT id, name FROM people;
    DROP TABLE people; ALTER TABLE others RENAME TO people
    """

  @Test(
    arguments: [
      (["DROP TABLE people; \(created)", new], [10]),
      (["DROP TABLE people; \(created); \(new)", new], [1, 10]),
      ([rebuilt, "DELETE FROM people WHERE id > 1", new], [1, 10]),
      (["DELETE FROM people WHERE id > 7; \(rebuilt); \(new)", "DELETE FROM people", new], [10]),
      (["UPDATE people SET id = id + 100", "DELETE FROM people WHERE id > 104", insert], [109]),
      (["ALTER TABLE people RENAME TO some", "ALTER TABLE some RENAME TO people", insert], [10]),
      (
        [
          "CREATE TABLE some(id INTEGER PRIMARY KEY, name TEXT); INSERT INTO some VALUES (50, 'a')",
          "DELETE FROM some",
          """
          ALTER TABLE people RENAME TO x; ALTER TABLE some RENAME TO people;
          ALTER TABLE x RENAME TO some
          """,
          new,
        ], [51]
      ),
    ]
  )
  func `SQLite gives the same ID to a script of a run and to one that runs later`(
    _ scripts: [String],
    _ end: [Int]
  ) async throws {
    try await sample.write { store, _ in store.commit { _ = $0.db.people.remove(9) } }
    let copy = try Sample()
    _ = try StoreBackup.copyBlocking(sample.path, to: copy.path)
    _ = try await up(scripts)
    for count in scripts.indices {
      _ = try await up(Array(scripts[...count]), at: copy.path)
    }
    for path in [sample.path, copy.path] {
      let ids = try Inspector(path: path).show(table: "people").compactMap(\.id)
      #expect(Array(ids.suffix(end.count)) == end.map { .int(Int64($0), .bits64) })
    }
  }

  @Test func `a temporary table under the name of an entity table may be renamed`() async throws {
    let report = try await up([
      """
      CREATE TEMP TABLE people AS SELECT * FROM people;
      ALTER TABLE people RENAME TO copies;
      UPDATE people SET age = age + 1 WHERE id IN (SELECT id FROM copies WHERE id < 3);
      UPDATE people SET id = id + 100 WHERE id = 9
      """
    ])
    #expect(report.steps[0].tables.map(\.updated) == [2])
    #expect(report.steps[0].tables.map(\.idsChanged) == [1])
  }

  @Test(
    arguments: [
      #"SELECT "strata:moved"(0, 1, 2)"#,
      #"CREATE TEMP TRIGGER "strata:moved 0" AFTER DELETE ON people BEGIN SELECT 1; END"#,
    ]
  )
  func `a name of the library is refused, with its line`(_ statement: String) async throws {
    await #expect(throws: PersistenceError.self) {
      do {
        _ = try await up(["UPDATE people SET age = 1;\n\(statement)"])
      } catch {
        #expect("\(error)".contains("line 2: leave \"strata:moved"), "\(error)")
        throw error
      }
    }
  }

  @Test func `an error of a check names its line`() async throws {
    await #expect(throws: PersistenceError.self) {
      do {
        _ = try await up([
          "UPDATE people SET age = 1;\n-- strata:after SELECT count(*) FROM peple\n"
        ])
      } catch {
        #expect("\(error)".contains("line 2: no such table: peple"), "\(error)")
        throw error
      }
    }
  }

  /// IDs of several kinds are in one table only if SQL puts them there.
  @Test func `a text that may be two IDs is refused, with a text for each`() async throws {
    _ = try await up([
      "CREATE TABLE things(id ANY BLOB, n INTEGER); INSERT INTO things VALUES (5, 1), ('5', 2)"
    ])
    let inspector = try Inspector(path: sample.path)
    #expect(try inspector.show(table: "things").count == 2)
    #expect(
      throws: PersistenceError(
        .inspecting,
        path: sample.path,
        .ambiguous("ID 5 of things", ["int:5", "text:5"])
      )
    ) {
      try inspector.show(table: "things", id: "5")
    }
    #expect(try inspector.show(table: "things", id: "int:5").compactMap(\.id) == [.int(5, .bits64)])
    #expect(try inspector.show(table: "things", id: "text:5").compactMap(\.id) == [.string("5")])
    #expect(try inspector.show(table: "things", id: "\"5\"").compactMap(\.id) == [.string("5")])
  }
}
