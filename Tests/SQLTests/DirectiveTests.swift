import Foundation
import Strata
import StrataMigrating
import StrataSQL
import StrataSQLite
import StrataScripts
import TestSupport
import Testing

/// Where a directive counts, and what is read of a script beside what SQLite runs.
@Suite struct DirectiveTests {
  private let sample: Sample

  init() async throws {
    sample = try Sample()
    var random = SeededGenerator(seed: 1)
    var state = SampleState()
    for id in 1...3 { state.db.people.insert(Person.random(id, using: &random)) }
    try await sample.write(initial: state) { _, _ in }
  }

  private func plan(_ script: String) async throws -> MigrationReport.Step {
    let migrator = DataMigrator([try DataMigration("0001_script", sql: script)], at: sample.path)
    return try #require(try await migrator.plan().steps.first)
  }

  private func unreadable(_ script: String) -> (line: Int, detail: String)? {
    do {
      _ = try DataMigration("0001_script", sql: script)
      return nil
    } catch {
      guard case .directive(_, let line, let detail) = error else { return nil }
      return (line, detail)
    }
  }

  private static let allow = "-- strata:allow deletes(people)"
  private static let delete = "DELETE FROM people WHERE id = 2;"

  @Test(
    arguments: [
      "\(allow)\n\(delete)", "\(delete)\n\(allow)", "  \t\(allow)  \n\(delete)",
      "\u{FEFF}\(allow)\n\(delete)", "SELECT 'a\nb';\n\(allow)\n\(delete)",
      "\(allow)\r\n\(delete)\r\n", "DELETE FROM people\n\(allow)\nWHERE id = 2",
      "/* a */ SELECT 1; /* b\n*/\n--\tstrata:allow deletes(people)\n\(delete)",
      "-- Strata:allow deletes(people)\n\(delete)",
    ]
  )
  func `a directive counts on a line of its own`(script: String) async throws {
    let step = try await plan(script)
    #expect(step.findings.map(\.isAllowed) == [true], "\(script)")
  }

  @Test(
    arguments: [
      "SELECT '\n\(allow)\n'; \(delete)", "SELECT 1 AS \"\n\(allow)\n\"; \(delete)",
      "SELECT 1 AS `\n\(allow)\n`; \(delete)", "SELECT 1 AS [\n\(allow)\n]; \(delete)",
      "-- | strata:allow deletes(people)\n\(delete)", "-- see strata:allow\n\(delete)",
    ]
  )
  func `in a text or a name it is data`(script: String) async throws {
    let step = try await plan(script)
    #expect(step.findings.map(\.permission) == [Self.allow], "\(script)")
  }

  @Test(
    arguments: [
      ("/*\n\(allow)\n*/\n\(delete)", 2), ("/* strata:allow deletes(people) */\n\(delete)", 1),
      ("SELECT 1;\n/* a\n * strata:allow deletes(people)\n */\n\(delete)", 3),
      ("\n-- a\u{2028}\(allow)\n\(delete)", 2), ("-- a\r\(allow)\n\(delete)", 1),
      ("-- a \(allow)\n\(delete)", 1), ("-- \(allow)\n\(delete)", 1), ("-\(allow)\n\(delete)", 1),
      ("SELECT 1;\n\(delete) -- strata:after SELECT 0", 2),
      ("SELECT '\n' \(allow)\n; \(delete)", 2), ("SELECT 1; /*\n*/ \(allow)\n\(delete)", 2),
      ("\(delete)\n-- strata:before SELECT 1 -- strata:after SELECT 0", 2),
      ("\(delete)\n-- strata:before SELECT 1 /* strata:after SELECT 0 */", 2),
    ]
  )
  func `in another place it is an error that names its line`(script: String, line: Int) {
    let found = unreadable(script)
    #expect(found?.line == line, "\(script): \(String(describing: found))")
    #expect(found?.detail.contains("directive") == true, "\(script)")
  }

  @Test(
    arguments: [
      ("SELECT 1;", "leave out the one at its end"), ("SELECT 1; SELECT 0", "a line for each"),
      ("DELETE FROM people", "write one SELECT"), ("/* SELECT 1 */", "a SELECT on the same line"),
    ]
  )
  func `a check is one SELECT`(sql: String, detail: String) {
    for word in ["before", "after"] {
      let found = unreadable("SELECT 1;\n-- strata:\(word) \(sql)")
      #expect(
        found?.line == 2 && found?.detail.contains(detail) == true,
        "\(String(describing: found))"
      )
    }
    #expect(unreadable("-- strata:before SELECT ';' -- a;") == nil)
  }

  @Test func `a byte order mark and CRLF mean nothing, in a folder and embedded`() async throws {
    let script =
      "-- strata:allow deletes(people)\nUPDATE people SET name = 'a\nb' WHERE id = 1;\n\(Self.delete)"
    let other = "\u{FEFF}" + script.replacing("\n", with: "\r\n")
    let directory = try TemporaryDirectory()
    try Data(other.utf8).write(to: directory.url.appendingPathComponent("0001_script.sql"))
    let embedded = try DataMigration("0001_script", sql: other)
    let read = try SQLMigrations.read(directory.url.path)
    let plain = try DataMigration("0001_script", sql: script)
    for migration in [embedded] + read {
      #expect(migration.content == plain.content)
      #expect(migration.script == script)
    }
    try await DataMigrator([embedded], at: sample.path).up()
    #expect(try sample.rows("SELECT name FROM people WHERE id = 1") == [[.text("a\nb")]])
    let empty = try DataMigration("0002_empty", sql: "\u{FEFF}-- later\r\n;\r\n")
    await #expect(throws: PersistenceError.self) {
      try await DataMigrator([plain, empty], at: sample.path).up()
    }
  }

  @Test(
    arguments: [
      ("/* a\n b */\n\nUPDATE people SET agge = 1;", 4),
      ("SELECT 1;\n-- a\n/* b */ UPDATE nothing SET age = 1;", 3),
      ("UPDATE people\nSET age = 'x';\n/*\n*/ UPDATE people SET agge = 1;", 4),
    ]
  )
  func `an error names the line of its statement`(script: String, line: Int) async throws {
    let error = await #expect(throws: PersistenceError.self) { try await plan(script) }
    #expect(
      "\(error.map { "\($0)" } ?? "")".contains("line \(line):"),
      "\(String(describing: error))"
    )
  }

  @Test(
    arguments: [
      ("UPDATE people SET name = date( 'NOW' )", true),
      ("UPDATE people SET name = date(/* x */)", true),
      ("UPDATE people SET name = \"datetime\"('now', '+1 day')", true),
      ("UPDATE people SET name = strftime('%s', 'now')", true),
      ("UPDATE people SET name = date(upper('now'))", true),
      ("UPDATE people SET name = date('2026-01-01') || 'now'", false),
      ("UPDATE people SET name = date(joined) -- date() and 'now'", false),
      ("UPDATE people SET name = strftime('%s', joined)", false),
    ]
  )
  func `a script that asks for the time is not repeatable`(
    script: String,
    isFound: Bool
  ) async throws {
    let findings = try await plan(script).findings
    #expect(findings.contains { $0.kind == .notRepeatable } == isFound, "\(findings)")
  }
}
