import Foundation
import Strata
import StrataInspection
import StrataMigrations
import StrataRecords
import Testing

/// The types of the first release of an app, whose data is then migrated by scripts alone.
private struct Person: EntityType {
  typealias RawID = Int
  static let tableName: TableName = "people"
  let id: EntityID<Person>
  var name: String
  var age: Int
  var bio: String?
  var joined: Date
}

private struct Memo: EntityType {
  static let tableName: TableName = "notes"
  let id: EntityID<Memo>
  var author: Person.ID
  var text: String
  var weight: Double
}

private struct Tag: EntityType {
  static let tableName: TableName = "tags"
  let id: EntityID<Tag>
  var label: String
}

private struct FirstRelease: DatabaseType {
  var people = EntityTable<Person>()
  var notes = EntityTable<Memo>()
  var tags = EntityTable<Tag>()

  static let schema = DatabaseSchema<FirstRelease> {
    Entities(\.people)
    Entities(\.notes)
    Entities(\.tags)
  }
}

private struct FirstState: StateType {
  var db = FirstRelease()
}

/// A folder with a store of the first release and the scripts of five later ones.
private struct Sample {
  let folder: Folder
  var store: String { folder.path("app.strata") }
  var scripts: String { folder.path("Migrations") }

  /// Each release: its script, and the one for the way back.
  static let releases: [(name: String, up: String, down: String?)] = [
    (
      "0001_add_vip", "ALTER TABLE people ADD COLUMN vip BOOLEAN NOT NULL DEFAULT FALSE;",
      "-- strata:allow destructive(people.vip)\nALTER TABLE people DROP COLUMN vip;"
    ),
    (
      "0002_rename_notes",
      "ALTER TABLE notes RENAME TO memos;\nALTER TABLE memos RENAME COLUMN text TO body;",
      "ALTER TABLE memos RENAME COLUMN body TO text;\nALTER TABLE memos RENAME TO notes;"
    ),
    (
      "0003_split_people",
      """
      -- strata:allow destructive(people.bio)
      -- strata:before SELECT count(*) > 0 FROM people
      CREATE TABLE profiles(id INTEGER, bio TEXT);
      INSERT INTO profiles SELECT id, bio FROM people WHERE bio IS NOT NULL;
      ALTER TABLE people DROP COLUMN bio;
      -- strata:after SELECT count(*) = 2 FROM profiles
      """,
      """
      -- strata:allow destructive(profiles)
      ALTER TABLE people ADD COLUMN bio TEXT;
      UPDATE people SET bio = (SELECT bio FROM profiles WHERE profiles.id = people.id);
      DROP TABLE profiles;
      """
    ),
    (
      "0004_text_ids",
      """
      -- strata:allow destructive(people), destructive(profiles), lossy, dangling
      CREATE TABLE new(id TEXT, name TEXT, age INTEGER, joined TIMESTAMP, vip BOOLEAN);
      INSERT INTO new SELECT 'p' || id, name, age, joined, vip FROM people;
      DROP TABLE people;
      ALTER TABLE new RENAME TO people;
      CREATE TABLE new(id TEXT, bio TEXT);
      INSERT INTO new SELECT 'p' || id, bio FROM profiles;
      DROP TABLE profiles;
      ALTER TABLE new RENAME TO profiles;
      CREATE TABLE new(id TEXT, author TEXT, body TEXT, weight DOUBLE);
      INSERT INTO new SELECT id, 'p' || author, body, weight FROM memos;
      DROP TABLE memos;
      ALTER TABLE new RENAME TO memos;
      """,
      """
      -- strata:allow destructive(people), destructive(profiles), lossy, dangling
      CREATE TABLE new(id INTEGER, name TEXT, age INTEGER, joined TIMESTAMP, vip BOOLEAN);
      INSERT INTO new SELECT CAST(substr(id, 2) AS INTEGER), name, age, joined, vip FROM people;
      DROP TABLE people;
      ALTER TABLE new RENAME TO people;
      CREATE TABLE new(id INTEGER, bio TEXT);
      INSERT INTO new SELECT CAST(substr(id, 2) AS INTEGER), bio FROM profiles;
      DROP TABLE profiles;
      ALTER TABLE new RENAME TO profiles;
      CREATE TABLE new(id TEXT, author INTEGER, body TEXT, weight DOUBLE);
      INSERT INTO new SELECT id, CAST(substr(author, 2) AS INTEGER), body, weight FROM memos;
      DROP TABLE memos;
      ALTER TABLE new RENAME TO memos;
      """
    ),
    ("0005_drop_tags", "-- strata:allow destructive(tags)\nDROP TABLE tags;", nil),
  ]

