import Foundation
import ProductSupport
import Strata
import StrataInspection
import StrataJournal
import StrataMaintaining
import StrataMigrating
import StrataRecords
import StrataSQL
import StrataSQLite
import StrataScripts
import StrataStorage
import TestSupport
import Testing

/// Scripts as migrations of a store.
@Suite struct SQLMigrationTests {
  /// A store with random people and documents.
  private static func sample(
    _ people: Int,
    using random: inout SeededGenerator
  ) async throws -> Sample {
    let sample = try Sample()
    var state = SampleState()
    for id in 0..<people { state.db.people.insert(.random(id, using: &random)) }
    for id in 0..<people / 2 {
      state.db.documents.insert(.random(id, people: people, using: &random))
    }
    let initial = state
    try await sample.write(initial: initial) { _, _ in }
    return sample
  }

  private static func migrator(_ migrations: [DataMigration], _ sample: Sample) -> DataMigrator {
    var migrator = DataMigrator(migrations, at: sample.path)
    migrator.configuration.findings = .report
    migrator.configuration.backups = .none
    return migrator
  }

  /// The records of a table with their layouts, by encoded ID.
  private static func records(_ table: String, of sample: Sample) throws -> [[UInt8]: StoredEntity]
  {
    try Inspector(path: sample.path).query { view in
      var scan = try view.state(at: view.last.revision).scan(table)
      var records: [[UInt8]: StoredEntity] = [:]
      while let entity = try scan.next() { records[Array(entity.id)] = entity }
      return records
    }
  }

  @Test func `only the records that a script changes are in the delta`() async throws {
    var random = SeededGenerator(seed: .random(in: 0 ... .max))
    let count = loopCount("STRATA_MIGRATED_RECORDS", 3_000)
    let sample = try await Self.sample(count, using: &random)
    let before = try Self.records("people", of: sample)
    let script = "UPDATE people SET age = age + 1 WHERE id % 30 = 7"
    let migration = try DataMigration("0001_age", sql: script)
    let report = try await Self.migrator([migration], sample).up()
    let changed = (0..<count).count { $0 % 30 == 7 }
    #expect(report.steps[0].tables.map(\.updated) == [changed])
    let delta = try #require(try Inspector(path: sample.path).log(.last(1)).deltas.first)
    #expect(delta.entities == changed)
    let after = try Self.records("people", of: sample)
    #expect(after.count == before.count)
    let different = before.filter { after[$0.key] != $0.value }
    #expect(different.count == changed, "\(random)")
  }

