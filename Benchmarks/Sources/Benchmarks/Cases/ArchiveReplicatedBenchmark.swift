import Strata
import StrataArchive

/// Commits that wait until PostgreSQL has them, by one caller and by 64 callers.
struct ArchiveReplicatedBenchmark: Benchmark {
  let count: Int
  let postgres: String?

  let name = "archive-replicated"

  private static let one = "commit one update and wait until PostgreSQL has it"
  private static let many = "the same by 64 concurrent callers, in total"

  func run(_ plan: Plan) async throws -> [Line] {
    #if POSTGRES_PEER
      if let postgres { return try await lines(postgres, plan) }
    #endif
    return [
      .withoutPostgres(id: "archived.replicated.one", work: Self.one),
      .withoutPostgres(id: "archived.replicated.many", work: Self.many),
    ]
  }

  #if POSTGRES_PEER
    private func lines(_ url: String, _ plan: Plan) async throws -> [Line] {
      let folder = try Folder(in: plan.directory)
      let persisted = try await PersistedStore.open(
        folder.file("ours.strata"),
        Users.make(count),
        archive: try ArchivePlace.postgres(url).archive("ours", in: folder)
      )
      let store = persisted.store
      try await persisted.persistence.replicated(through: persisted.persistence.revision)
      let raw = RawPostgres(url)
      // The size of a delta of one user.
      let bytes = [UInt8](repeating: 7, count: 210)
      let repetitions = plan.repetitions(200)
      let peer = {
        nanoseconds(per: repetitions) { for _ in 0..<repetitions { raw.insert(bytes) } }
      }
      let one = try await plan.rounds.alternate(
        ours: {
          try await nanoseconds(per: repetitions) {
            for number in 0..<Int64(repetitions) { try await store.replicateUpdate(number) }
          }
        },
        peer: peer
      )
      let many = try await plan.rounds.alternate(
        ours: {
          try await nanoseconds(per: repetitions) {
            for _ in 0..<repetitions {
              try await withThrowingTaskGroup(of: Void.self) { group in
                for caller in 0..<64 as Range<Int64> {
                  group.addTask { try await store.replicateUpdate(caller) }
                }
                try await group.waitForAll()
              }
            }
          }
        },
        peer: peer
      )
      try await persisted.persistence.close()
      return [
        line(id: "one", Self.one, goal: 1.5, one), line(id: "many", Self.many, goal: 3, many),
      ]
    }

    private func line(id: String, _ work: String, goal: Double, _ pairs: Pairs) -> Line {
      Line(
        id: "archived.replicated.\(id)",
        section: .archived,
        work: work,
        peer: "one bare INSERT on the same server",
        comparison: .cost,
        goal: goal,
        remark: """
          The server has its default settings: an INSERT returns once it is on its disk. Ours is on two disks then, one \
          after the other: the file's and the server's.
          """,
        pairs: pairs
      )
    }
  #endif
}

extension UserStore {
  /// The commit of a benchmark that waits for the archive.
  func replicateUpdate(_ number: Int64) async throws {
    try await commitDurably(until: .replicated) { state in
      try state.db.users.update(User.ID(number)) { $0.age += 1 }
    }
  }
}