  init() async throws {
    folder = try Folder()
    let persistence = try await Persistence.open(
      at: folder.path("app.strata"),
      initialState: FirstState(),
      database: \.db
    )
    let store = Store<FirstState, Never>(persistence)
    store.commit {
      for id in 1...3 {
        $0.db.people.insert(
          Person(
            id: EntityID(id),
            name: "Person \(id)",
            age: id * 10,
            bio: id == 2 ? nil : "bio \(id)",
            joined: Date(timeIntervalSince1970: 1_770_000_000 + Double(id))
          )
        )
        $0.db.notes.insert(
          Memo(id: EntityID("n\(id)"), author: EntityID(id), text: "text \(id)", weight: .nan)
        )
      }
      $0.db.tags.insert(Tag(id: "t", label: "tag"))
    }
    try await persistence.close()
    try FileManager.default.createDirectory(atPath: scripts, withIntermediateDirectories: true)
    for release in Self.releases {
      try write(release.up, to: "\(release.name).sql")
      if let down = release.down { try write(down, to: "\(release.name).down.sql") }
    }
  }

  func write(_ text: String, to file: String) throws {
    try Data(text.utf8).write(to: URL(fileURLWithPath: "\(scripts)/\(file)"))
  }

  func remove(_ file: String) throws {
    try FileManager.default.removeItem(atPath: "\(scripts)/\(file)")
  }

  /// Runs `strata migrate VERB STORE … --dir Migrations`.
  func migrate(
    _ verb: String,
    _ store: String? = nil,
    _ arguments: String...
  ) async throws -> Program {
    try await Program.run(
      Program.strataPath(),
      ["migrate", verb, store ?? self.store] + arguments + ["--dir", scripts]
    )
  }

  /// Copies a closed store.
  func copy(_ store: String, as name: String) throws -> String {
    let path = folder.path("\(name).strata")
    for suffix in ["", ".head"] {
      try? FileManager.default.removeItem(atPath: path + suffix)
      try FileManager.default.copyItem(atPath: store + suffix, toPath: path + suffix)
    }
    return path
  }

  /// All records by table, with sorted fields; tables without records are left out.
  func contents(of store: String? = nil) throws -> [String: [String]] {
    let inspector = try Inspector(path: store ?? self.store)
    var contents: [String: [String]] = [:]
    for table in try inspector.tables() where table.count > 0 {
      contents[table.name] = try inspector.show(table: table.name)
        .map { try canonicalJSON($0.value.json()) }
    }
    return contents
  }
}

@Suite struct MigrateTests {
  /// What a report says of tables.
  private func tables(in report: String) throws -> [String] {
    let value = try JSONSerialization.jsonObject(with: Data(report.utf8))
    let steps = (value as? [String: Any])?["steps"] as? [[String: Any]] ?? []
    let tables = try steps.map { step in
      let data = try JSONSerialization.data(
        withJSONObject: step["tables"] ?? [],
        options: .sortedKeys
      )
      return String(decoding: data, as: UTF8.self)
    }
    #expect(!tables.isEmpty)
    return tables
  }

