import Foundation
import Strata
import StrataMigrating
import StrataMigrations
import TestSupport
import Testing

/// Every pair of five releases, by the library and by the command, in SQL and in Swift: what the store holds then is compared
/// with what plain Swift computes, and the older build is refused from then on.
///
/// The releases: people have a name in two parts and a fee in euros; one name; a fee in cents; a level, which counts their
/// visits; and are members at last.
struct ReleaseMatrixTests {
  private static let count = loopCount("STRATA_MATRIX", 200)

  /// How the steps are written.
  enum Form: String, CaseIterable { case sql, swift }

  /// What runs them.
  enum Tool: String, CaseIterable { case library, command }

  /// What a run of migrations came to.
  private enum Run { case done, needsProgram }

  private let folder: Folder

  init() throws { folder = try Folder() }

  @Test(arguments: Tool.allCases, Form.allCases)
  func `from each release to each later one nothing differs from what is expected`(
    _ tool: Tool,
    _ form: Form
  ) async throws {
    var releases = [folder.path("release 0.strata")]
    try await Releases.all[0].make(releases[0], Self.count)
    for number in 1..<Releases.all.count {
      releases.append(try copy(releases[number - 1], to: "release \(number)"))
      #expect(try await run(.library, form, to: number, releases[number]) == .done)
    }
    for first in 0..<releases.count - 1 {
      for last in first + 1..<releases.count {
        let comment = Comment("\(tool), \(form), \(first) to \(last)")
        let path = try copy(releases[first], to: "\(first) to \(last)")
        #expect(try await runToTheEnd(tool, form, to: last, path) == .done, comment)
        let error = await #expect(throws: PersistenceError.self, comment) {
          try await Releases.all[first].open(path, Steps.list(form, first))
        }
        let older = try #require(error?.olderBuild, comment)
        #expect(older.known == first && older.last == last, comment)
        #expect(older.lacks == Steps.all[first..<last].map(\.name), comment)
        try await Releases.all[last].open(path, Steps.list(form, last))
        let expected = try Expected(Self.count).lines(ofRelease: last)
        let found = try await contents(of: path)
        #expect(found.subtracting(expected).sorted().prefix(3) == [], comment)
        #expect(expected.subtracting(found).sorted().prefix(3) == [], comment)
        try FileManager.default.removeItem(atPath: path)
      }
    }
  }

  /// Runs the migrations; the command leaves those in Swift to a program.
  private func runToTheEnd(
    _ tool: Tool,
    _ form: Form,
    to last: Int,
    _ path: String
  ) async throws -> Run {
    let run = try await run(tool, form, to: last, path)
    if run != .needsProgram { return run }
    #expect(tool == .command && form == .swift)
    return try await self.run(.library, form, to: last, path)
  }

  private func run(
    _ tool: Tool,
    _ form: Form,
    to last: Int,
    _ path: String
  ) async throws -> Run {
    switch tool {
    case .library:
      try await Releases.all[last].open(path, Steps.list(form, last))
      return .done
    case .command:
      let program = try await Program.strata(
        "migrate",
        "up",
        path,
        "--dir",
        try scripts(form, last)
      )
      if program.status == 0 { return .done }
      #expect(form == .swift, "\(program)")
      return .needsProgram
    }
  }

  /// A folder with the first of the scripts, or with the files that stand for steps in Swift.
  private func scripts(_ form: Form, _ last: Int) throws -> String {
    let path = folder.path("\(form) \(last)")
    if FileManager.default.fileExists(atPath: path) { return path }
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    for step in Steps.all.prefix(last) {
      let file = form == .sql ? "\(step.name).sql" : "\(step.name).swift"
      let text = form == .sql ? step.sql : ""
      try Data(text.utf8).write(to: URL(fileURLWithPath: "\(path)/\(file)"))
    }
    return path
  }

  private func copy(_ store: String, to name: String) throws -> String {
    let path = folder.path("\(name).strata")
    for suffix in ["", ".head"] {
      try FileManager.default.copyItem(atPath: store + suffix, toPath: path + suffix)
    }
    return path
  }

  /// Each record as the command exports it, with its table.
  private func contents(of path: String) async throws -> Set<String> {
    let export = try await Program.strata("export", path, "--ndjson")
    #expect(export.status == 0)
    let lines = try export.output.split(separator: "\n").map { line in
      let record = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
      let value = record?["value"] as? [String: Any] ?? [:]
      return try Expected.line(
        record?["table"] as? String ?? "",
        value.filter { !($0.value is NSNull) }
      )
    }
    #expect(Set(lines).count == lines.count)
    return Set(lines)
  }
}