  @Test func `plan and up report the same`() async throws {
    var random = SeededGenerator(seed: .random(in: 0 ... .max))
    let sample = try await Self.sample(40, using: &random)
    var migrations: [DataMigration] = []
    for number in 1...loopCount("STRATA_MIGRATIONS", 12) {
      let statements = (0..<Int.random(in: 1...3, using: &random)).map { index in
        Self.statement("\(number)_\(index)", using: &random)
      }
      let script = statements.joined(separator: ";\n")
      migrations.append(try DataMigration("\(number)_random", sql: script))
      let migrator = Self.migrator(migrations, sample)
      let planned = try await migrator.plan()
      let ran = try await migrator.up()
      try #require(
        planned.steps.map(\.tables) == ran.steps.map(\.tables)
          && planned.steps.map(\.findings) == ran.steps.map(\.findings),
        "\(script) \(random)"
      )
    }
  }

  private static func statement(_ unique: String, using random: inout SeededGenerator) -> String {
    let rest = Int.random(in: 0...4, using: &random)
    let statements = [
      "UPDATE people SET age = age + 1 WHERE id % 5 = \(rest)",
      "UPDATE people SET city = NULL WHERE id % 5 = \(rest)",
      "UPDATE people SET score = 0.5, name = name || '!' WHERE age > \(rest * 15)",
      "ALTER TABLE people ADD COLUMN \"c\(unique)\" INTEGER DEFAULT \(rest)",
      "DELETE FROM documents WHERE ratio = 0.\(rest)",
      "INSERT INTO documents(id, title, size) VALUES ('new \(unique)', 't', \(rest))",
      "UPDATE people SET id = id + 1000 WHERE id = \(rest)",
      "CREATE TABLE \"t\(unique)\"(id INTEGER, n TEXT); "
        + "INSERT INTO \"t\(unique)\" SELECT id, name FROM people WHERE id % 5 = \(rest)",
      "UPDATE documents SET owner = \(rest) WHERE owner = \(rest + 1)",
    ]
    return statements.randomElement(using: &random) ?? ""
  }

  @Test func `scripts and closures run in one order`() async throws {
    var random = SeededGenerator(seed: .random(in: 0 ... .max))
    let sample = try await Self.sample(10, using: &random)
    let migrations = [
      try DataMigration("0001_sql", sql: "UPDATE people SET name = 'a'"),
      DataMigration("0002_swift", table: "people") { person in
        person["name"] = .string("\(person["name"]?.text ?? "")b")
      },
      try DataMigration("0003_sql", sql: "UPDATE people SET name = name || 'c'"),
    ]
    let report = try await Self.migrator(migrations, sample).up()
    #expect(report.steps.map(\.form) == [.sql, .swift, .sql])
    #expect(try sample.rows("SELECT DISTINCT name FROM people") == [[.text("abc")]])
  }

  @Test func `a new row under the ID of a removed record, which follows it, stays`() async throws {
    var random = SeededGenerator(seed: .random(in: 0 ... .max))
    let sample = try await Self.sample(10, using: &random)
    let ids = try sample.rows("SELECT id FROM documents ORDER BY id").compactMap(\.first)
    guard case .text(let last)? = ids.last else {
      Issue.record("\(ids)")
      return
    }
    // The new row gets the number of the first of the two that are removed.
    let script = """
      DELETE FROM documents WHERE id IN (SELECT id FROM documents ORDER BY id DESC LIMIT 2);
      INSERT INTO documents(id, title) VALUES ('\(last)', 'new');
      """
    let report = try await Self.migrator([DataMigration("0001_new", sql: script)], sample).up()
    #expect(report.steps[0].tables.map(\.deleted) == [2])
    #expect(report.steps[0].tables.map(\.inserted) == [1])
    let left = try sample.rows("SELECT id FROM documents ORDER BY id").compactMap(\.first)
    #expect(left == ids.dropLast(2) + [.text(last)])
  }

  @Test func `a field that a script sets is a reference still`() async throws {
    var random = SeededGenerator(seed: .random(in: 0 ... .max))
    let sample = try await Self.sample(10, using: &random)
    let migration = try DataMigration("0001_owner", sql: "UPDATE documents SET owner = 77")
    let report = try await Self.migrator([migration], sample).up()
    #expect(report.steps[0].tables.map(\.updated) == [5])
    let records = try Self.records("documents", of: sample)
    try Inspector(path: sample.path).query { view in
      for entity in records.values {
        let layout = try view.catalog.layout(entity.layout)
        let field = try #require(layout.fields.firstIndex { $0.name == "owner" })
        #expect(layout.fields[field].references == .table("people"))
        #expect(FieldPresence(entity.record, layout)?[field] == .value)
      }
    }
  }

  @Test func `a script that says nothing is not run, on either way`() async throws {
    var random = SeededGenerator(seed: 1)
    let sample = try await Self.sample(2, using: &random)
    func reason(_ body: () async throws -> Void) async -> PersistenceError.Reason? {
      await #expect(throws: PersistenceError.self) { try await body() }?.reason
    }
    for script in ["", "-- a note\n\n/* and another */", "-- strata:allow lossy(people.age)"] {
      let migrator = Self.migrator([try DataMigration("0001_empty", sql: script)], sample)
      let error = PersistenceError.Reason.dataMigration(.noStatement("0001_empty"))
      #expect(await reason { _ = try await migrator.up() } == error)
      #expect(await reason { _ = try await migrator.plan() } == error)
      #expect(try await migrator.status().pending == ["0001_empty"])
    }
    let check = try DataMigration(
      "0001_check",
      sql: "-- strata:after SELECT count(*) = 2 FROM people",
      down: "-- Takes back 0001_check."
    )
    let migrator = Self.migrator([check], sample)
    #expect(try await migrator.up().steps.map(\.name) == ["0001_check"])
    #expect(
      await reason { _ = try await migrator.down() }
        == .dataMigration(.noStatement("0001_check.down"))
    )
    #expect(try await migrator.history().count == 1)
  }

  @Test func `a bundle has no script, also of a step that was taken back`() async throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("app.strata")
    try await FiveReleases.makeFirst(at: path, users: 3)
    let migration = try DataMigration(
      "0001_mark",
      sql: "UPDATE users SET name = name || '!' WHERE name <> 'cinnamon'",
      down: "UPDATE users SET name = rtrim(name, '!')"
    )
    for backwards in [false, true] {
      let migrator = DataMigrator([migration], at: path)
      if backwards { try await migrator.down(to: 0) } else { try await migrator.up() }
      #expect(try Data(contentsOf: URL(fileURLWithPath: path)).has("cinnamon"))
      let bundle = directory.path("\(backwards).strata")
      let report = try await StoreBundle.write(of: path, last: 2, to: bundle)
      #expect(report.deltas == 2)
      #expect(try !Data(contentsOf: URL(fileURLWithPath: bundle)).has("cinnamon"))
      #expect(try Inspector(path: bundle).verify().isSound)
    }
  }
}

extension Data {
  fileprivate func has(_ text: String) -> Bool { range(of: Data(text.utf8)) != nil }
}