  @Test func `five releases by SQL, from every one to every later one`() async throws {
    let sample = try await Sample()
    var stores = [try sample.copy(sample.store, as: "v0")]
    var contents = [try sample.contents()]
    for number in 1...5 {
      #expect(try await sample.migrate("status").status == 2)
      let plan = try await sample.migrate("plan", nil, "--to", "\(number)", "--json")
      #expect(plan.status == 0, "\(plan)")
      #expect(try sample.contents() == contents[number - 1])
      let up = try await sample.migrate("up", nil, "--to", "\(number)", "--json")
      #expect(up.status == 0, "\(up)")
      #expect(try tables(in: plan.output) == tables(in: up.output))
      #expect(try await sample.migrate("verify").status == 0)
      #expect(try await Program.strata("verify", sample.store).status == 0)
      stores.append(try sample.copy(sample.store, as: "v\(number)"))
      contents.append(try sample.contents())
    }
    #expect(try await sample.migrate("status").status == 0)
    let last = contents[5]
    #expect(last.keys.sorted() == ["memos", "people", "profiles"])
    #expect(
      last["people"]?.first
        == #"{"age":10,"id":"p1","joined":"2026-02-02T02:40:01Z","name":"Person 1","vip":false}"#
    )
    #expect(last["memos"]?.last == #"{"author":"p3","body":"text 3","id":"n3","weight":"NaN"}"#)
    #expect(last["profiles"] == [#"{"bio":"bio 1","id":"p1"}"#, #"{"bio":"bio 3","id":"p3"}"#])
    for from in 0...4 {
      for to in (from + 1)...5 {
        let path = try sample.copy(stores[from], as: "path")
        let up = try await sample.migrate("up", path, "--to", "\(to)", "--no-backup")
        #expect(up.status == 0, "\(from) to \(to): \(up)")
        #expect(try sample.contents(of: path) == contents[to], "\(from) to \(to)")
      }
    }
  }

  @Test func `releases are taken back where their scripts say how`() async throws {
    let sample = try await Sample()
    let first = try sample.contents()
    #expect(try await sample.migrate("up", nil, "--to", "4").status == 0)
    let fourth = try sample.contents()
    let down = try await sample.migrate("down", nil, "--to", "0", "--json")
    #expect(down.status == 0, "\(down)")
    #expect(try sample.contents() == first)
    #expect(try await sample.migrate("up").status == 0)
    let refused = try await sample.migrate("down", nil, "--to", "0")
    #expect(refused.status == 1 && refused.errors.contains("0005_drop_tags"), "\(refused)")
    #expect(try sample.contents()["people"] == fourth["people"])
  }

  /// A script in place of the third one; the store stays as it was.
  private func failure(_ script: String, _ arguments: String...) async throws -> Program {
    let sample = try await Sample()
    try sample.write(script, to: "0003_split_people.sql")
    let before = try sample.contents()
    let arguments = ["migrate", "up", sample.store, "--dir", sample.scripts] + arguments
    let up = try await Program.run(Program.strataPath(), arguments)
    #expect(try sample.contents() == before)
    #expect(try await Program.strata("migrate", "history", sample.store).output.hasPrefix("No "))
    #expect(try await Program.strata("verify", sample.store).status == 0)
    return up
  }

  @Test func `an error in the third of five scripts changes nothing`() async throws {
    let up = try await failure("SELECT 1;\nUPDATE people SET agge == 1;")
    #expect(up.status == 1)
    #expect(up.errors.contains("0003_split_people") && up.errors.contains("line 2"), "\(up)")
  }

  @Test func `a script that reaches out or does not end changes nothing`() async throws {
    let endless = "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c)"
    for (script, text) in [
      ("ATTACH 'x' AS y;", "ATTACH"), ("PRAGMA writable_schema = 1;", "PRAGMA"),
      ("SELECT load_extension('x');", "load_extension"),
      ("UPDATE people SET name = randomblob(1e9);", "larger than 64 MB"),
      ("\(endless) INSERT INTO people(id) SELECT count(*) FROM c;", "longer than"),
      ("-- strata:after SELECT count(*) = 99 FROM people", "99"),
      ("UPDATE people SET id = 1;", "UNIQUE constraint failed: people.id"),
      ("UPDATE people SET age = 'old';", "age"),
    ] {
      let up = try await failure(script, "--timeout", "0.5")
      #expect(up.status == 1 && up.errors.contains(text), "\(script): \(up)")
      #expect(up.errors.contains("0003_split_people"), "\(up)")
    }
  }

  @Test func `a loss that the script does not allow stops plan and up`() async throws {
    let sample = try await Sample()
    try sample.write("ALTER TABLE people DROP COLUMN bio;", to: "0003_split_people.sql")
    let before = try sample.contents()
    let plan = try await sample.migrate("plan", nil, "--to", "3")
    #expect(plan.status == 2 && plan.output.contains("destructive(people.bio)"), "\(plan)")
    let up = try await sample.migrate("up", nil, "--to", "3")
    #expect(up.status == 2 && up.errors.contains("people.bio"), "\(up)")
    #expect(try sample.contents() == before)
    #expect(try await sample.migrate("up", nil, "--to", "3", "--dry-run").status == 2)
  }

  @Test func `what is not repeatable, and what changes nothing, is a note`() async throws {
    let sample = try await Sample()
    try sample.write("UPDATE people SET age = abs(random()) % 9;", to: "0003_split_people.sql")
    let random = try await sample.migrate("plan", nil, "--to", "3")
    #expect(random.status == 0 && random.output.contains("not-repeatable"), "\(random)")
    try sample.write("UPDATE people SET age = 1 WHERE id = 99;", to: "0003_split_people.sql")
    let none = try await sample.migrate("plan", nil, "--to", "3")
    #expect(none.status == 0 && none.output.contains("no-effect"), "\(none)")
  }

  @Test func `an edited script is drift, and one with other line ends is not`() async throws {
    let sample = try await Sample()
    #expect(try await sample.migrate("up", nil, "--to", "2").status == 0)
    let script = Sample.releases[1].up
    try sample.write(
      "-- licence\r\n" + script.replacing("\n", with: "\r\n"),
      to: "0002_rename_notes.sql"
    )
    #expect(try await sample.migrate("verify").status == 0)
    try sample.write(script.replacing("body", with: "content"), to: "0002_rename_notes.sql")
    for verb in ["status", "verify", "up", "plan"] {
      let program = try await sample.migrate(verb)
      #expect(program.status == 6 && program.errors.contains("0002"), "\(verb): \(program)")
    }
    let shown = try await sample.migrate("repair")
    #expect(shown.status == 2 && shown.output.contains("+ content"), "\(shown)")
    #expect(try await sample.migrate("verify").status == 6)
    #expect(try await sample.migrate("repair", nil, "--yes").status == 0)
    #expect(try await sample.migrate("verify").status == 0)
  }

  @Test func `a missing file is drift, and a gap is not run`() async throws {
    let sample = try await Sample()
    try sample.remove("0003_split_people.sql")
    try sample.remove("0003_split_people.down.sql")
    let gap = try await sample.migrate("up")
    #expect(gap.status == 1 && gap.errors.contains("0004_text_ids"), "\(gap)")
    try sample.write(Sample.releases[2].up, to: "0003_split_people.sql")
    #expect(try await sample.migrate("up", nil, "--to", "3").status == 0)
    try sample.remove("0003_split_people.sql")
    let missing = try await sample.migrate("verify")
    #expect(missing.status == 6 && missing.errors.contains("0003_split_people"), "\(missing)")
    let none = try await Program.strata("migrate", "up", sample.store, "--dir", "/nowhere")
    #expect(none.status == 3 && none.errors.contains("/nowhere"), "\(none)")
  }

  @Test func `a script that ran and is gone is drift, whichever it is`() async throws {
    let sample = try await Sample()
    #expect(try await sample.migrate("up").status == 0)
    for release in Sample.releases {
      try sample.remove("\(release.name).sql")
      if release.down != nil { try sample.remove("\(release.name).down.sql") }
      let verify = try await sample.migrate("verify")
      #expect(verify.status == 6 && verify.errors.contains(release.name), "\(verify)")
      try sample.write(release.up, to: "\(release.name).sql")
      if let down = release.down { try sample.write(down, to: "\(release.name).down.sql") }
    }
    #expect(try await sample.migrate("verify").status == 0)
  }

  @Test func `a script without a statement is not run`() async throws {
    let sample = try await Sample()
    #expect(try await sample.migrate("up").status == 0)
    let new = try await Program.strata(
      "migrate",
      "new",
      "later",
      "--down",
      "--dir",
      sample.scripts
    )
    #expect(new.status == 0, "\(new)")
    // The lock names the process that held it last.
    let before = try await sample.folder.contents().filter { !$0.key.hasSuffix(".lock") }
    for verb in ["plan", "up"] {
      let program = try await sample.migrate(verb)
      #expect(program.status == 2 && program.errors.contains("0006_later"), "\(program)")
    }
    #expect(try await sample.migrate("status").status == 2)
    let after = try await sample.folder.contents().filter { !$0.key.hasSuffix(".lock") }
    #expect(after == before)
    try sample.write("UPDATE people SET age = 1;", to: "0006_later.sql")
    #expect(try await sample.migrate("up").status == 0)
    let down = try await sample.migrate("down")
    #expect(down.status == 2 && down.errors.contains("0006_later.down"), "\(down)")
    #expect(try await sample.migrate("verify").status == 0)
  }

  @Test func `the command stops before a migration in Swift`() async throws {
    let sample = try await Sample()
    try sample.remove("0003_split_people.sql")
    try sample.remove("0003_split_people.down.sql")
    try sample.write("", to: "0003_split_people.swift")
    let up = try await sample.migrate("up")
    #expect(up.status == 2 && up.errors.contains("0003_split_people"), "\(up)")
    #expect(up.output.contains("Ran 2 migrations"), "\(up)")
    let again = try await sample.migrate("up")
    #expect(again.status == 2 && again.output.isEmpty, "\(again)")
  }

  @Test func `baseline notes migrations, and history lists them`() async throws {
    let sample = try await Sample()
    let before = try sample.contents()
    #expect(try await sample.migrate("baseline", nil, "5").status == 0)
    #expect(try sample.contents() == before)
    #expect(try await sample.migrate("status").status == 0)
    let history = try await Program.strata("migrate", "history", sample.store, "--json")
    #expect(try member("4", "name", of: history.output) == "0005_drop_tags")
    #expect(try member("4", "form", of: history.output) == "baseline")
  }

  @Test func `a squashed migration goes on where all of its parts ran`() async throws {
    let sample = try await Sample()
    let old = try sample.copy(sample.store, as: "old")
    #expect(try await sample.migrate("up", nil, "--to", "4").status == 0)
    let squash = try await Program.strata("migrate", "squash", "--to", "3", "--dir", sample.scripts)
    #expect(squash.status == 0, "\(squash)")
    let up = try await sample.migrate("up")
    #expect(up.status == 0, "\(up)")
    let refused = try await sample.migrate("up", old)
    #expect(refused.status == 6 && refused.errors.contains("0003_squashed"), "\(refused)")
  }

  @Test func `a test runs every script on copies of stores`() async throws {
    let sample = try await Sample()
    let before = try sample.contents()
    let other = try sample.copy(sample.store, as: "other")
    let arguments = ["migrate", "test", "--dir", sample.scripts, "--on", sample.store, other]
    let test = try await Program.run(Program.strataPath(), arguments)
    #expect(test.status == 0 && test.output.contains("passed"), "\(test)")
    #expect(try sample.contents() == before)
    try sample.write("-- strata:after SELECT 0", to: "0005_drop_tags.sql")
    #expect(try await Program.run(Program.strataPath(), arguments).status == 1)
  }

  @Test func `only up, down, baseline and repair change a store`() async throws {
    let sample = try await Sample()
    #expect(try await sample.migrate("up", nil, "--to", "1", "--no-backup").status == 0)
    let before = try await sample.folder.contents()
    for verb in ["status", "plan", "verify"] {
      let program = try await sample.migrate(verb)
      #expect([0, 2].contains(program.status), "\(verb): \(program)")
    }
    #expect(try await sample.migrate("up", nil, "--dry-run").status == 0)
    #expect(try await Program.strata("migrate", "history", sample.store).status == 0)
    let arguments = ["migrate", "test", "--dir", sample.scripts, "--on", sample.store]
    #expect(try await Program.run(Program.strataPath(), arguments).status == 0)
    #expect(try await sample.folder.contents() == before)
  }

  @Test func `what fails with --json prints JSON, and a misspelt verb gets a suggestion`()
    async throws
  {
    let sample = try await Sample()
    try sample.write("ALTER TABLE people DROP COLUMN bio;", to: "0003_split_people.sql")
    let up = try await sample.migrate("up", nil, "--to", "3", "--json")
    #expect(up.status == 2)
    let value = try JSONSerialization.jsonObject(with: Data(up.output.utf8)) as? [String: Any]
    #expect(value?["status"] as? Int == 2, "\(up)")
    let text = value?["error"] as? String ?? ""
    #expect(text.contains("-- strata:allow destructive(people.bio)"), "\(up)")
    let missing = try await Program.strata("info", "/nowhere.strata", "--json")
    #expect(missing.output.hasPrefix("{\"error\""), "\(missing)")
    for (words, meant) in [(["migrat", "up"], "migrate"), (["migrate", "pln"], "migrate plan")] {
      let program = try await Program.run(Program.strataPath(), words + [sample.store])
      #expect(program.status == 64 && program.errors.contains("`strata \(meant)`"), "\(program)")
    }
  }

  @Test func `new writes the files of the next number`() async throws {
    let folder = try Folder()
    let path = folder.path("Migrations")
    let new = try await Program.strata("migrate", "new", "add_email", "--down", "--dir", path)
    #expect(new.status == 0, "\(new)")
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: path).sorted()
        == ["0001_add_email.down.sql", "0001_add_email.sql"]
    )
    #expect(try await Program.strata("migrate", "new", "no blanks", "--dir", path).status == 64)
  }

  @Test func `new prints Swift that compiles in a library`() async throws {
    let folder = try Folder()
    let path = folder.path("Migrations")
    let source = try String(contentsOfFile: #filePath, encoding: .utf8)
    var printed: [String] = []
    for arguments in [["add_email", "--embedded"], ["split_name", "--embedded", "--swift"]] {
      let new = try await Program.run(
        try Program.strataPath(),
        ["migrate", "new"] + arguments + ["--dir", path]
      )
      #expect(new.status == 0, "\(new)")
      let parts = new.output.split(separator: "\n\n", maxSplits: 2)
      #expect(parts[0].hasSuffix("Add it to the list that the program passes to `open`:"))
      #expect(parts[1] == "import StrataMigrations")
      printed.append(String(parts[2]))
    }
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: path).sorted()
        == ["V0001_add_email.sql", "V0002_split_name.swift"]
    )
    // What is below is what is printed, and it compiles.
    for text in printed {
      let lines = text.split(separator: "\n")
      let code = "  static " + lines.joined(separator: "\n  ")
      #expect(source.contains(code), "\(code)")
    }
    #expect(try AddEmail.migrations().map(\.name) == ["0001_add_email"])
    #expect(try SplitName.migrations().map(\.name) == ["0002_split_name"])
    let down = try await Program.strata("migrate", "new", "x", "--swift", "--down", "--dir", path)
    #expect(down.status == 64)
    #expect(down.errors.contains(".reversed"))
  }

  @Test(
    arguments: [
      "status", "plan", "up", "down", "verify", "new", "baseline", "squash", "repair", "history",
      "test",
    ]
  )
  func `every verb has help with an example`(verb: String) async throws {
    let help = try await Program.strata("migrate", verb, "--help")
    #expect(help.status == 0 && help.output.contains("strata migrate \(verb) "), "\(help)")
  }
}