/// The records of each release, without the library.
private struct Expected {
  let count: Int

  init(_ count: Int) { self.count = count }

  static func line(_ table: String, _ record: [String: Any]) throws -> String {
    let data = try JSONSerialization.data(withJSONObject: record, options: .sortedKeys)
    return "\(table) \(String(decoding: data, as: UTF8.self))"
  }

  func lines(ofRelease release: Int) throws -> Set<String> {
    var lines: Set<String> = []
    var visits: [Int: Int] = [:]
    for number in 1...count { visits[person(ofVisit: number), default: 0] += 1 }
    let (people, person) = release < 4 ? ("people", "person") : ("members", "member")
    for number in 1...count {
      var record = part("First \(number)", "Last \(number)", fee: number % 7, in: release)
      record["id"] = "p\(number)"
      if number % 3 > 0 { record["note"] = "note \(number)" }
      if release > 2 { record["level"] = visits[number] ?? 0 }
      lines.insert(try Self.line(people, record))
      lines.insert(
        try Self.line(
          "visits",
          ["id": "v\(number)", person: "p\(self.person(ofVisit: number))", "minutes": number]
        )
      )
    }
    return lines
  }

  private func part(
    _ first: String,
    _ last: String,
    fee: Int,
    in release: Int
  ) -> [String: Any] {
    var record: [String: Any] =
      release == 0 ? ["first": first, "last": last] : ["name": "\(first) \(last)"]
    record[release < 2 ? "fee" : "cents"] = release < 2 ? fee : 100 * fee
    return record
  }

  private func person(ofVisit number: Int) -> Int { number * number % (count / 2) + 1 }
}

/// The steps from each release to the next one, in both forms.
private enum Steps {
  static let all: [(name: String, sql: String, swift: DataMigration)] = [
    (
      "0001_full_name",
      """
      -- strata:allow destructive(people.first), destructive(people.last)
      ALTER TABLE people ADD COLUMN name TEXT;
      UPDATE people SET name = first || ' ' || last;
      ALTER TABLE people DROP COLUMN first;
      ALTER TABLE people DROP COLUMN last;
      """,
      DataMigration("0001_full_name", table: "people") { person in
        guard let first = person["first"]?.text, let last = person["last"]?.text else { return }
        person["name"] = .string("\(first) \(last)")
        person.remove("first", "last")
      }.allowing(.destructive("people.first"), .destructive("people.last"))
    ),
    (
      "0002_cents",
      "ALTER TABLE people RENAME COLUMN fee TO cents;\nUPDATE people SET cents = cents * 100;",
      DataMigration("0002_cents", table: "people") { person in
        guard let fee = try person.value(Int.self, of: "fee") else { return }
        person["cents"] = .integer(100 * fee)
        person.remove("fee")
      }.allowing(.destructive("people.fee"))
    ),
    (
      "0003_level",
      """
      ALTER TABLE people ADD COLUMN level INTEGER;
      UPDATE people SET level = (SELECT count(*) FROM visits WHERE visits.person = people.id);
      """,
      DataMigration("0003_level") { tables in
        var visits: [String: Int] = [:]
        try tables.forEach(in: "visits") { visits[$0["person"]?.text ?? "", default: 0] += 1 }
        try tables.forEach(in: "people") { $0["level"] = .integer(visits[$0.id.text ?? ""] ?? 0) }
      }
    ),
    (
      "0004_members",
      "ALTER TABLE people RENAME TO members;\nALTER TABLE visits RENAME COLUMN person TO member;",
      DataMigration(
        "0004_members",
        .rename("people", to: "members"),
        .renameField("person", to: "member", in: "visits")
      )
    ),
  ]

  static func list(_ form: ReleaseMatrixTests.Form, _ last: Int) throws -> [DataMigration] {
    try all.prefix(last).map { step in
      form == .sql ? try DataMigration(step.name, sql: step.sql) : step.swift
    }
  }
}

/// A program of one of the releases.
private struct ReleasedApp<Database: DatabaseType>: AnyReleasedApp {
  struct State: StateType { var db = Database() }

  /// Only the first release makes a store.
  var fill: @Sendable (inout Database, Int) -> Void = { _, _ in }

