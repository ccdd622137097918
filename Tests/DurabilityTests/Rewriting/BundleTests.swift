import Foundation
import Strata
import StrataInspection
import StrataJournal
import StrataMaintaining
import StrataMaintenance
import StrataPersistence
import StrataRecords
import StrataSQLite
import StrataStorage
import TestSupport
import Testing

/// Small stores for bug reports.
struct BundleTests {
  /// A member with a field of each kind, of which some refer to others.
  struct Member: EntityType {
    struct Address: Codable, Equatable, Sendable {
      var street: String
      var number: Int
    }

    enum Mood: Codable, Equatable, Sendable {
      case calm
      case said(String)
    }

    static let tableName: TableName = "members"
    let id: EntityID<Member>
    var email: String
    var age: Int8
    var born: Date
    var key: Data
    var token: UUID
    var home: URL
    var weight: Double
    var salary: Decimal
    var isAdmin = false
    var address: Address
    var mood = Mood.calm
    var notes: [String] = []
    var answers: [String: String] = [:]
    var nick: String?
    var friend: Member.ID?
    var team: Team.ID
    var plain = "plain"
  }

  struct Team: EntityType {
    static let tableName: TableName = "teams"
    let id: EntityID<Team>
    var name: String
    var parent: Team.ID
  }

  struct Club: DatabaseType {
    var members = EntityTable<Member>()
    var teams = EntityTable<Team>()

    static let schema = DatabaseSchema<Club> {
      Entities(\.members)
      Entities(\.teams)
    }
  }

  struct ClubState: StateType {
    struct Settings: Codable, Equatable, Sendable {
      var token: String
      var size: Int
    }

    var db = Club()
    var settings = Settings(token: "planted token 0", size: 1)
    var tokens = ["planted service": "planted password"]
  }

  /// A commit whose call has an argument.
  static let secret = "planted argument"

  let directory: TemporaryDirectory
  let path: String
  let bundle: String

  init() throws {
    directory = try TemporaryDirectory()
    path = directory.path("club.strata")
    bundle = directory.path("bug.strata")
  }

  private func open(
    at path: String
  ) async throws -> Persistence<ClubState, Club> {
    try await Persistence.open(
      at: path,
      initialState: ClubState(),
      database: \.db,
      values: [PersistedValue("settings", \.settings), PersistedValue("tokens", \.tokens)]
    )
  }

  static let redacted =
    [
      "email", "age", "born", "key", "token", "home", "weight", "salary", "isAdmin", "address",
      "mood", "notes", "answers", "nick",
    ].map { StoreBundle.Field("members", $0) } + [
      .init("settings", "token"), .init("tokens", "value"),
    ]

  /// What is planted in the fields of a member, all of it different from that of others.
  private static func member(_ number: Int, _ version: Int = 0) -> Member {
    let text = "planted \(number) \(version)"
    return Member(
      id: EntityID("m\(number)"),
      email: "\(text) email",
      age: Int8(number % 100),
      born: Date(timeIntervalSince1970: 100_000 + Double(number)),
      key: Data("\(text) key".utf8),
      token: UUID(),
      home: URL(fileURLWithPath: "/planted/\(number)/\(version)"),
      weight: Double(number) + 0.5,
      salary: Decimal(1_000 + number),
      address: .init(street: "\(text) street", number: number),
      mood: .said("\(text) mood"),
      notes: ["\(text) note", "planted twice"],
      answers: ["planted question \(number)": "\(text) answer"],
      nick: number % 2 == 0 ? nil : "\(text) nick",
      friend: number > 1 ? EntityID("m\(number - 1)") : nil,
      team: EntityID("t\(number % 5)")
    )
  }

  /// 100 members and 30 teams, and then ten commits that touch some of the members.
  private func write() async throws {
    let persistence = try await open(at: path)
    let store = Store<ClubState, Never>(persistence)
    store.commit("teams") { state in
      for number in 0..<30 {
        state.db.teams.insert(
          Team(
            id: EntityID("t\(number)"),
            name: "team \(number)",
            // A layout notes the references of a field once it has seen a value.
            parent: EntityID("t\(number < 5 ? number + 10 : number)")
          )
        )
      }
    }
    store.commit("members") { state in
      for number in 1...100 { state.db.members.insert(Self.member(number)) }
    }
    for number in 1...10 {
      let context = CommitContext(user: "planted user", fields: ["said": Self.secret])
      store.commit("edit \(number)", context: context) { state in
        // An update, an insertion, a removal, and a change of nothing that is redacted.
        state.db.members.insert(Self.member(number, 1))
        state.db.members.insert(Self.member(200 + number))
        if number == 4 { state.db.members.remove("m1") }
        _ = try? state.db.members.updateIfExists("m7") { $0.plain = "edit \(number)" }
        state.settings.token = "planted token \(number / 2)"
        state.tokens["planted service"] = "planted password \(number / 2)"
      }
    }
    try await persistence.close()
  }