/// What a package has whose target embeds the scripts.
private enum PackageResources {
  static let V0001_add_email_sql: [UInt8] = Array("SELECT 1".utf8)
}

private enum AddEmail {
  static func migrations() throws -> [DataMigration] {
    [
      try DataMigration(
        "V0001_add_email",
        sql: String(decoding: PackageResources.V0001_add_email_sql, as: UTF8.self)
      )
    ]
  }
}

private enum SplitName {
  static func migrations() throws -> [DataMigration] {
    [
      // Those before it.
      DataMigration("0002_split_name", table: "users") { user in
        user["email"] = .string("")
      }
    ]
  }
}

/// What the verbs say of a folder and a store that do not fit, and of what there is nothing to do for.
@Suite struct MigrateMessagesTests {
  @Test func `what there is nothing to do for is said as it is`() async throws {
    let sample = try await Sample()
    let none = try await sample.migrate("down", nil, "--to", "2")
    #expect(none.output == "There is nothing to take back: no migration has run.\n", "\(none)")
    #expect(try await sample.migrate("up", nil, "--to", "2").status == 0)
    let up = try await sample.migrate("up", nil, "--to", "1")
    #expect(
      up.output
        == "There is nothing to run up to migration 1, which has run; 3 migrations are pending.\n",
      "\(up)"
    )
    for to in ["2", "4"] {
      let down = try await sample.migrate("down", nil, "--to", to)
      #expect(
        down.output == "There is nothing to take back: the store is at migration 2.\n",
        "\(down)"
      )
    }
    #expect(try await sample.migrate("up").status == 0)
    let all = try await sample.migrate("up", nil, "--to", "1")
    #expect(all.output == "There is nothing to migrate: no migration is pending.\n", "\(all)")
  }

  @Test func `a plan shows what the scripts before a failing one do`() async throws {
    let sample = try await Sample()
    try sample.write("UPDATE people SET agge = 1;", to: "0004_text_ids.sql")
    try sample.write(
      "DELETE FROM tags;\nALTER TABLE people ADD COLUMN rank INTEGER;\nCREATE TABLE teams(id TEXT, name TEXT);",
      to: "0002_rename_notes.sql"
    )
    let plan = try await sample.migrate("plan")
    #expect(plan.status == 1 && plan.errors.contains("0004_text_ids failed: line 1"), "\(plan)")
    #expect(plan.errors.hasPrefix("strata: \(sample.store): "), "\(plan)")
    #expect(plan.output.contains("added  people.vip\n"), "\(plan)")
    #expect(plan.output.contains("added  people.rank, teams\n"), "\(plan)")
    #expect(plan.output.contains("-- strata:allow destructive(tags)"), "\(plan)")
    #expect(plan.output.contains("added  profiles\n"), "\(plan)")
    let json = try await sample.migrate("plan", nil, "--json")
    let value = try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any]
    #expect((value?["steps"] as? [Any])?.count == 3, "\(json)")
    #expect((value?["failure"] as? String)?.contains("line 1") == true, "\(json)")
  }

  @Test func `a printed report reads as the plan does`() async throws {
    let sample = try await Sample()
    let plan = try await sample.migrate("plan", nil, "--to", "3")
    let migrator = DataMigrator(try SQLMigrations.folder(sample.scripts), at: sample.store)
    let report = try await migrator.plan(to: 3)
    func withoutTimes(_ text: some StringProtocol) -> [String] {
      text.split(separator: "\n").map { String($0).replacing(/\d+\.\d\d s/, with: "") }
    }
    #expect(withoutTimes("\(report)") == Array(withoutTimes(plan.output).dropLast()))
    #expect("\(report)".contains("0003_split_people"))
  }

  /// A merge: two migrations have the number 3, and one of them has run.
  @Test func `of two migrations of a number the one that ran keeps it`() async throws {
    let sample = try await Sample()
    #expect(try await sample.migrate("up", nil, "--to", "3").status == 0)
    try sample.write("UPDATE people SET age = 1;", to: "0003_another.sql")
    for verb in ["status", "up", "plan", "repair"] {
      let program = try await sample.migrate(verb)
      #expect(program.status == 1, "\(verb): \(program)")
      #expect(program.errors.contains("mv \(sample.scripts)/0003_another.sql"), "\(program)")
      #expect(!program.errors.contains("mv \(sample.scripts)/0003_split_people.sql"), "\(program)")
    }
  }

  @Test func `a script is not noted as applied that has not run`() async throws {
    let sample = try await Sample()
    #expect(try await sample.migrate("up", nil, "--to", "2").status == 0)
    let history = try await Program.strata("migrate", "history", sample.store, "--json").output
    let (name, script, down) = Sample.releases[1]
    try sample.remove("\(name).sql")
    try sample.remove("\(name).down.sql")
    try sample.write("UPDATE people SET age = 1;", to: "0002_another.sql")
    for verb in ["status", "up", "verify", "repair"] {
      let arguments = verb == "repair" ? ["--yes"] : []
      let program = try await Program.run(
        Program.strataPath(),
        ["migrate", verb, sample.store, "--dir", sample.scripts] + arguments
      )
      #expect(program.status == 6, "\(verb): \(program)")
      #expect(program.errors.contains("0002_another has not run on this store"), "\(program)")
    }
    // The one that ran has another number now.
    try sample.remove("0005_drop_tags.sql")
    try sample.write(script, to: "0005_rename_notes.sql")
    let renumbered = try await sample.migrate("repair", nil, "--yes")
    #expect(renumbered.status == 6, "\(renumbered)")
    #expect(
      renumbered.errors.contains("0005_rename_notes ran on this store as 0002_rename_notes"),
      "\(renumbered)"
    )
    #expect(
      try await Program.strata("migrate", "history", sample.store, "--json").output == history
    )
    // A renamed script is the same one.
    try sample.remove("0005_rename_notes.sql")
    try sample.write(
      "-- strata:allow destructive(tags)\nDROP TABLE tags;",
      to: "0005_drop_tags.sql"
    )
    try sample.remove("0002_another.sql")
    try sample.write(script, to: "0002_memos.sql")
    if let down { try sample.write(down, to: "0002_memos.down.sql") }
    #expect(try await sample.migrate("status").status == 6)
    #expect(try await sample.migrate("repair", nil, "--yes").status == 0)
    #expect(try await sample.migrate("up").status == 0)
  }

  @Test func `a folder that cannot be what is meant is exit code 1 or 3`() async throws {
    let sample = try await Sample()
    try sample.write("DELETE FROM people;", to: "0006_b.SQL")
    let name = try await sample.migrate("up")
    #expect(name.status == 1 && name.errors.contains("0006_b.sql"), "\(name)")
    #expect(try await Program.strata("migrate", "history", sample.store).output.hasPrefix("No "))
    let empty = try Folder()
    let status = try await Program.strata(
      "migrate",
      "status",
      sample.store,
      "--dir",
      empty.path(".")
    )
    #expect(status.status == 3 && status.errors.contains("has no migration"), "\(status)")
  }

  @Test func `the permissions of a refusal are lines of their own`() async throws {
    let sample = try await Sample()
    try sample.write(
      "DELETE FROM tags;\nALTER TABLE people DROP COLUMN age;",
      to: "0003_split_people.sql"
    )
    let up = try await sample.migrate("up", nil, "--to", "3")
    #expect(up.status == 2, "\(up)")
    let lines = up.errors.split(separator: "\n").filter { $0.hasPrefix("-- strata:allow ") }
    #expect(
      lines.sorted()
        == ["-- strata:allow destructive(people.age)", "-- strata:allow destructive(tags)"],
      "\(up)"
    )
  }
}

