import Strata

/// The removal of users whom one list names.
struct ReferenceBenchmark: Benchmark {
  let count: Int

  let name = "reference"

  func run(_ plan: Plan) async throws -> [Line] {
    let (kept, left) = (database(MemberDatabase()), database(LooseMemberDatabase()))
    let ids = (0..<Int64(count)).map { Member.ID($0) }
    let pairs = try await plan.rounds.alternate(
      ours: { try remove(ids, from: kept, leaving: 0) },
      peer: { try remove(ids, from: left, leaving: count) }
    )
    return [
      Line(
        id: "memory.nullify",
        section: .inMemory,
        work: "remove \(grouped(count)) users whom a list names, in one commit",
        peer: "the same with a list that no rule keeps",
        comparison: .cost,
        limit: 50e6,
        pairs: pairs
      )
    ]
  }

  private func database<Database: Members>(_ empty: Database) -> Database {
    var database = empty
    let ids = (0..<Int64(count)).map { Member.ID($0) }
    database.members = EntityTable(ids.map { Member(id: $0) })
    database.teams.insert(Team(id: 0, members: ids))
    return database
  }

  private func remove<Database: Members>(
    _ ids: [Member.ID],
    from start: Database,
    leaving count: Int
  ) throws -> Double {
    let source = try InMemory(initialState: MemberState(db: start), database: \.db)
    let store = Store<MemberState<Database>, Never>(source)
    let cost = try nanoseconds(per: 1) {
      try store.commit { state throws in
        for id in ids { state.db.members.remove(id) }
      }
    }
    guard store.state.db.teams[0]?.members.count == count else { throw UnexpectedMembers() }
    return cost
  }
}

private struct MemberState<Database: Members>: StateType {
  var db: Database
}

private struct UnexpectedMembers: Error {}

private struct Member: EntityType {
  static let tableName: TableName = "members"
  typealias RawID = Int64
  let id: EntityID<Member>
}

private struct Team: EntityType {
  static let tableName: TableName = "teams"
  typealias RawID = Int64
  let id: EntityID<Team>
  var members: [Member.ID]

  static let byMember = GroupIndex(each: \Team.members)
  static let indexes: EntityIndexes<Team> = [byMember]
}

private protocol Members: DatabaseType {
  var members: EntityTable<Member> { get set }
  var teams: EntityTable<Team> { get set }
}

private struct MemberDatabase: Members {
  var members = EntityTable<Member>()
  var teams = EntityTable<Team>()

  static let schema = DatabaseSchema<MemberDatabase> {
    Entities(\.members)
    Entities(\.teams)
    References(from: \.teams, Team.byMember, to: \.members, onRemoval: .nullify(\.members))
  }
}

private struct LooseMemberDatabase: Members {
  var members = EntityTable<Member>()
  var teams = EntityTable<Team>()

  static let schema = DatabaseSchema<LooseMemberDatabase> {
    Entities(\.members)
    Entities(\.teams)
  }
}