  private func bytes(_ path: String) throws -> Data {
    try Data(contentsOf: URL(fileURLWithPath: path))
  }

  @Test func `a bundle has none of the planted words, and its diffs have the same counts`()
    async throws
  {
    try await write()
    #expect(try bytes(path).range(of: Data("planted".utf8)) != nil)
    let report = try StoreBundle.writeBlocking(
      of: path,
      last: 10,
      redacting: Self.redacted,
      to: bundle
    )
    #expect(report.base == 2 && report.last == 12 && report.deltas == 10)
    for word in ["planted", Self.secret] {
      #expect(try bytes(bundle).range(of: Data(word.utf8)) == nil)
    }
    let verification = try Inspector(path: bundle).verify()
    #expect(verification.isSound, "\(verification.checks.filter { !$0.passed })")
    #expect(try Inspector(path: bundle).info().lineages.map(\.reason) == [.bundled])
    for from in 2...12 {
      for to in from...12 {
        let span = try RevisionSpan("\(from)..\(to)", now: Date())
        let original = try Inspector(path: path).diff(span)
        let small = try Inspector(path: bundle).diff(span)
        #expect(small.tables == original.tables, "\(from)..\(to)")
        for (old, new) in zip(original.entities, small.entities) {
          #expect(new.id == old.id)
          // The keys of a dictionary are replaced too, so only the fields at the top have their names.
          if new.table.hasSuffix("tokens") { continue }
          let names = [new, old].map { $0.fields.map { $0.field.prefix { $0 != "." } } }
          #expect(names[0] == names[1], "\(from)..\(to) \(new.table)")
        }
      }
    }
  }