/// What fails in the directory of temporary files.
@Suite struct TemporaryDirectoryTests {
  /// Runs `strata` in a shell that has set something up.
  private func strata(_ setting: String, _ arguments: String...) async throws -> Program {
    let line = "\(setting); exec \"$0\" \"$@\""
    return try await Program.run("/bin/bash", ["-c", line, try Program.strataPath()] + arguments)
  }

  private func expect(_ program: Program, names directory: String, _ comment: Comment) {
    #expect(program.status == 74, "\(comment): \(program)")
    #expect(program.errors.contains("temporary file"), "\(comment): \(program)")
    #expect(program.errors.contains("\(directory),"), "\(comment): \(program)")
    #expect(program.errors.contains("TMPDIR"), "\(comment): \(program)")
  }

  /// Lets no file be larger than some kilobytes, as on a full disk.
  private static func full(_ kilobytes: Int) -> String { "trap '' XFSZ; ulimit -f \(kilobytes)" }

  @Test func `a plan names the directory in which it cannot make its copy`() async throws {
    let sample = try await Sample()
    let before = try sample.contents()
    for verb in ["plan", "test"] {
      let store = verb == "test" ? ["--on", sample.store] : [sample.store]
      for directory in [sample.folder.path("nowhere"), "/proc", "/dev/null"] {
        let line = "export TMPDIR='\(directory)'; exec \"$0\" \"$@\""
        let program = try await Program.run(
          "/bin/bash",
          ["-c", line, try Program.strataPath(), "migrate", verb, "--dir", sample.scripts] + store
        )
        expect(program, names: directory, "\(verb) \(directory)")
      }
    }
    let small = try await strata(
      "export TMPDIR='\(sample.folder.path(""))'; \(Self.full(8))",
      "migrate",
      "plan",
      sample.store,
      "--dir",
      sample.scripts
    )
    #expect(small.status == 74 && small.errors.contains("TMPDIR"), "\(small)")
    #expect(try sample.contents() == before)
  }

