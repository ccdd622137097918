import Foundation
import Strata
import StrataInspection
import StrataJournal
import StrataMigrating
import StrataSQL
import StrataSQLite
import StrataScripts
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
      person.joined = Date(timeIntervalSince1970: 1_770_000_000)
      person.score = 0.5
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

  /// Of tables with the same columns, SQLite copies rows as they are stored, and does not say which columns it reads.
  @Test(arguments: [
    "INSERT INTO other SELECT * FROM counts;",
    "REPLACE INTO other SELECT * FROM counts;",
    """
    CREATE TEMP TABLE start(n);
    CREATE TEMP TRIGGER copy AFTER INSERT ON start BEGIN INSERT INTO other SELECT * FROM counts; END;
    INSERT INTO start VALUES (1); DROP TABLE start;
    """,
  ])
  func `rows that a statement copies whole keep their values`(_ copy: String) async throws {
    let columns = "(id INTEGER PRIMARY KEY, name TEXT, n INTEGER)"
    let other = "CREATE TABLE other\(columns); \(copy)"
    let scripts = [
      "CREATE TABLE counts\(columns); INSERT INTO counts VALUES (1, 'a', 10), (2, 'b', 20)",
      "\(other) ALTER TABLE other RENAME TO copies;",
      "\(other) DROP TABLE counts; ALTER TABLE other RENAME TO counts;",
    ]
    let migrations = try scripts.enumerated().map {
      try DataMigration("000\($0.offset + 1)_script", sql: $0.element)
    }
    _ = try await DataMigrator(migrations, at: sample.path).up()
    for table in ["copies", "counts"] {
      let result = try StoreQuery(path: sample.path).run("SELECT name, n FROM \(table)")
      #expect(try result.rows() == [[.text("a"), .integer(10)], [.text("b"), .integer(20)]])
    }
  }

  /// Of two columns of the new table, one has the name that a column has when it is copied, the other a name that it had.
  @Test(arguments: [
    [
      "ALTER TABLE counts RENAME COLUMN name TO third",
      """
      ALTER TABLE counts RENAME COLUMN n TO name; ALTER TABLE counts RENAME COLUMN third TO n;
      CREATE TABLE other AS SELECT id, n AS n, name AS name FROM counts;
      """,
    ],
    [
      """
      ALTER TABLE counts RENAME COLUMN name TO other; ALTER TABLE counts RENAME COLUMN n TO name;
      CREATE TABLE other AS SELECT id, 'x' AS n, name FROM counts;
      UPDATE other SET n = char(96 + id);
      """
    ],
  ])
  func `a rebuild keeps the values of columns that have changed their names`(
    _ scripts: [String]
  ) async throws {
    let first = """
      CREATE TABLE counts(id INTEGER PRIMARY KEY, name TEXT, n INTEGER);
      INSERT INTO counts VALUES (1, 'a', 10), (2, 'b', 20)
      """
    var all = [first] + scripts
    all[all.count - 1] += "DROP TABLE counts; ALTER TABLE other RENAME TO counts"
    let migrations = try all.enumerated().map {
      try DataMigration("000\($0.offset + 1)_script", sql: $0.element)
    }
    var migrator = DataMigrator(migrations, at: sample.path)
    migrator.configuration.findings = .report
    _ = try await migrator.up()
    let result = try StoreQuery(path: sample.path).run("SELECT n, name FROM counts ORDER BY id")
    #expect(try result.rows() == [[.text("a"), .integer(10)], [.text("b"), .integer(20)]])
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
    let script = """
      -- strata:allow deletes(papers)
      ALTER TABLE documents RENAME TO papers; DELETE FROM papers WHERE id < 'doc-4'
      """
    try await DataMigrator([try DataMigration("0001_script", sql: script)], at: sample.path).up()
    #expect(
      try sample.rows("SELECT id FROM papers ORDER BY id")
        == [[.text("doc-4")], [.text("doc-5")], [.text("doc-6")]]
    )
    #expect(try !Inspector(path: sample.path).tables().map(\.name).contains("documents"))
    // No record is left under the name, whatever the list says.
    let left = try Inspector(path: sample.path).query { view in
      var scan = try view.state(at: view.last.revision).scan("documents")
      return try scan.next()
    }
    #expect(left == nil)
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
    #expect(try await losses(of: "UPDATE people SET id = -id; UPDATE people SET id = 7 + id") == [])
  }

  @Test func `a table that is made again with other IDs has lost its records`() async throws {
    let script = """
      CREATE TABLE new(id TEXT, name TEXT, age INTEGER);
      INSERT INTO new SELECT 'p' || id, name, age FROM people;
      DROP TABLE people;
      ALTER TABLE new RENAME TO people;
      """
    #expect(
      try await losses(of: script) == ["deletes(people): people loses 6 records, all it has"]
    )
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
    guard case .failed(_, let detail)? = error?.dataMigration else {
      Issue.record("\(error.map { "\($0)" } ?? "no error")")
      return
    }
    #expect(detail.contains("ratio"))
    #expect(try await losses(of: "UPDATE documents SET ratio = 1.0 / 3 WHERE id = 'doc-1'") == [])
  }
}

