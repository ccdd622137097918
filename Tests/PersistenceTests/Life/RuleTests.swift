import Foundation
import Strata
import StrataJournal
import StrataPersistence
import StrataStorage
import TestSupport
import Testing

/// The members of a first build: names need not be unique.
private struct EarlyMember: EntityType {
  static let tableName: TableName = "members"
  let id: EntityID<EarlyMember>
  var name: String
  var team = "one"
}

private struct EarlyClub: DatabaseType, StateType {
  var members = EntityTable<EarlyMember>()
  static let schema = DatabaseSchema<EarlyClub> { Entities(\.members) }
}

/// The members of a later build: names are unique.
private struct Member: EntityType {
  static let tableName: TableName = "members"
  let id: EntityID<Member>
  var name: String
  var team = "one"

  static let byName = UniqueIndex(\Member.name, named: "name")
  static let byTeam = GroupIndex(\Member.team)
  static let indexes: EntityIndexes<Member> = [byName, byTeam]
}

private struct Club: DatabaseType, StateType {
  var members = EntityTable<Member>()
  static let schema = DatabaseSchema<Club> { Entities(\.members) }
}

/// The members of a build with a check.
private struct CheckedClub: DatabaseType, StateType {
  var members = EntityTable<EarlyMember>()
  static let schema = DatabaseSchema<CheckedClub> {
    Entities(\.members)
    Check("team", \.members) { $0.team == "one" && !$0.name.isEmpty }
  }
}

private struct Port: EntityType {
  static let tableName: TableName = "ports"
  let id: EntityID<Port>
}

private struct Ship: EntityType {
  static let tableName: TableName = "ships"
  let id: EntityID<Ship>
  var port: Port.ID
  var name = ""

  static let byPort = GroupIndex(\Ship.port)
  static let indexes: EntityIndexes<Ship> = [byPort]
}

/// A first build without rules.
private struct EarlyFleet: DatabaseType, StateType {
  var ports = EntityTable<Port>()
  var ships = EntityTable<Ship>()
  static let schema = DatabaseSchema<EarlyFleet> {
    Entities(\.ports)
    Entities(\.ships)
  }
}

private struct Fleet: DatabaseType, StateType {
  var ports = EntityTable<Port>()
  var ships = EntityTable<Ship>()
  static let schema = DatabaseSchema<Fleet> {
    Entities(\.ports)
    Entities(\.ships)
    References(from: \.ships, Ship.byPort, to: \.ports, onRemoval: .restrict)
  }
}

private struct Unlisted: DatabaseType, StateType {
  var ports = EntityTable<Port>()
  var ships = EntityTable<Ship>()
  static let schema = DatabaseSchema<Unlisted> { Entities(\.ships) }
}

private typealias ClubStore = Store<Club, Never>

/// Indexes and rules in a persisted store.
struct RuleTests {
  let directory: TemporaryDirectory
  let path: String

  init() throws {
    directory = try TemporaryDirectory()
    path = directory.path("club.strata")
  }

  private func open(
    _ club: Club = Club(),
    _ brokenRules: BrokenRulePolicy = .refuse
  ) async throws -> Persistence<Club, Club> {
    var configuration = PersistenceConfiguration()
    configuration.brokenRules = brokenRules
    return try await Persistence.open(
      at: path,
      initialState: club,
      database: \.self,
      configuration: configuration
    )
  }

  /// Makes a file with members of these names, some of them twice.
  private func makeStore(_ names: [String]) async throws {
    let early = try await Persistence.open(at: path, initialState: EarlyClub(), database: \.self)
    Store<EarlyClub, Never>(early).commit { state in
      for (number, name) in names.enumerated() {
        state.members.insert(EarlyMember(id: EntityID("\(number)"), name: name))
      }
    }
    try await early.close()
  }

