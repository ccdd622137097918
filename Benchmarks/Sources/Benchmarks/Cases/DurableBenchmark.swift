import Strata

/// Commits that are awaited until they are durable, by one caller and by 64 concurrent callers.
struct DurableBenchmark: Benchmark {
  let count: Int

  let name = "durable"

  func run(_ plan: Plan) async throws -> [Line] {
    let folder = try Folder(in: plan.directory)
    let persisted = try await PersistedStore.open(folder.file("ours.strata"), Users.make(count))
    var lines = [
      try await one(persisted, plan, folder),
      try await byHand(persisted, plan, folder),
      try await many(persisted, plan, folder),
    ]
    #if LMDB_PEER
      lines.append(try await besideLMDB(persisted, plan, folder))
    #endif
    try await persisted.persistence.close()
    return lines
  }

  /// The size of a delta of one user.
  private let bytes = [UInt8](repeating: 7, count: 210)
  private let callers = 64

  private func one(
    _ persisted: PersistedStore,
    _ plan: Plan,
    _ folder: Folder
  ) async throws -> Line {
    let raw = try RawFile(folder.file("raw"))
    return line(
      id: "one",
      work: "commit one update and wait until it is on disk",
      peer: "write and fdatasync of the same number of bytes",
      goal: 1.6,
      try await plan.rounds.alternate(
        ours: { try await commitAndFlush(persisted, plan.repetitions(200)) },
        peer: {
          let repetitions = plan.repetitions(200)
          return nanoseconds(per: repetitions) {
            for _ in 0..<repetitions { raw.appendAndSync(bytes) }
          }
        }
      )
    )
  }

  private func byHand(
    _ persisted: PersistedStore,
    _ plan: Plan,
    _ folder: Folder
  ) async throws -> Line {
    let log = try SQLiteLogPeer(
      Users.makePlain(count),
      folder.file("full.sqlite"),
      synchronous: "FULL"
    )
    var numbers = RandomNumbers(below: count)
    return line(
      id: "by-hand",
      work: "commit one update and wait until it is on disk",
      peer: "SQLite C API, INSERT into a log, synced",
      goal: 1.2,
      try await plan.rounds.alternate(
        ours: { try await commitAndFlush(persisted, plan.repetitions(200)) },
        peer: {
          let chosen = (0..<plan.repetitions(200)).map { _ in numbers.next() }
          return try nanoseconds(per: chosen.count) {
            for index in chosen.indices { try log.update(chosen[index...index]) }
          }
        }
      )
    )
  }

  #if LMDB_PEER
    private func besideLMDB(
      _ persisted: PersistedStore,
      _ plan: Plan,
      _ folder: Folder
    ) async throws -> Line {
      let peer = try LMDBPeer(Users.makePlain(count), folder.file("synced.lmdb"), isSynced: true)
      var numbers = RandomNumbers(below: count)
      return line(
        id: "lmdb",
        work: "commit one update and wait until it is on disk",
        peer: "LMDB put of packed fields, synced",
        goal: nil,
        try await plan.rounds.alternate(
          ours: { try await commitAndFlush(persisted, plan.repetitions(200)) },
          peer: {
            let chosen = (0..<plan.repetitions(200)).map { _ in numbers.next() }
            return try nanoseconds(per: chosen.count) {
              for index in chosen.indices { try peer.update(chosen[index...index]) }
            }
          }
        )
      )
    }
  #endif

  private func many(
    _ persisted: PersistedStore,
    _ plan: Plan,
    _ folder: Folder
  ) async throws -> Line {
    let raw = try RawFile(folder.file("raw-many"))
    let repetitions = plan.repetitions(100)
    return line(
      id: "many",
      work: "the same by \(callers) concurrent callers, in total",
      peer: "one write and fdatasync",
      goal: 7,
      try await plan.rounds.alternate(
        ours: {
          try await nanoseconds(per: repetitions) {
            for _ in 0..<repetitions {
              try await withThrowingTaskGroup(of: Void.self) { group in
                for caller in 0..<Int64(callers) {
                  group.addTask {
                    persisted.store.commitUpdate(caller)
                    try await persisted.persistence.flush()
                  }
                }
                try await group.waitForAll()
              }
            }
          }
        },
        peer: {
          nanoseconds(per: repetitions) {
            for _ in 0..<repetitions { raw.appendAndSync(bytes) }
          }
        }
      )
    )
  }

  private func commitAndFlush(_ persisted: PersistedStore, _ repetitions: Int) async throws
    -> Double
  {
    var numbers = RandomNumbers(below: count)
    let chosen = (0..<repetitions).map { _ in numbers.next() }
    return try await nanoseconds(per: repetitions) {
      for number in chosen {
        persisted.store.commitUpdate(number)
        try await persisted.persistence.flush()
      }
    }
  }

  private func line(id: String, work: String, peer: String, goal: Double?, _ pairs: Pairs) -> Line {
    Line(
      id: "written.durable.\(id)",
      section: .written,
      work: work,
      peer: peer,
      comparison: .cost,
      goal: goal,
      pairs: pairs
    )
  }
}
