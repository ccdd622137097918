import Foundation
import Strata
import StrataMigrating
import StrataSQL
import StrataScripts
import TestSupport
import Testing

/// What a folder of scripts is read as, with the habits of other tools.
@Suite struct MigrationFolderTests {
  private func error(_ files: [String: String]) throws -> SQLMigrationError? {
    let directory = try TemporaryDirectory()
    for (name, text) in files {
      try Data(text.utf8).write(to: directory.url.appendingPathComponent(name))
    }
    do throws(SQLMigrationError) {
      _ = try SQLMigrations.read(directory.url.path)
      return nil
    } catch {
      return error
    }
  }

  @Test(
    arguments: [
      ("0002_b.SQL", "0002_b.sql"), ("0002_b.sql.txt", "0002_b.sql"), ("0002_b", "0002_b.sql"),
      ("0002_b.sql~", "0002_b.sql"), ("0002_b.down.SQL", "0002_b.down.sql"),
      ("0002_b.DOWN.sql", "0002_b.down.sql"), ("V0002_b.Sql", "V0002_b.sql"),
      ("0001_a.undo.sql", "0001_a.down.sql"), ("0001_a.rollback.sql", "0001_a.down.sql"),
      ("U0001_a.sql", "0001_a.down.sql"), ("R__seeds.sql", "it has a number"),
      ("20260101120000_b.sql", "1, 2, 3"), ("0002.sql", "0003_split_name.sql"),
      ("0000_b.sql", "from 1 on"), ("0001_b.down.sql", "is named 0001_a.down.sql"),
      ("0001_a.up.sql", "keep one of them"), ("0001_a.swift", "keep one of them"),
    ]
  )
  func `what may be meant as a script is named with its name`(file: String, name: String) throws {
    let found = try error(["0001_a.sql": "SELECT 1", file: "DELETE FROM people"])
    guard case .badName(let path, let detail)? = found else {
      Issue.record("\(file): \(String(describing: found))")
      return
    }
    #expect(
      path.hasSuffix("/\(file)") || file == "0001_a.swift" || file == "0001_a.up.sql",
      "\(path)"
    )
    #expect(detail.contains(name), "\(file): \(detail)")
  }

  @Test func `a script for up and one for down are understood`() throws {
    let directory = try TemporaryDirectory()
    for name in ["000001_a.up.sql", "000001_a.down.sql"] {
      try Data("SELECT 1".utf8).write(to: directory.url.appendingPathComponent(name))
    }
    for name in ["notes.md", "2026 plan.txt", "3DModel.swift"] {
      try Data().write(to: directory.url.appendingPathComponent(name))
    }
    try FileManager.default.createDirectory(
      at: directory.url.appendingPathComponent("0002_b"),
      withIntermediateDirectories: false
    )
    let list = try SQLMigrations.read(directory.url.path)
    #expect(list.map(\.name) == ["000001_a"])
    #expect(list[0].isReversible)
  }

  @Test func `a folder without migrations, and one that is not there, are errors`() throws {
    guard case .empty? = try error(["notes.md": ""]) else {
      Issue.record("an empty folder was read")
      return
    }
    #expect(throws: SQLMigrationError.self) { try SQLMigrations.folder("/nowhere") }
  }

  @Test func `a script that is not UTF-8 says so`() throws {
    let directory = try TemporaryDirectory()
    let file = directory.url.appendingPathComponent("0001_a.sql")
    for encoding in [String.Encoding.utf16, .isoLatin1] {
      try #require("SELECT 'é'".data(using: encoding)).write(to: file)
      let error = #expect(throws: SQLMigrationError.self) {
        try SQLMigrations.read(directory.url.path)
      }
      #expect(error == .notText(path: file.path))
      #expect(error?.description.contains("Save it as UTF-8") == true)
    }
  }

  @Test func `a second squash goes on, and one that says nothing new is refused`() throws {
    let directory = try TemporaryDirectory()
    let path = directory.url.path
    for name in ["0001_a", "0002_b", "0003_c"] {
      try Data("SELECT 1".utf8).write(to: directory.url.appendingPathComponent("\(name).sql"))
    }
    _ = try MigrationFolder(path).squash(to: 2)
    for number in [1, 2] {
      #expect(throws: SQLMigrationError.squashed(file: "0002_squashed.sql", numbers: 1...2)) {
        try MigrationFolder(path).squash(to: number)
      }
    }
    #expect(try MigrationFolder(path).squash(to: 3) == "\(path)/0003_squashed.sql")
    #expect(try SQLMigrations.read(path).map(\.replaces) == [1...3])
  }
}