  @Test func `the error for a new rule lists all that break it`() async throws {
    try await makeStore(["ada", "ada", "bob", "eve", "eve", "eve"])
    let error = await #expect(throws: PersistenceError.self) { try await open() }
    #expect(
      error?.reason
        == .ruleBroken(
          """
          0 and 1 in members have the same key ada of the unique index "members.name"; 3, 4 and \
          5 in members have the same key eve of the unique index "members.name"
          """
        )
    )
    #expect(error?.description.contains("brokenRules = .report") == true)
  }

  @Test func `under report it opens, and the rule is enforced once the data is repaired`()
    async throws
  {
    try await makeStore(["ada", "ada", "bob"])
    let persistence = try await open(Club(), .report)
    let violation = RuleViolation.notUnique(
      table: "members",
      index: "name",
      key: "ada",
      ids: ["0", "1"]
    )
    #expect(persistence.report.brokenRules == [violation])
    #expect(persistence.report.notes == [violation.sentence])
    let store = ClubStore(persistence)
    try store.commit { state throws in state.members.insert(Member(id: "9", name: "new")) }
    #expect(throws: RuleViolation.self) {
      try store.commit { state throws in state.members.insert(Member(id: "8", name: "bob")) }
    }
    try store.commit { state throws in try state.members.update("1") { $0.name = "Ada" } }
    #expect(throws: RuleViolation.self) {
      try store.commit { state throws in try state.members.update("1") { $0.name = "ada" } }
    }
    try await persistence.close()
    let again = try await open()
    #expect(again.report.brokenRules == [])
    #expect(again.initialState.members.count == 4)
    try await again.close()
  }

  @Test func `old data that breaks a new check is refused, or reported`() async throws {
    try await makeStore(["ada", "", "bob"])
    let error = await #expect(throws: PersistenceError.self) {
      try await Persistence.open(at: path, initialState: CheckedClub(), database: \.self)
    }
    #expect(error?.reason == .ruleBroken("the entity 1 in members breaks the check \"team\""))
    var configuration = PersistenceConfiguration()
    configuration.brokenRules = .report
    let persistence = try await Persistence.open(
      at: path,
      initialState: CheckedClub(),
      database: \.self,
      configuration: configuration
    )
    let violation = RuleViolation.checkFailed(table: "members", check: "team", ids: ["1"])
    #expect(persistence.report.brokenRules == [violation])
    let store = Store<CheckedClub, Never>(persistence)
    #expect(throws: violation) {
      try store.commit { state throws in try state.members.update("1") { $0.team = "two" } }
    }
    try store.commit { state throws in try state.members.update("1") { $0.name = "eve" } }
    try await persistence.close()
    let again = try await Persistence.open(at: path, initialState: CheckedClub(), database: \.self)
    #expect(again.report.brokenRules == [])
    try await again.close()
  }

  @Test func `a redaction that makes unique keys equal is refused before a file is made`()
    async throws
  {
    var club = Club()
    club.members = [Member(id: "1", name: "ada"), Member(id: "2", name: "bob")]
    let error = await #expect(throws: PersistenceError.self) {
      try await Persistence.open(
        at: path,
        initialState: club,
        database: \.self,
        tables: [.redacted(\.members) { $0.name = "" }]
      )
    }
    #expect(
      error?.reason
        == .ruleBroken("1 and 2 in members have the same key  of the unique index \"members.name\"")
    )
    try await open(club).close()
  }

  @Test func `dangling references are reported and refuse neither the opening nor a commit`()
    async throws
  {
    let early = try await Persistence.open(at: path, initialState: EarlyFleet(), database: \.self)
    Store<EarlyFleet, Never>(early).commit { state in
      state.ships = [Ship(id: "a", port: "gone"), Ship(id: "b", port: "here")]
      state.ports = [Port(id: "here")]
    }
    try await early.close()
    let persistence = try await Persistence.open(
      at: path,
      initialState: Fleet(),
      database: \.self
    )
    let text = "ships refer to 1 absent entity of ports: gone"
    #expect(persistence.report.danglingReferences.map(\.description) == [text])
    #expect(persistence.report.notes == [text])
    #expect(persistence.report.outcome == .restored)
    let store = Store<Fleet, Never>(persistence)
    try store.commit { state throws in
      try state.ships.update("a") { $0.name = "Argo" }
      state.ports.insert(Port(id: "new"))
    }
    #expect(throws: RuleViolation.self) {
      try store.commit { state throws in state.ships.insert(Ship(id: "c", port: "gone")) }
    }
    try await persistence.close()
  }

  @Test func `a table that the schema leaves out is refused, and nothing is made`() async throws {
    let error = await #expect(throws: PersistenceError.self) {
      try await Persistence.open(at: path, initialState: Unlisted(), database: \.self)
    }
    #expect(
      error?.reason
        == .unlistedTables(
          database: "Unlisted",
          properties: ["ports"],
          lines: [#"Entities(\.ports)"#]
        )
    )
    #expect(error?.description.contains(#"does not list \.ports, so"#) == true)
    #expect(error?.description.contains(#"Add to the schema: Entities(\.ports). "#) == true)
    #expect(!FileManager.default.fileExists(atPath: path))
  }

  @Test func `a commit that breaks a rule makes no revision, and the next one goes on`()
    async throws
  {
    let persistence = try await open()
    let store = ClubStore(persistence)
    try store.commit { state throws in state.members.insert(Member(id: "a", name: "Ada")) }
    #expect(throws: RuleViolation.self) {
      try store.commit { state throws in state.members.insert(Member(id: "b", name: "Ada")) }
    }
    #expect(persistence.revision == 1)
    try store.commit { state throws in state.members.insert(Member(id: "b", name: "Bob")) }
    #expect(persistence.revision == 2)
    try await persistence.close()
  }

  @Test func `indexes are there again when the data is restored`() async throws {
    let persistence = try await open()
    let store = ClubStore(persistence)
    try store.commit { state throws in
      for number in 0..<500 {
        let member = Member(
          id: EntityID("\(number)"),
          name: "name \(number)",
          team: "\(number % 7)"
        )
        state.members.insert(member)
      }
    }
    try await persistence.close()
    let again = try await open()
    let members = again.initialState.members
    #expect(members[Member.byName]["name 77"]?.id == "77")
    #expect(members[Member.byTeam].count == 7)
    #expect(members[Member.byTeam]["3"].count == 71)
    try await again.close()
  }

  @Test func `data that breaks a new rule is refused, and the file stays as it was`() async throws {
    let early = try await Persistence.open(
      at: path,
      initialState: EarlyClub(),
      database: \.self
    )
    let store = Store<EarlyClub, Never>(early)
    for id in ["a", "b", "c"] {
      store.commit { $0.members.insert(EarlyMember(id: EntityID(id), name: id == "b" ? "c" : id)) }
    }
    try await early.close()
    let before = try Data(contentsOf: URL(filePath: path))
    let violation = RuleViolation.notUnique(
      table: "members",
      index: "name",
      key: "c",
      ids: ["b", "c"]
    )
    await #expect {
      try await open()
    } throws: { error in
      guard let error = error as? PersistenceError else { return false }
      return error.reason == .ruleBroken(violation.sentence)
        && error.description.contains("b and c in members have the same key c")
    }
    #expect(try Data(contentsOf: URL(filePath: path)) == before)
    let again = try await Persistence.open(at: path, initialState: EarlyClub(), database: \.self)
    #expect(again.initialState.members.count == 3)
    try await again.close()
  }

  @Test func `the file knows the names of the rules of the last program that opened it`()
    async throws
  {
    func rules() throws -> [String: [String]] {
      try Inspector(path: path).query { view in
        Dictionary(uniqueKeysWithValues: view.listed.map { ($0.name, $0.rules) })
      }
    }
    try await open().close()
    #expect(try rules() == ["members": ["name"]])
    // A program that reads writes nothing.
    let reading = PersistenceConfiguration(restore: .readOnly)
    try await Persistence.open(
      at: path,
      initialState: CheckedClub(),
      database: \.self,
      configuration: reading
    ).close()
    #expect(try rules() == ["members": ["name"]])
    try await Persistence.open(at: path, initialState: CheckedClub(), database: \.self).close()
    #expect(try rules() == ["members": ["team"]])
    // One without the table leaves what is known of it.
    let without = PersistenceConfiguration()
    try await Persistence.open(
      at: path,
      initialState: EarlyFleet(),
      database: \.self,
      configuration: without
    ).close()
    #expect(try rules() == ["members": ["team"], "ports": [], "ships": []])
    try await Persistence.open(at: path, initialState: EarlyClub(), database: \.self).close()
    #expect(try rules() == ["members": [], "ports": [], "ships": []])
  }

  @Test func `a name of several lines is written once`() async throws {
    struct Named: DatabaseType, StateType {
      var members = EntityTable<EarlyMember>()
      static let schema = DatabaseSchema<Named> {
        Entities(\.members)
        Check("b\r\na", \.members) { _ in true }
        Check("a", \.members) { _ in true }
      }
    }
    let opening = { try await Persistence.open(at: path, initialState: Named(), database: \.self) }
    try await opening().close()
    let listed = try Inspector(path: path).query(\.listed)
    #expect(listed.map(\.rules) == [["a", "b", "a"]])
    let again = try await opening()
    let session = try Inspector(path: path).query(\.listed)
    #expect(session == listed)
    try await again.close()
  }

  @Test func `an initial state that breaks a rule makes no file`() async throws {
    var club = Club()
    club.members = [Member(id: "a", name: "Ada"), Member(id: "b", name: "Ada")]
    let broken = club
    await #expect(throws: PersistenceError.self) { try await open(broken) }
    #expect(!FileManager.default.fileExists(atPath: path))
  }
}
