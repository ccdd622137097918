import Foundation
import StrataMigrating
import StrataRecords
import StrataSQL
import StrataScripts
import StrataStorage
import TestSupport
import Testing

/// Scripts, their comments, and folders of them.
@Suite struct MigrationScriptTests {
  private func folder(_ files: [String: String]) throws -> TemporaryDirectory {
    let directory = try TemporaryDirectory()
    for (name, text) in files {
      try Data(text.utf8).write(to: directory.url.appendingPathComponent(name))
    }
    return directory
  }

  private func error<R>(_ body: () throws -> R) throws -> SQLMigrationError? {
    do {
      _ = try body()
      return nil
    } catch let error as SQLMigrationError {
      return error
    }
  }

  @Test func `a folder is a list in the order of its numbers`() throws {
    let directory = try folder([
      "0002_b.sql": "SELECT 2", "V0001_a.sql": "SELECT 1", "0010_c.sql": "SELECT 3",
      "0010_c.down.sql": "SELECT 4", "0011_d.swift": "let x = 1", "README.md": "no migration",
      ".hidden.sql": "nor this", "Helpers.swift": "nor this",
    ])
    let list = try SQLMigrations.read(directory.url.path)
    #expect(list.map(\.name) == ["0001_a", "0002_b", "0010_c", "0011_d"])
    #expect(list.map(\.number) == [1, 2, 10, 11])
    #expect(list.map(\.form) == [.sql, .sql, .sql, .swift])
    #expect(list.map(\.isReversible) == [false, false, true, false])
  }

  @Test func `the content of a script is its words`() throws {
    let script = "SELECT 1, 'a  b' FROM users;\n"
    let same = "-- text\r\nSELECT   1 ,\r\n 'a  b'\r\nFROM users ;"
    let content = try DataMigration("0001_a", sql: script).content
    #expect(try DataMigration("V0001_a", sql: same).content == content)
    #expect(try DataMigration("0001_a", sql: "SELECT 1, 'a b' FROM users;").content != content)
  }