  @Test func `a script that fills the directory is not one that fails`() async throws {
    let sample = try await Sample()
    let before = try sample.contents()
    try sample.write(
      """
      CREATE TEMP TABLE big(x);
      WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 60000)
        INSERT INTO big SELECT hex(randomblob(500)) FROM c;
      """,
      to: "0002_rename_notes.sql"
    )
    let up = try await strata(
      Self.full(20_000),
      "migrate",
      "up",
      sample.store,
      "--no-backup",
      "--dir",
      sample.scripts
    )
    expect(up, names: FileManager.default.temporaryDirectory.standardizedFileURL.path, "up")
    #expect(try sample.contents() == before)
  }

  @Test func `a query that fills the directory names it`() async throws {
    let sample = try await Sample()
    let query = try await strata(
      Self.full(4_000),
      "query",
      sample.store,
      """
      WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 100000)
        SELECT hex(randomblob(500)) AS x FROM c ORDER BY x
      """
    )
    expect(query, names: FileManager.default.temporaryDirectory.standardizedFileURL.path, "query")
  }

  @Test func `a store that is read from a copy names the directory of it`() async throws {
    let folder = try Folder()
    let persistence = try await Persistence.open(
      at: folder.path("app.strata"),
      initialState: FirstState(),
      database: \.db
    )
    let store = Store<FirstState, Never>(persistence)
    store.commit { $0.db.tags.insert(Tag(id: "t", label: "tag")) }
    try await persistence.flush()
    for suffix in ["", "-wal", ".head"] {
      try FileManager.default.copyItem(
        atPath: folder.path("app.strata") + suffix,
        toPath: folder.path("copy.strata") + suffix
      )
    }
    try await persistence.close()
    let missing = folder.path("nowhere")
    for verb in ["info", "tables"] {
      let read = try await strata("export TMPDIR='\(missing)'", verb, folder.path("copy.strata"))
      expect(read, names: missing, "\(verb)")
    }
    #expect(try await Program.strata("tables", folder.path("copy.strata")).output.contains("tags"))
  }
}