/// Statements that scripts of other tools have.
@Suite struct ForeignStatementTests {
  private let sample: Sample

  init() async throws {
    sample = try Sample()
    var random = SeededGenerator(seed: 1)
    var state = SampleState()
    state.db.people.insert(Person.random(1, using: &random))
    try await sample.write(initial: state) { _, _ in }
  }

  private func failure(_ up: String, _ down: String? = nil) async throws -> String? {
    let migration = try DataMigration("0001_script", sql: up, down: down)
    do {
      try await DataMigrator([migration], at: sample.path).up()
      if down != nil { try await DataMigrator([migration], at: sample.path).down() }
      return nil
    } catch {
      return "\(error)"
    }
  }

  @Test(
    arguments: [
      ("BEGIN;\nUPDATE people SET age = 1;\nCOMMIT;", "line 1: leave BEGIN out: all pending"),
      ("UPDATE people SET age = 1;\n/* a */ Commit", "line 2: leave COMMIT out: all pending"),
      ("BEGIN IMMEDIATE TRANSACTION; SELECT 1", "one transaction"),
      ("SAVEPOINT a", "one transaction"),
      ("-- a\nPRAGMA foreign_keys = OFF;", "line 2: leave PRAGMA foreign_keys out: no foreign key"),
      ("PRAGMA defer_foreign_keys=ON", "leave PRAGMA defer_foreign_keys out: no foreign key"),
      ("PRAGMA main.journal_mode = wal", "leave PRAGMA journal_mode out"),
      ("VACUUM", "leave VACUUM out: all pending migrations are one transaction"),
      ("EXPLAIN QUERY PLAN SELECT 1", "leave EXPLAIN out"), ("ATTACH 'x' AS y", "its tables only"),
      ("DROP INDEX by_age", "leave DROP INDEX by_age out"),
      ("DROP VIEW main.\"Adults\"", "leave DROP VIEW adults out"),
    ]
  )
  func `a statement that has no place in a script is named with what to do`(
    script: String,
    message: String
  ) async throws {
    let error = try await failure(script)
    #expect(error?.contains(message) == true, "\(script): \(error ?? "none")")
  }

  @Test(
    arguments: [
      "CREATE INDEX by_age ON people(age); DROP INDEX by_age; UPDATE people SET age = 1",
      "DROP INDEX IF EXISTS by_age; UPDATE people SET age = 1",
      "UPDATE people SET name = 'BEGIN; VACUUM; ' WHERE 1; -- BEGIN",
      """
      CREATE TEMP TRIGGER t AFTER UPDATE ON people WHEN CASE WHEN 1 THEN 1 END BEGIN
        UPDATE people SET age = CASE WHEN 1 THEN 1 ELSE 2 END; SELECT 1; END;
      DROP TRIGGER t; UPDATE people SET age = 1
      """,
    ]
  )
  func `what only looks like one runs`(script: String) async throws {
    #expect(try await failure(script) == nil)
  }

  @Test func `an error of a way back names it`() async throws {
    let up = "UPDATE people SET age = age + 1"
    for (down, text) in [
      ("DROP INDEX by_age", "0001_script.down failed: line 1: leave DROP INDEX by_age out"),
      ("UPDATE people SET agge = 1", "0001_script.down failed: line 1"),
      ("-- strata:after SELECT 0\nUPDATE people SET age = 1", "0001_script.down was stopped"),
      ("-- nothing", "the script 0001_script.down has no statement"),
      ("DELETE FROM people", "0001_script.down:"),
    ] {
      let error = try await failure(up, down)
      #expect(error?.contains(text) == true, "\(down): \(error ?? "none")")
    }
  }
}