  @Test func `steps in Swift take the place of their files`() throws {
    let directory = try folder(["0001_a.sql": "SELECT 1", "0002_b.swift": ""])
    let path = directory.url.path
    let step = DataMigration("0002_b") { _ in }
    let list = try SQLMigrations.folder(path, with: [step])
    #expect(list.map(\.name) == ["0001_a", "0002_b"])
    #expect(try error { try SQLMigrations.folder(path) } == .missingSwift(migration: "0002_b"))
    #expect(
      try error { try SQLMigrations.folder(path, with: [step, DataMigration("0003_c") { _ in }]) }
        == .missingFile(migration: "0003_c")
    )
  }

  @Test func `what is wrong with a folder is a typed error`() throws {
    func error(_ files: [String: String]) throws -> SQLMigrationError? {
      let directory = try folder(files)
      let path = directory.url.path
      return try self.error { try SQLMigrations.read(path) }
    }
    guard case .duplicate(1, let files, _)? = try error(["0001_a.sql": "", "0001_b.sql": ""]) else {
      Issue.record("two migrations of one number were read")
      return
    }
    #expect(files == ["0001_a.sql", "0001_b.sql"])
    #expect(try error(["0001_a.down.sql": ""]) == .onlyDown(file: "0001_a.down.sql"))
    guard case .badName? = try error(["first.sql": ""]) else {
      Issue.record("a file without a number was read")
      return
    }
    guard case .badName? = try error(["0000_a.sql": ""]) else {
      Issue.record("the number 0 was read")
      return
    }
    guard case .unreadable? = try self.error({ try SQLMigrations.read("/nowhere") }) else {
      Issue.record("a folder that is not there was read")
      return
    }
  }

  @Test func `one of two migrations of a number is renamed by the command in the error`() throws {
    let directory = try folder([
      "0001_z.sql": "SELECT 1", "0001_a b.sql": "SELECT 2", "0001_a b.down.sql": "SELECT 3",
      "0012_c.sql": "SELECT 4",
    ])
    let path = directory.url.path
    let commands = [
      "mv '\(path)/0001_a b.sql' '\(path)/0013_a b.sql'"
        + " && mv '\(path)/0001_a b.down.sql' '\(path)/0013_a b.down.sql'",
      "mv '\(path)/0001_z.sql' '\(path)/0013_z.sql'",
    ]
    func renames(applied: [String]) throws -> [String]? {
      guard
        case .duplicate(1, let files, let renames)? = try error({
          try MigrationFolder(path, applied: applied)
        })
      else { return nil }
      #expect(files == ["0001_a b.sql", "0001_z.sql"])
      return renames
    }
    #expect(try renames(applied: []) == commands)
    #expect(try renames(applied: ["0001_a b"]) == [commands[1]])
    #expect(try renames(applied: ["0001_z"]) == [commands[0]])
    let shell = Process()
    shell.executableURL = URL(fileURLWithPath: "/bin/sh")
    shell.arguments = ["-c", commands[0]]
    try shell.run()
    shell.waitUntilExit()
    let folder = try MigrationFolder(path)
    #expect(folder.steps.map(\.name) == ["0001_z", "0012_c", "0013_a b"])
    #expect(folder.steps.last?.down == "SELECT 3")
  }

  @Test func `comments of a script are checks and permissions`() throws {
    let squashed = try DataMigration("0005_squashed", sql: "-- strata:replaces 1...5")
    #expect(squashed.form == .squashed && squashed.replaces == 1...5)
    for (comment, detail) in [
      ("-- strata:alow destructive(users)", "strata:alow"), ("-- strata:before", "SELECT"),
      ("--strata:allow nonsense(users)", "nonsense"), ("-- strata:allow", "destructive"),
      ("-- strata:allow destructive(users", "destructive"), ("-- strata:replaces 5", "1...12"),
    ] {
      let found = try error { try DataMigration("0001_a", sql: "SELECT 1;\n  \(comment)\n") }
      guard case .directive(migration: "0001_a", line: 2, let text)? = found else {
        Issue.record("\(comment): \(String(describing: found))")
        continue
      }
      #expect(text.contains(detail), "\(comment): \(text)")
    }
  }

  @Test func `new files have the next number, and squashed ones move away`() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("Migrations")
    let first = try MigrationFolder(creating: path).add("first", .sql(withDown: true))
    #expect(first == ["\(path)/0001_first.sql", "\(path)/0001_first.down.sql"])
    #expect(
      try MigrationFolder(path).add("second", .swift) == ["\(path)/0002_second.swift"]
    )
    _ = try MigrationFolder(path).add("third", .sql(withDown: false))
    let names = try SQLMigrations.read(path).map(\.name)
    #expect(names == ["0001_first", "0002_second", "0003_third"])
    #expect(try MigrationFolder(path).squash(to: 2) == "\(path)/0002_squashed.sql")
    #expect(try SQLMigrations.read(path).map(\.name) == ["0002_squashed", "0003_third"])
    #expect(try SQLMigrations.read(path)[0].replaces == 1...2)
    #expect(
      try SQLMigrations.read("\(path)/squashed").map(\.name) == ["0001_first", "0002_second"]
    )
    #expect(try error { try MigrationFolder(path).squash(to: 9) } == .noMigration(number: 9))
  }

  @Test func `files that a package embeds keep their letter`() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("Migrations")
    let files = try MigrationFolder(creating: path).add("first", .embedded(withDown: true))
    #expect(files == ["\(path)/V0001_first.sql", "\(path)/V0001_first.down.sql"])
    #expect(
      MigrationFolder.declaration(embedding: files) == """
        import StrataMigrations

        func migrations() throws -> [DataMigration] {
          [
            try DataMigration(
              "V0001_first",
              sql: String(decoding: PackageResources.V0001_first_sql, as: UTF8.self),
              down: String(decoding: PackageResources.V0001_first_down_sql, as: UTF8.self)
            )
          ]
        }
        """
    )
    _ = try MigrationFolder(path).add("second", .embedded(withDown: false))
    #expect(try SQLMigrations.read(path).map(\.name) == ["0001_first", "0002_second"])

    try Data("SELECT 1".utf8).write(to: URL(fileURLWithPath: "\(path)/V0002_third.sql"))
    let found = try error { try MigrationFolder(path) }
    guard case .duplicate(2, _, let renames)? = found else {
      Issue.record("\(String(describing: found))")
      return
    }
    #expect(renames.last == "mv '\(path)/V0002_third.sql' '\(path)/V0003_third.sql'")
    try FileManager.default.removeItem(atPath: "\(path)/V0002_third.sql")
    #expect(try MigrationFolder(path).squash(to: 2) == "\(path)/V0002_squashed.sql")
  }

  @Test func `a migration in Swift beside embedded scripts is passed under its name`() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("Migrations")
    _ = try MigrationFolder(creating: path).add("first", .embedded(withDown: false))
    let files = try MigrationFolder(path).add("split", .embeddedSwift)
    #expect(files == ["\(path)/V0002_split.swift"])
    #expect(
      MigrationFolder.declaration(embedding: files).contains(
        """
            // Those before it.
            DataMigration("0002_split", table: "users") { user in
        """
      )
    )
    let split = DataMigration("0002_split", table: "users") { $0["email"] = .string("") }
    #expect(
      try SQLMigrations.folder(path, with: [split]).map(\.name) == ["0001_first", "0002_split"]
    )
  }

  @Test func `a script that stands for others has nothing that would not run`() throws {
    let replaces = "-- strata:replaces 1...5"
    for (sql, down, detail) in [
      ("\(replaces)\nUPDATE users SET name = 'x';", nil, "move them to the next number"),
      ("\(replaces)\n-- strata:before SELECT 1", nil, "remove its checks and permissions"),
      ("\(replaces)\n-- strata:allow destructive(users)", nil, "remove its checks"),
      (replaces, "-- empty", "remove its script for the way back"),
      ("-- strata:replaces 1...4", nil, "write 1...5"),
      ("-- strata:replaces 1...6", nil, "write 1...5"),
    ] as [(String, String?, String)] {
      let found = try error { try DataMigration("0005_squashed", sql: sql, down: down) }
      guard case .directive(migration: "0005_squashed", line: 1, let text)? = found else {
        Issue.record("\(sql): \(String(describing: found))")
        continue
      }
      #expect(text.contains(detail), "\(sql): \(text)")
    }
    let twice = try error {
      try DataMigration("0005_squashed", sql: "\(replaces)\n-- strata:replaces 1...5")
    }
    guard case .directive(migration: "0005_squashed", line: 2, _)? = twice else {
      Issue.record("\(String(describing: twice))")
      return
    }
    let back = try error { try DataMigration("0005_a", sql: "SELECT 1", down: replaces) }
    guard case .directive(migration: "0005_a.down", line: 1, _)? = back else {
      Issue.record("\(String(describing: back))")
      return
    }
  }

  /// The files below a folder with their texts, hidden ones included.
  private func files(_ path: String) throws -> [String: String] {
    var files: [String: String] = [:]
    for name in try FileManager.default.subpathsOfDirectory(atPath: path) {
      files[name] = FileManager.default.contents(atPath: "\(path)/\(name)").map {
        String(decoding: $0, as: UTF8.self)
      }
    }
    return files
  }

  @Test(arguments: ["squashed/0002_b.sql", "0002_squashed.sql", "squashed", ".0002_squashed.sql"])
  func `a squash that finds a file in its way moves none`(_ file: String) throws {
    let directory = try folder(["0001_a.sql": "1", "0001_a.down.sql": "-1", "0002_b.sql": "2"])
    let migrations = try MigrationFolder(directory.url.path)
    let other = directory.url.appendingPathComponent(file)
    if file.hasPrefix("squashed/") {
      try FileManager.default.createDirectory(
        at: other.deletingLastPathComponent(),
        withIntermediateDirectories: true
      )
    }
    try Data("other".utf8).write(to: other)
    let before = try files(directory.url.path)
    guard case .unwritable? = try error({ try migrations.squash(to: 2) }) else {
      Issue.record("it was squashed")
      return
    }
    #expect(try files(directory.url.path) == before)
  }

  @Test func `a squash that fails between two files moves the first ones back`() throws {
    let directory = try folder(["0001_a.sql": "1", "0001_a.down.sql": "-1", "0002_b.sql": "2"])
    let migrations = try MigrationFolder(directory.url.path)
    try FileManager.default.removeItem(at: directory.url.appendingPathComponent("0002_b.sql"))
    let before = try files(directory.url.path)
    guard case .unwritable(_, let detail)? = try error({ try migrations.squash(to: 2) }) else {
      Issue.record("it was squashed")
      return
    }
    #expect(detail.contains("0002_b.sql"))
    #expect(try files(directory.url.path) == before)
  }

  @Test func `each error of a script says what to do`() throws {
    let errors: [(EntityTableError, String)] = [
      (.refused("ATTACH"), "may use its tables only"),
      (.timeLimit(.milliseconds(500)), "longer than 0.5 s; let it do less, or raise the limit"),
      (.timeLimit(.seconds(600)), "longer than 600 s; let it do less, or raise the limit"),
      (
        .valueTooLarge(line: 3), "line 3: a value is larger than 64 MB; let the script make smaller"
      ),
      (.tooMuch, "does it end?"),
      (.temporaryFile("x"), "check the disk"),
      (.memoryLimit, "raise the limit"),
      (.noID(table: "t"), "add one"),
      (.withoutRowID(table: "t"), "declare it without that"),
      (.badID(table: "t", value: "NULL"), "has NULL for its ID; give it one"),
      (.sameID(table: "t", id: "1"), "give one of them another"),
      (.unknownType(table: "t", column: "c", type: "X"), "use one such as TEXT"),
      (.doesNotFit(table: "t", id: "1", column: "c", kind: "UUID"), "is no UUID; convert it"),
    ]
    for (error, remedy) in errors { #expect(error.description.contains(remedy)) }
    let directive = SQLMigrationError.directive(migration: "0001_a", line: 2, detail: "x")
    #expect(directive.description == "0001_a, line 2: x. Correct the line, or remove it.")
  }

  @Test func `a difference of scripts shows words, not spacing`() {
    let before = "-- old\nUPDATE users SET age = age+1 WHERE age > 10;"
    #expect(ScriptDifference(from: before, to: before.uppercased()).parts.count > 1)
    #expect(
      ScriptDifference(from: before, to: "UPDATE users\n SET age = age+1\n WHERE age > 12 ;").parts
        == [
          .same("… age = age+1 WHERE age >"), .removed("10;"), .added("12;"),
        ]
    )
    #expect(
      ScriptDifference(from: before, to: "UPDATE users SET age = age+1 WHERE age > 10;").parts
        .allSatisfy { if case .same = $0 { true } else { false } }
    )
  }

  @Test(
    arguments: [
      ("SELECT 'a  b'", "SELECT 'a b'"), ("SELECT 'a, b'", "SELECT 'a,b'"),
      ("SELECT age+1", "SELECT age + 1"), ("SELECT \"a (b\"", "SELECT \"a(b\""),
    ]
  )
  func `a difference shows whatever a checksum notices`(old: String, new: String) throws {
    let content = try DataMigration("0001_a", sql: old).content
    #expect(try DataMigration("0001_a", sql: new).content != content)
    let difference = ScriptDifference(from: old, to: new)
    #expect(
      difference.parts == [
        .same("SELECT"), .removed(String(old.dropFirst(7))), .added(String(new.dropFirst(7))),
      ]
    )
  }
}
