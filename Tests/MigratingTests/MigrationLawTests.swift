import Foundation
import ProductSupport
import Strata
import StrataInspection
import StrataMigrating
import StrataMigrations
import StrataRecords
import StrataScripts
import TestSupport
import Testing

/// Laws of migrations over random data and random migrations.
struct MigrationLawTests {
  let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  @Test
  func `a change of some records makes a delta of just these, and the others keep their bytes`()
    async throws
  {
    let path = directory.path("app.strata")
    let count = loopCount("STRATA_MIGRATED", 3_000)
    try await FiveReleases.makeFirst(at: path, users: count)
    let before = try StoredRecords(path).records(of: "users")
    let some = DataMigration("0001_some", table: "users") { user in
      let number = Int(user.id.text?.dropFirst() ?? "") ?? 0
      if number % 30 == 1 { user["name"] = .string("changed") }
    }
    let report = try await DataMigrator([some], at: path).up()
    let changed = (count + 28) / 30
    let delta = try #require(try Inspector(path: path).log(.last(1)).deltas.first)
    #expect(delta.name == "migration 0001_some")
    #expect(delta.entities == changed)
    #expect(report.steps[0].tables.map(\.updated) == [changed])
    let after = try StoredRecords(path).records(of: "users")
    #expect(after.count == before.count)
    #expect(after.filter { before[$0.key] == $0.value }.count == count - changed)
  }

  @Test
  func `plan and up report the same for random migrations`() async throws {
    var refused = 0
    let rounds = loopCount("STRATA_MIGRATIONS", 8)
    for round in 0..<rounds {
      var random = SeededGenerator(seed: UInt64(round))
      let path = directory.path("\(round).strata")
      try await FiveReleases.makeFirst(at: path, users: Int.random(in: 1...30, using: &random))
      let migrations = try (1...Int.random(in: 1...4, using: &random)).map { number in
        switch Int.random(in: 0..<3, using: &random) {
        case 0: Self.migration("\(number)_random", &random)
        case 1: Self.declaration(number, &random)
        default: try Self.script(number, &random)
        }
      }
      var migrator = DataMigrator(migrations, at: path)
      migrator.configuration.backups = .none
      migrator.configuration.findings = .report
      let planned: MigrationReport
      do {
        planned = try await migrator.plan()
      } catch {
        // A step that fails on the copy fails in the same way on the store.
        let same = await #expect(throws: PersistenceError.self) { try await migrator.up() }
        #expect(same?.reason == error.reason, random.comment)
        refused += 1
        continue
      }
      let report = try await migrator.up()
      #expect(report.steps.map(\.withoutTime) == planned.steps.map(\.withoutTime), random.comment)
      #expect(report.after == planned.after, random.comment)
      #expect(try Inspector(path: path).verify().isSound, random.comment)
      for step in report.steps {
        for table in step.tables {
          #expect(
            table.after == table.before + table.inserted - table.deleted,
            random.comment
          )
        }
      }
    }
    printStatistics("\(rounds) random lists of migrations, \(refused) of which fail")
    #expect(refused < rounds)
  }

  /// A script of one or two of the changes that leave findings.
  private static func script(
    _ number: Int,
    _ random: inout SeededGenerator
  ) throws -> DataMigration {
    let changes = [
      "UPDATE users SET name = upper(name)",
      "UPDATE users SET city = NULL",
      "DELETE FROM tags WHERE id < 't2'",
      "ALTER TABLE notes ADD COLUMN c\(number) INTEGER",
      "ALTER TABLE users ADD COLUMN r\(number) TEXT REFERENCES notes(id)",
      "UPDATE notes SET author = 'nobody' WHERE id = 'n1'",
      """
      INSERT INTO notes(id, text, author, readers, score)
        SELECT 's\(number)' || id, text, author, readers, score / 3 FROM notes WHERE id < 'n3'
      """,
      """
      CREATE TABLE t\(number)(id TEXT, person TEXT REFERENCES users(id));
      INSERT INTO t\(number) SELECT 't' || id, id FROM users
      """,
      "UPDATE users SET id = 'y' || id",
      "ALTER TABLE notes DROP COLUMN score",
      "ALTER TABLE users RENAME COLUMN street TO street\(number)",
    ]
    let count = Int.random(in: 1...2, using: &random)
    let sql = changes.shuffled(using: &random).prefix(count).joined(separator: ";\n")
    return try DataMigration("\(number)_script", sql: sql)
  }

  /// One of the declared changes.
  private static func declaration(_ number: Int, _ random: inout SeededGenerator) -> DataMigration {
    let changes: [DataChange] = [
      .renameField("city", to: "town\(number)", in: "users"),
      .changeID(of: "users") { .string("z\($0.id.text ?? "")") },
      .reference("text", to: "tags", in: "notes"),
      .rename("tags", to: "labels\(number)"),
      .rewrite("notes"),
      .dropTable("tags"),
    ]
    let change = changes[Int.random(in: 0..<changes.count, using: &random)]
    return DataMigration("\(number)_declaration", change)
  }

  /// A migration that changes, removes, moves and adds records at random.
  private static func migration(
    _ name: String,
    _ random: inout SeededGenerator
  ) -> DataMigration {
    let seed = random.next()
    let table = ["users", "notes", "tags", "extra"].randomElement(using: &random) ?? "users"
    return DataMigration(name) { tables in
      var random = SeededGenerator(seed: seed)
      try tables.forEach(in: table) { record in
        switch Int.random(in: 0..<7, using: &random) {
        case 0: record.removeRecord()
        case 1: record["name"] = nil
        case 2: record["count"] = .integer(Int.random(in: 0...9, using: &random))
        case 3:
          let id = RecordValue.string("x\(random.next())")
          try tables.put(MigrationRecord(table: "extra", id: id, [.init("id", id)]))
        case 4: record.id = .string("moved-\(random.next())")
        case 5: record.rename("name", to: "title")
        default: break
        }
      }
    }
  }
}

extension SeededGenerator {
  fileprivate var comment: Comment { "\(self)" }
}