/// Records and values that a script deletes, moves and replaces.
extension MigrationLossTests {
  private func findings(of script: String) async throws -> [String] {
    try await plan(script).findings.filter { $0.kind != .dangling }.map(\.description)
  }

  private func tables(of script: String) async throws -> [String] {
    try await plan(script).tables.map(\.description)
  }

  @Test func `records that a script deletes are counted, and need a permission`() async throws {
    let script = "DELETE FROM people WHERE id <> 3"
    #expect(try await losses(of: script) == ["deletes(people): people loses 5 of its 6 records"])
    let step = try await plan(script)
    #expect(step.findings.first?.permission == "-- strata:allow deletes(people)")
    for word in ["deletes(people)", "destructive(people)", "deletes"] {
      #expect(try await losses(of: "-- strata:allow \(word)\n\(script)") == [])
    }
    for word in ["deletes(documents)", "lossy(people)", "destructive(people.city)"] {
      #expect(try await losses(of: "-- strata:allow \(word)\n\(script)").count == 1)
    }
    let migrator = DataMigrator([try DataMigration("0001_script", sql: script)], at: sample.path)
    let error = await #expect(throws: PersistenceError.self) { try await migrator.up() }
    #expect("\(error.map { "\($0)" } ?? "")".contains("-- strata:allow deletes(people)"))
    #expect(try sample.rows("SELECT count(*) FROM people") == [[.integer(6)]])
    #expect(
      try await losses(of: "DELETE FROM documents")
        == ["destructive(documents): documents loses 6 records, all it has"]
    )
  }

  @Test func `a record that is deleted is lost, also if another one has its values`() async throws {
    let create = """
      CREATE TABLE new(id INTEGER, name TEXT, age INTEGER, city TEXT, score DOUBLE, active BOOLEAN,
        joined TIMESTAMP, tags JSON);
      INSERT INTO new SELECT id, name, age, city, score, active, joined, tags FROM people
      """
    let archive = """
      \(create) WHERE id < 4; ALTER TABLE new RENAME TO archive; DELETE FROM people WHERE id < 4;
      """
    #expect(try await losses(of: archive) == ["deletes(people): people loses 3 of its 6 records"])
    #expect(
      try await tables(of: archive).filter { !$0.hasPrefix("documents") }
        == ["archive: 3 inserted; 3 in all", "people: 3 deleted; 3 in all"]
    )
    let numbers = """
      \(create); UPDATE new SET id = id + 100; DROP TABLE people; ALTER TABLE new RENAME TO people;
      """
    #expect(
      try await losses(of: numbers) == ["deletes(people): people loses 6 records, all it has"]
    )
    #expect(try await tables(of: numbers).last == "people: 6 inserted, 6 deleted; 6 in all")
    let again = "DELETE FROM people WHERE id = 1; INSERT INTO people(id, name) VALUES (1, 'Ann')"
    #expect(try await losses(of: again) == ["deletes(people): people loses 1 of its 6 records"])
    let replaced = "REPLACE INTO people(id, name) VALUES (1, 'Ann')"
    #expect(try await losses(of: replaced) == ["deletes(people): people loses 1 of its 6 records"])
  }

  @Test func `a column or a table that is made again has lost what it had`() async throws {
    for (script, expected) in [
      (
        """
        ALTER TABLE people DROP COLUMN age; ALTER TABLE people ADD COLUMN age INTEGER DEFAULT 7;
        """,
        ["destructive(people.age): people.age loses 6 values, all it has"]
      ),
      (
        """
        CREATE TABLE new(id INTEGER, name TEXT, age INTEGER, city TEXT, score DOUBLE, active BOOLEAN,
          joined TIMESTAMP, tags JSON);
        INSERT INTO new SELECT id, name, 7, city, score, active, joined, tags FROM people;
        DROP TABLE people;
        ALTER TABLE new RENAME TO people;
        """,
        ["destructive(people.age): people.age loses 6 values, all it has"]
      ),
      (
        "DROP TABLE people; CREATE TABLE people(id INTEGER PRIMARY KEY, name TEXT)",
        ["destructive(people): people loses 6 records, all it has"]
      ),
      (
        "DROP TABLE people; ALTER TABLE documents RENAME TO people",
        ["destructive(people): people loses 6 records, all it has"]
      ),
      // A rename, an expression and a copy lose nothing.
      ("UPDATE people SET name = upper(name), age = age + 1", []),
      (
        """
        ALTER TABLE people RENAME COLUMN name TO swap;
        ALTER TABLE people RENAME COLUMN city TO name;
        ALTER TABLE people RENAME COLUMN swap TO city;
        UPDATE people SET city = upper(city);
        """,
        []
      ),
      (
        """
        CREATE TEMP TABLE kept AS SELECT * FROM people;
        DROP TABLE people;
        CREATE TABLE people(id INTEGER PRIMARY KEY, name TEXT, age INTEGER, city TEXT, score DOUBLE,
          active BOOLEAN, joined TIMESTAMP, tags JSON);
        INSERT INTO people SELECT * FROM kept;
        """,
        []
      ),
      (
        """
        ALTER TABLE people RENAME TO people_2025;
        CREATE TABLE people(id INTEGER PRIMARY KEY, name TEXT);
        """,
        []
      ),
    ] {
      #expect(try await losses(of: script) == expected, "\(script)")
    }
  }

  @Test func `two tables change their names`() async throws {
    let names = try sample.rows("SELECT name FROM people ORDER BY id")
    let titles = try sample.rows("SELECT title FROM documents ORDER BY id")
    let script = """
      ALTER TABLE people RENAME TO swap;
      ALTER TABLE documents RENAME TO people;
      ALTER TABLE swap RENAME TO documents;
      """
    #expect(try await losses(of: script) == [])
    try await DataMigrator([try DataMigration("0001_script", sql: script)], at: sample.path).up()
    #expect(try sample.rows("SELECT name FROM documents ORDER BY id") == names)
    #expect(try sample.rows("SELECT title FROM people ORDER BY id") == titles)
    #expect(try Inspector(path: sample.path).verify().isSound)
  }

  @Test func `a name that a table has left is free for an empty one`() async throws {
    let script = """
      ALTER TABLE people RENAME TO people_2025;
      CREATE TABLE people(id INTEGER PRIMARY KEY, name TEXT);
      """
    try await DataMigrator([try DataMigration("0001_script", sql: script)], at: sample.path).up()
    #expect(try sample.rows("SELECT count(*) FROM people") == [[.integer(0)]])
    #expect(try sample.rows("SELECT count(*) FROM people_2025") == [[.integer(6)]])
  }

  @Test func `an ID whose record was deleted is free for another record`() async throws {
    let script = """
      -- strata:allow deletes(people)
      DELETE FROM people WHERE id = 2;
      UPDATE people SET id = 2 WHERE id = 3;
      """
    #expect(try await losses(of: script) == [])
    #expect(
      try await tables(of: script).last == "people: 1 deleted, 1 with another ID; 5 in all"
    )
  }

  @Test func `a value in place of another one is no loss`() async throws {
    for script in [
      "UPDATE people SET age = 7", "UPDATE people SET city = 'Bern' WHERE city IS NOT NULL",
      "UPDATE people SET id = id + 100",
      "UPDATE people SET id = -id; UPDATE people SET id = 7 + id",
    ] {
      #expect(try await findings(of: script) == [], "\(script)")
    }
  }

  @Test func `a table that has another name is reported as such`() async throws {
    #expect(
      try await tables(of: "ALTER TABLE documents RENAME TO papers")
        == ["documents: renamed to papers; 6 in all"]
    )
    #expect(
      try await tables(
        of: """
          ALTER TABLE documents RENAME TO papers;
          UPDATE papers SET title = 'x' WHERE id = 'doc-1';
          DELETE FROM papers WHERE id = 'doc-2';
          INSERT INTO papers(id, title) VALUES ('new', 'y');
          """
      ) == ["documents: renamed to papers, 1 inserted, 1 updated, 1 deleted; 6 in all"]
    )
    #expect(try await findings(of: "ALTER TABLE documents RENAME TO papers") == [])
  }
}
