import Foundation
import Strata
import StrataInspection
import StrataJournal
import StrataMaintaining
import StrataMigrating
import StrataMigrations
import StrataRecords
import StrataSQL
import StrataSQLite
import StrataScripts
import TestSupport
import Testing

/// History and blame, in SQL and by ID, of records that scripts have given other IDs and tables.
@Suite struct MovedHistoryTests {
  let sample: Sample

  init() async throws {
    sample = try Sample()
    var random = SeededGenerator(seed: 1)
    let people = (1...3).map { Person.random($0, using: &random) }
    try await sample.write { store, _ in
      store.commit("add") { state in for person in people { state.db.people.insert(person) } }
      try store.commit("rename") { state in try state.db.people.update(.init(1)) { $0.name = "One" }
      }
    }
  }

  private func up(_ scripts: String...) async throws {
    let migrations = try scripts.enumerated().map { number, script in
      try DataMigration("\(number + 1)_script", sql: script)
    }
    var migrator = DataMigrator(migrations, at: sample.path)
    migrator.configuration.findings = .report
    migrator.configuration.backups = .none
    _ = try await migrator.up()
  }

  private func operations(_ table: String, _ id: String) throws -> [String] {
    try Inspector(path: sample.path).history(table: table, id: id).versions.map {
      "\($0.operation.rawValue)@\($0.commit.revision)"
    }
  }

  private func rows(_ table: String, _ id: String) throws -> [[Value]] {
    try sample.rows("SELECT op, revision, former FROM \(table)_history WHERE id = \(id)")
  }

  private static func row(_ operation: String, _ revision: Int64, _ former: String?) -> [Value] {
    [.text(operation), .integer(revision), former.map { .text($0) } ?? .null]
  }

  @Test func `a record is followed through another ID and another name of its table`() async throws
  {
    try await up(
      "UPDATE people SET id = id + 100",
      "ALTER TABLE people RENAME TO persons",
      "UPDATE persons SET age = 50 WHERE id = 101"
    )
    #expect(
      try operations("persons", "101")
        == ["inserted@1", "updated@2", "moved@3", "moved@4", "updated@5"]
    )
    #expect(
      try rows("persons", "101") == [
        Self.row("put", 1, "people 1"), Self.row("put", 2, "people 1"),
        Self.row("move", 3, "people 101"), Self.row("move", 4, nil), Self.row("put", 5, nil),
      ]
    )
    #expect(
      try sample.rows("SELECT op, count(*) FROM persons_history GROUP BY op ORDER BY op")
        == [[.text("move"), .integer(6)], [.text("put"), .integer(5)]]
    )
    let blame = "SELECT field, revision FROM persons_blame WHERE field IN ('name', 'age', 'city')"
    let one = [("age", 5), ("city", 1), ("name", 2)].map { name, revision in
      [Value.text(name), .integer(Int64(revision))]
    }
    #expect(try sample.rows("\(blame) AND id = 101 ORDER BY field") == one)
    #expect(
      try sample.rows("\(blame) ORDER BY id, field").filter { $0[0] == .text("name") }.map { $0[1] }
        == [.integer(2), .integer(1), .integer(1)]
    )
  }

  @Test func `a version is listed once after an ID went away and came back`() async throws {
    try await up("UPDATE people SET id = 9 WHERE id = 1", "UPDATE people SET id = 1 WHERE id = 9")
    #expect(try operations("people", "1") == ["inserted@1", "updated@2", "moved@3", "moved@4"])
    #expect(
      try rows("people", "1") == [
        Self.row("put", 1, nil), Self.row("put", 2, nil), Self.row("move", 3, "people 9"),
        Self.row("move", 4, nil),
      ]
    )
  }

  @Test func `records that have changed places keep their own histories`() async throws {
    try await up(
      "UPDATE people SET id = -1 WHERE id = 1; UPDATE people SET id = 1 WHERE id = 2; "
        + "UPDATE people SET id = 2 WHERE id = -1"
    )
    #expect(try operations("people", "2") == ["inserted@1", "updated@2", "moved@3"])
    #expect(try operations("people", "1") == ["inserted@1", "moved@3"])
    #expect(
      try rows("people", "2") == [
        Self.row("put", 1, "people 1"), Self.row("put", 2, "people 1"), Self.row("move", 3, nil),
      ]
    )
  }

  @Test func `records that are alike are told apart by what the script did`() async throws {
    try await up(
      "UPDATE people SET name = 'Same', age = 1, city = NULL, score = NULL, active = 1, tags = '[]', joined = '2026-02-03'",
      "UPDATE people SET id = id + 10 WHERE id < 3"
    )
    #expect(try operations("people", "11") == ["inserted@1", "updated@2", "updated@3", "moved@4"])
    #expect(try operations("people", "12") == ["inserted@1", "updated@3", "moved@4"])
  }

  @Test func `a revert to before a change of IDs brings the history back`() async throws {
    try await up("UPDATE people SET id = id + 100")
    var migrator = DataMigrator(
      [try DataMigration("1_script", sql: "UPDATE people SET id = id + 100")],
      at: sample.path
    )
    migrator.configuration.backups = .none
    _ = try await migrator.revert(to: 2)
    #expect(try operations("people", "1") == ["inserted@1", "updated@2", "moved@3", "moved@4"])
  }
}
