import Strata
import StrataInspection
import StrataJournal
import StrataMigrating
import StrataSQL
import StrataSQLite
import StrataStorage
import TestSupport
import Testing

/// What a run finds lost by a script.
@Suite struct MigrationLossTests {
  private let sample: Sample

  init() async throws {
    sample = try Sample()
    var random = SeededGenerator(seed: 1)
    var state = SampleState()
    for id in 1...6 {
      var person = Person.random(id, using: &random)
      person.city = id % 2 == 0 ? "Oslo" : nil
      state.db.people.insert(person)
      var document = Document.random(id, people: 6, using: &random)
      document.owner = EntityID(id)
      state.db.documents.insert(document)
    }
    let initial = state
    try await sample.write(initial: initial) { _, _ in }
  }

  private func plan(_ script: String) async throws -> MigrationReport.Step {
    let migrator = DataMigrator([try DataMigration("0001_script", sql: script)], at: sample.path)
    return try #require(try await migrator.plan().steps.first)
  }

  private func losses(of script: String) async throws -> [String] {
    try await plan(script).findings.filter { $0.isRefused && $0.kind != .dangling }
      .map(\.description)
  }

  @Test func `a table that has another name is compared with what it was`() async throws {
    #expect(try await losses(of: "ALTER TABLE documents RENAME TO papers") == [])
    #expect(
      try await losses(
        of: "ALTER TABLE documents RENAME TO papers; ALTER TABLE papers DROP COLUMN title"
      ) == ["destructive(papers.title): papers.title loses 6 values, all it has"]
    )
    #expect(
      try await losses(
        of: """
          ALTER TABLE documents RENAME TO papers; UPDATE papers SET title = NULL WHERE id = 'doc-2'
          """
      ) == ["lossy(papers.title): papers.title loses 1 value"]
    )
    #expect(
      try await losses(of: "ALTER TABLE documents RENAME TO papers; DELETE FROM papers")
        == ["destructive(papers): papers loses 6 records, all it has"]
    )
    #expect(
      try await losses(
        of: """
          ALTER TABLE documents RENAME TO papers;
          UPDATE papers SET id = 'p' || id, title = NULL WHERE id > 'doc-3'
          """
      ) == ["lossy(papers.title): papers.title loses 3 values"]
    )
  }

  @Test func `what a script removes from a table that it has renamed is gone`() async throws {
    let script = "ALTER TABLE documents RENAME TO papers; DELETE FROM papers WHERE id < 'doc-4'"
    try await DataMigrator([try DataMigration("0001_script", sql: script)], at: sample.path).up()
    #expect(
      try sample.rows("SELECT id FROM papers ORDER BY id")
        == [[.text("doc-4")], [.text("doc-5")], [.text("doc-6")]]
    )
    #expect(try Inspector(path: sample.path).show(table: "documents").isEmpty)
  }

  @Test func `references to a table that has another name are followed`() async throws {
    let some = try await plan("ALTER TABLE people RENAME TO users; DELETE FROM users WHERE id < 4")
    #expect(
      some.findings.filter { $0.kind == .dangling }.map(\.description) == [
        "dangling(documents.owner): 3 references from documents.owner to users would lead to no record"
      ]
    )
  }

  @Test func `a column that has another name is not lost, unless its values are`() async throws {
    #expect(try await losses(of: "ALTER TABLE people RENAME COLUMN city TO town") == [])
    #expect(
      try await losses(
        of: """
          ALTER TABLE people RENAME COLUMN city TO town; UPDATE people SET town = NULL WHERE id = 2
          """
      ) == ["lossy(people.city): people.city loses 1 value"]
    )
    #expect(
      try await losses(
        of: "ALTER TABLE people RENAME COLUMN city TO town; UPDATE people SET town = NULL"
      ) == ["destructive(people.city): people.city loses 3 values, all it has"]
    )
  }

  @Test func `a row whose ID changes is compared with what it was`() async throws {
    #expect(
      try await losses(of: "UPDATE people SET id = id + 100, city = NULL")
        == ["destructive(people.city): people.city loses 3 values, all it has"]
    )
    #expect(try await losses(of: "UPDATE people SET id = 7 - id") == [])
  }

  @Test func `a table that is made again with other IDs takes no field with it`() async throws {
    let script = """
      CREATE TABLE new(id TEXT, name TEXT, age INTEGER);
      INSERT INTO new SELECT 'p' || id, name, age FROM people;
      DROP TABLE people;
      ALTER TABLE new RENAME TO people;
      """
    #expect(
      try await losses(of: script).contains(
        "destructive(people.city): people.city loses 3 values, all it has"
      )
    )
    #expect(try await !losses(of: script).contains { $0.hasPrefix("destructive(people.name)") })
  }

  @Test func `an ID that a row has left is free for another row`() async throws {
    let script = """
      UPDATE people SET id = 100, name = 'moved' WHERE id = 2;
      INSERT INTO people(id, name, age, active, joined, tags)
        VALUES (2, 'new', 7, 1, '2026-01-01 00:00:00.000Z', '[]');
      """
    var migrator = DataMigrator([try DataMigration("0001_script", sql: script)], at: sample.path)
    migrator.configuration.findings = .report
    let report = try await migrator.up()
    #expect(
      try sample.rows("SELECT id, name FROM people WHERE name IN ('new', 'moved') ORDER BY id")
        == [[.integer(2), .text("new")], [.integer(100), .text("moved")]]
    )
    let people = try #require(report.steps[0].tables.first { $0.table == "people" })
    #expect(people.inserted == 1 && people.idsChanged == 1 && people.after == 7)
  }

  @Test func `an integer that a float does not hold is found`() async throws {
    let columns = "id, name, age, city, score, active, joined, tags"
    let script = """
      CREATE TABLE new(id INTEGER, name TEXT, age FLOAT, city TEXT, score DOUBLE, active BOOLEAN,
        joined TIMESTAMP, tags JSON);
      INSERT INTO new SELECT \(columns) FROM people;
      DROP TABLE people;
      ALTER TABLE new RENAME TO people;
      """
    #expect(try await losses(of: script) == [])
    let age = try DataMigration("0001_age", sql: "UPDATE people SET age = 16777217 WHERE id = 3")
    let float = try DataMigration("0002_float", sql: script)
    let step = try #require(
      try await DataMigrator([age, float], at: sample.path).plan().steps.last
    )
    #expect(
      step.findings.map(\.description) == [
        "lossy(people.age): people.age gets a kind that does not hold 1 value of it"
      ]
    )
    #expect(
      step.tables.first { $0.table == "people" }?.narrowed == [
        .init(field: "age", from: "int64", to: "float", count: 6)
      ]
    )
  }

  @Test func `a number that is larger than any float is refused`() async throws {
    let script = "UPDATE documents SET ratio = 1e300 WHERE id = 'doc-1'"
    let error = await #expect(throws: PersistenceError.self) { try await plan(script) }
    guard case .dataMigration(.failed(_, let detail))? = error?.reason else {
      Issue.record("\(error.map { "\($0)" } ?? "no error")")
      return
    }
    #expect(detail.contains("ratio"))
    #expect(try await losses(of: "UPDATE documents SET ratio = 1.0 / 3 WHERE id = 'doc-1'") == [])
  }
}