  @Test func `a bundle has what its commits touch and what that refers to, and opens in a test`()
    async throws
  {
    try await write()
    let report = try StoreBundle.writeBlocking(
      of: path,
      last: 10,
      redacting: Self.redacted,
      to: bundle
    )
    let fork = try await Persistence<ClubState, Club>.fork(
      of: bundle,
      at: .revision(2),
      to: directory.path("case.strata"),
      initialState: ClubState(),
      database: \.db,
      values: [PersistedValue("settings", \.settings)]
    )
    let before = fork.initialState.db
    try await fork.close()
    // m1 to m10 are touched. New ones refer to the ones before them, m200 and m210 are not there.
    #expect(Set(before.members.ids.map(\.raw)) == Set((1...10).map { "m\($0)" }))
    // Their teams, and the parents of these.
    #expect(
      Set(before.teams.ids.map(\.raw))
        == ["t0", "t1", "t2", "t3", "t4", "t10", "t11", "t12", "t13", "t14"]
    )
    // A value is an entity of its own table.
    #expect(report.entities == 10 + 10 + 2)
    let whole = try await open(at: bundle)
    let last = whole.initialState
    try await whole.close()
    #expect(last.db.members.count == 19)
    let member = try #require(last.db.members["m7"])
    let original = Self.member(7, 1)
    #expect(member.email != original.email && member.email.count == original.email.count)
    #expect(member.key != original.key && member.key.count == original.key.count)
    #expect(member.plain == "edit 10" && member.team == original.team)
    #expect(member.friend == original.friend)
    #expect(member.notes.count == 2 && member.notes[1] == before.members["m2"]?.notes[1])
    guard case .said(let said) = member.mood else {
      Issue.record("\(member.mood)")
      return
    }
    #expect(said.count == "planted 7 1 mood".count)
    #expect(member.address.number != 7 || member.address.street != original.address.street)
    #expect(last.settings.size == 1 && last.settings.token != "planted token 5")
  }

  @Test func `what cannot be redacted is refused, and nothing is written`() async throws {
    try await write()
    let cases: [(StoreBundle.Field, PersistenceError.Reason)] = [
      (
        .init("members", "id"),
        .feature(
          MaintenanceError.notRedactable(
            field: "members.id",
            detail: "IDs stay, because others refer to them"
          )
        )
      ),
      (
        .init("members", "team"),
        .feature(
          MaintenanceError.notRedactable(
            field: "members.team",
            detail: "it has IDs of teams, which stay"
          )
        )
      ),
      (
        .init("members", "colour"),
        .feature(
          MaintenanceError.notRedactable(
            field: "members.colour",
            detail: "no record has it"
          )
        )
      ),
      (.init("painters", "name"), .notFound("table painters")),
    ]
    for (field, reason) in cases {
      let error = #expect(throws: PersistenceError.self) {
        try StoreBundle.writeBlocking(of: path, last: 3, redacting: [field], to: bundle)
      }
      #expect(error?.reason == reason)
    }
    #expect(!FileManager.default.fileExists(atPath: bundle))
    let names = try FileManager.default.contentsOfDirectory(atPath: directory.url.path)
    #expect(!names.contains { $0.contains("creating") }, "\(names)")
    let error = #expect(throws: PersistenceError.self) {
      try StoreBundle.writeBlocking(of: path, last: 3, to: path)
    }
    #expect(error?.reason == .fileExists(try StorePath(path, for: .bundling).file))
  }

  @Test func `every delta of a bundle has the lineage of the bundle, with a hash of its own`()
    async throws
  {
    try await write()
    _ = try StoreBundle.writeBlocking(of: path, last: 100, to: bundle)
    func rows(_ path: String) throws -> [(lineage: Int64, hash: [UInt8])] {
      let connection = try Connection(path: path, mode: .readOnly)
      let rows = try connection.all("SELECT lineage, hash FROM delta ORDER BY revision", []) {
        (lineage: try $0.int(0), hash: try $0.blob(1))
      }
      try connection.close()
      return rows
    }
    let (original, copied) = (try rows(path), try rows(bundle))
    let lineage = try Inspector(path: bundle).info().lineage.number
    #expect(copied.map(\.lineage) == Array(repeating: lineage, count: 12))
    for (old, new) in zip(original, copied) {
      #expect(old.lineage != new.lineage && old.hash != new.hash)
    }
  }

  @Test func `an open store makes a bundle, with the contexts of commits if it is asked for`()
    async throws
  {
    try await write()
    let persistence = try await open(at: path)
    let store = Store<ClubState, Never>(persistence)
    store.commit("last", context: CommitContext(user: "ann")) {
      $0.db.teams.insert(Team(id: "t99", name: "new", parent: "t99"))
    }
    let report = try await persistence.bundle(last: 1, contexts: .keep, to: bundle)
    #expect(report.base == 12 && report.last == 13 && report.deltas == 1)
    #expect(report.entities == 0 && report.replacedValues == 0)
    let log = try Inspector(path: bundle).log(.last(5))
    #expect(log.deltas.map(\.name) == ["last"])
    #expect(log.deltas.first?.contexts?.first?.user == "ann")
    try await persistence.close()
  }

  @Test func `replacements are equal for equal values and different for different ones`() {
    var redaction = Redaction(SeededGenerator(seed: 5))
    var values: [RecordValue] = []
    for number in 0..<100 { values.append(.int(Int64(number), .bits8)) }
    for number in 0..<1_000 { values.append(.int(Int64(-number), .bits64)) }
    for number in 0..<1_000 { values.append(.string("\(number)")) }
    for text in ["a", "b", "ä", "👩🏽‍🚀"] { values.append(.string(text)) }
    for number in 0..<300 {
      values.append(.data(Data([UInt8(number % 256), UInt8(number / 256)])))
    }
    for number in 0..<100 { values.append(.double(Double(number) / 3)) }
    values += [.bool(true), .bool(false), .null, .uint(.max, .bits64), .int(.min, .bits64)]
    values += [.int(.max, .bits64), .int(-128, .bits8)]
    let first = values.map { redaction.replacement(for: $0, nil) }
    #expect(Set(first.map(\.taggedBytes)).count == Set(values.map(\.taggedBytes)).count)
    #expect(first == values.map { redaction.replacement(for: $0, nil) })
    for (value, replacement) in zip(values, first) {
      #expect(value.scalar == replacement.scalar)
      if case .string(let text) = value, text.count > 1 {
        #expect(value != replacement && replacement.text?.count == text.count)
      }
    }
    // Nothing else is random: the same generator gives the same.
    var again = Redaction(SeededGenerator(seed: 5))
    #expect(first == values.map { again.replacement(for: $0, nil) })
  }
}
