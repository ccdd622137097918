import Foundation
import Strata
import StrataJournal
import StrataMigrating
import StrataSQL
import StrataScripts
import StrataStorage
import TestSupport
import Testing

/// What a message prints as the line to add works when it is added, for any name.
@Suite struct PermissionLawTests {
  /// What a name may have in it, among letters.
  private static let pieces = [
    ".", "(", ")", ",", " ", "\"", "'", "\n", "\t", "\\", ";", "--", "/*", "é", "\u{301}",
    "\u{2028}", "\u{202E}", "\u{FEFF}",
    "[", "]", "`", "strata:", "😀", "\u{200D}", "a", "B", "_", "$", "-", ":", "amount (EUR)",
    "crm.people", "\\n",
  ]

  private func name(_ random: inout SeededGenerator) -> String {
    let name = (0...Int.random(in: 0...3, using: &random)).map { _ in
      Self.pieces.randomElement(using: &random) ?? "a"
    }.joined()
    // Alone these cannot be the name of a column beside the others.
    return name + (Bool.random(using: &random) ? "" : "x")
  }

  private func quoted(_ name: String) -> String {
    "\"\(name.unicodeScalars.map { $0 == "\"" ? "\"\"" : String($0) }.joined())\""
  }

  private func losses(of table: String, _ column: String) -> [String] {
    [
      "DELETE FROM \(table) WHERE id = 1", "DELETE FROM \(table)", "DROP TABLE \(table)",
      "UPDATE \(table) SET \(column) = NULL WHERE id = 1", "UPDATE \(table) SET \(column) = NULL",
      "ALTER TABLE \(table) DROP COLUMN \(column)",
      "DELETE FROM \(table) WHERE id = 1; UPDATE \(table) SET \(column) = NULL",
      "ALTER TABLE \(table) DROP COLUMN \(column); ALTER TABLE \(table) DROP COLUMN keep",
    ]
  }

  @Test func `the lines that a refusal prints allow it`() async throws {
    let sample = try Sample()
    try await sample.write { _, _ in }
    var random = SeededGenerator(seed: randomSeed())
    var migrations: [DataMigration] = []
    for round in 0..<loopCount("STRATA_PERMISSIONS", 25) {
      let (table, column) = ("\(name(&random))\(round)", name(&random))
      let creation = """
        CREATE TABLE \(quoted(table))(id INTEGER, \(quoted(column)) TEXT, keep TEXT);
        INSERT INTO \(quoted(table)) VALUES (1, 'a', 'x'), (2, 'b', 'y');
        """
      let script = losses(of: quoted(table), quoted(column)).randomElement(using: &random) ?? ""
      let comment: Comment = "\(random): \(script)"
      migrations.append(try self.script(2 * round + 1, creation))
      var refused = DataMigrator(
        migrations + [try self.script(2 * round + 2, script)],
        at: sample.path
      )
      refused.configuration.backups = .none
      let run = refused
      let error = await #expect(throws: PersistenceError.self, comment) { try await run.up() }
      guard case .refused? = error?.dataMigration else {
        Issue.record("\(comment): \(String(describing: error))")
        return
      }
      // As the command prints it.
      let printed = "\(error.map { "\($0)" } ?? "")".printableLines.split(separator: "\n")
      let lines = printed.filter { $0.hasPrefix("-- ") }
      let planned = try await run.plan().refusals.values.joined().compactMap(\.permission)
      #expect(planned.map(\.printable) == lines.map(String.init), comment)
      migrations.append(
        try self.script(2 * round + 2, "\(lines.joined(separator: "\n"))\n\(script)")
      )
      var migrator = DataMigrator(migrations, at: sample.path)
      migrator.configuration.backups = .none
      let report = try await migrator.up()
      #expect(report.steps.count == 2 && report.refusals.isEmpty, comment)
    }
  }

  private func script(_ number: Int, _ sql: String) throws -> DataMigration {
    try DataMigration("\(number)_script", sql: sql)
  }

  @Test(
    arguments: [
      ("deletes(crm.people)", "crm.people", nil), ("deletes(\"crm.people\")", "crm.people", nil),
      ("destructive(crm.people.bio)", "crm.people", "bio"),
      ("destructive(people.amount (EUR))", "people", "amount (EUR)"),
      ("destructive( people.\"amount (EUR)\" )", "people", "amount (EUR)"),
      ("destructive(\"a\\\"b\".\"\\u0007\\n\")", "a\"b", "\u{7}\n"),
      ("lossy, destructive(x), destructive(people.bio)", "people", "bio"),
    ] as [(String, String, String?)]
  )
  func `a permission is compared with the names that are there`(
    text: String,
    table: String,
    field: String?
  ) throws {
    let script = try MigrationAllowances(text)
    let kind: MigrationFinding.Kind = field == nil ? .deletes : .destructive
    let finding = MigrationFinding(kind, table: table, field: field, detail: "")
    #expect(script.cover(finding, [table]))
    #expect(
      !script.cover(MigrationFinding(kind, table: "other", field: field, detail: ""), [table])
    )
  }

  @Test func `a name with a dot is a field where its first part is a table`() throws {
    let script = try MigrationAllowances("destructive(crm.people)")
    let table = MigrationFinding(.deletes, table: "crm.people", detail: "")
    let field = MigrationFinding(.destructive, table: "crm", field: "people", detail: "")
    #expect(script.cover(table, ["crm.people"]))
    #expect(!script.cover(table, ["crm", "crm.people"]))
    #expect(script.cover(field, ["crm", "crm.people"]))
    #expect(
      try MigrationAllowances("destructive(\"crm.people\")").cover(table, ["crm", "crm.people"])
    )
  }

  @Test(
    arguments: [
      (MigrationAllowance(.deletes, "users"), #".allowing(.deletes("users"))"#),
      (MigrationAllowance(.lossy, "users", "bio"), #".allowing(.lossy("users.bio"))"#),
      (
        MigrationAllowance(.notNull, "users", "bio"),
        #".allowing(MigrationAllowance(.notNull, "users", "bio"))"#
      ),
      (
        MigrationAllowance(.destructive, "crm.people", "amount (EUR)"),
        #".allowing(MigrationAllowance(.destructive, "crm.people", "amount (EUR)"))"#
      ),
      (
        MigrationAllowance(.deletes, "a\"\n\u{202E}\\"),
        #".allowing(.deletes("a\"\u{a}\u{202e}\\"))"#
      ),
      (MigrationAllowance(.collision), ".allowing(MigrationAllowance(.collision))"),
    ]
  )
  func `in Swift a permission is a literal of Swift`(allowance: MigrationAllowance, text: String) {
    #expect(allowance.swift == text)
  }
}

/// The permissions of a line.
private struct MigrationAllowances {
  let list: [MigrationAllowance]

  init(_ text: String) throws { list = try #require(MigrationAllowance.list(text)) }

  func cover(_ finding: MigrationFinding, _ tables: Set<String>) -> Bool {
    list.contains { $0.covers(finding, among: tables) }
  }
}