  private func use(
    _ path: String,
    _ list: [DataMigration],
    _ change: ((inout Database) -> Void)?
  ) async throws {
    let persistence = try await Persistence.open(
      at: path,
      initialState: State(),
      database: \.db,
      with: [.migrations(list)]
    )
    let store = Store<State, Never>(persistence)
    if let change { store.commit { change(&$0.db) } }
    try await persistence.close()
  }

  func make(_ path: String, _ count: Int) async throws {
    try await use(path, []) { fill(&$0, count) }
  }

  func open(_ path: String, _ list: [DataMigration]) async throws { try await use(path, list, nil) }
}

private protocol AnyReleasedApp: Sendable {
  func make(_ path: String, _ count: Int) async throws
  func open(_ path: String, _ list: [DataMigration]) async throws
}

/// The types of the releases.
private enum Releases {
  struct Person0: EntityType {
    static let tableName: TableName = "people"
    let id: EntityID<Person0>
    var first: String?
    var last: String?
    var fee: Int?
    var note: String?
  }

  struct Visit0: EntityType {
    static let tableName: TableName = "visits"
    let id: EntityID<Visit0>
    var person: Person0.ID
    var minutes: Int
  }

  struct Database0: DatabaseType {
    var people = EntityTable<Person0>()
    var visits = EntityTable<Visit0>()
    static let schema = DatabaseSchema<Database0> {
      Entities(\.people)
      Entities(\.visits)
    }
  }

  struct Person1: EntityType {
    static let tableName: TableName = "people"
    let id: EntityID<Person1>
    var name: String?
    var fee: Int?
    var note: String?
  }

  struct Visit1: EntityType {
    static let tableName: TableName = "visits"
    let id: EntityID<Visit1>
    var person: Person1.ID
    var minutes: Int
  }

  struct Database1: DatabaseType {
    var people = EntityTable<Person1>()
    var visits = EntityTable<Visit1>()
    static let schema = DatabaseSchema<Database1> {
      Entities(\.people)
      Entities(\.visits)
    }
  }

  struct Person2: EntityType {
    static let tableName: TableName = "people"
    let id: EntityID<Person2>
    var name: String?
    var cents: Int?
    var note: String?
  }

  struct Visit2: EntityType {
    static let tableName: TableName = "visits"
    let id: EntityID<Visit2>
    var person: Person2.ID
    var minutes: Int
  }

  struct Database2: DatabaseType {
    var people = EntityTable<Person2>()
    var visits = EntityTable<Visit2>()
    static let schema = DatabaseSchema<Database2> {
      Entities(\.people)
      Entities(\.visits)
    }
  }

  struct Person3: EntityType {
    static let tableName: TableName = "people"
    let id: EntityID<Person3>
    var name: String?
    var cents: Int?
    var level: Int?
    var note: String?
  }

  struct Visit3: EntityType {
    static let tableName: TableName = "visits"
    let id: EntityID<Visit3>
    var person: Person3.ID
    var minutes: Int
  }

  struct Database3: DatabaseType {
    var people = EntityTable<Person3>()
    var visits = EntityTable<Visit3>()
    static let schema = DatabaseSchema<Database3> {
      Entities(\.people)
      Entities(\.visits)
    }
  }

  struct Person4: EntityType {
    static let tableName: TableName = "members"
    let id: EntityID<Person4>
    var name: String?
    var cents: Int?
    var level: Int?
    var note: String?
  }

  struct Visit4: EntityType {
    static let tableName: TableName = "visits"
    let id: EntityID<Visit4>
    var member: Person4.ID
    var minutes: Int
  }

  struct Database4: DatabaseType {
    var people = EntityTable<Person4>()
    var visits = EntityTable<Visit4>()
    static let schema = DatabaseSchema<Database4> {
      Entities(\.people)
      Entities(\.visits)
    }
  }

  static let all: [any AnyReleasedApp] = [
    ReleasedApp<Database0>(fill: fill), ReleasedApp<Database1>(), ReleasedApp<Database2>(),
    ReleasedApp<Database3>(), ReleasedApp<Database4>(),
  ]

  @Sendable
  private static func fill(_ database: inout Database0, _ count: Int) {
    for number in 1...count {
      database.people.insert(
        Person0(
          id: EntityID("p\(number)"),
          first: "First \(number)",
          last: "Last \(number)",
          fee: number % 7,
          note: number % 3 > 0 ? "note \(number)" : nil
        )
      )
      database.visits.insert(
        Visit0(
          id: EntityID("v\(number)"),
          person: EntityID("p\(number * number % (count / 2) + 1)"),
          minutes: number
        )
      )
    }
  }
}
