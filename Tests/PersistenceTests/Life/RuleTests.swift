import Foundation
import Strata
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

private typealias ClubStore = Store<Club, Never>

/// Indexes and rules in a persisted store.
struct RuleTests {
  let directory: TemporaryDirectory
  let path: String

  init() throws {
    directory = try TemporaryDirectory()
    path = directory.path("club.strata")
  }

  private func open(_ club: Club = Club()) async throws -> Persistence<Club, Club> {
    try await Persistence.open(at: path, initialState: club, database: \.self)
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

  @Test func `an initial state that breaks a rule makes no file`() async throws {
    var club = Club()
    club.members = [Member(id: "a", name: "Ada"), Member(id: "b", name: "Ada")]
    let broken = club
    await #expect(throws: PersistenceError.self) { try await open(broken) }
    #expect(!FileManager.default.fileExists(atPath: path))
  }
}
