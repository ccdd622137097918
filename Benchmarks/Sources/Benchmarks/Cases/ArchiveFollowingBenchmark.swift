import Strata
import StrataArchive

/// A follower: how fast it applies deltas, and how far it is behind.
struct ArchiveFollowingBenchmark: Benchmark {
  let count: Int
  let postgres: String?

  let name = "archive-following"

  private static let lag = "a follower has a commit after the archive has it, by a hint"
  private static let standbyLag = "a standby has a commit after the archive has it, by a hint: p50"

  func run(_ plan: Plan) async throws -> [Line] {
    var lines = [try await applying(plan)]
    #if POSTGRES_PEER
      if let postgres {
        lines.append(try await lagging(.postgres(postgres), plan))
        lines.append(try await standingBy(.postgres(postgres), plan))
        return lines
      }
    #endif
    lines.append(.withoutPostgres(id: "archived.lag", work: Self.lag))
    lines.append(.withoutPostgres(id: "archived.lag.standby", work: Self.standbyLag))
    return lines
  }

  private typealias Following = (UserStore, Follower<UserState, UserDatabase>)

  private func policy(lookingEvery interval: Duration) -> ArchivePolicy {
    var policy = ArchivePolicy()
    policy.pollInterval = interval
    return policy
  }

  private func follow(
    _ archive: any Archive,
    every interval: Duration
  ) async throws -> Following {
    let follower = try await Persistence.follow(
      archive,
      initialState: UserState(),
      database: \.db,
      policy: policy(lookingEvery: interval)
    )
    return (UserStore(follower), follower)
  }

  private func standBy(
    _ archive: any Archive,
    every interval: Duration
  ) async throws -> Following {
    let standby = try await Persistence.standBy(
      archive,
      initialState: UserState(),
      database: \.db,
      policy: policy(lookingEvery: interval)
    )
    return (UserStore(standby), standby)
  }

  /// The follower looks when it is asked to, so nothing is applied before the clock runs.
  private func applying(_ plan: Plan) async throws -> Line {
    let folder = try Folder(in: plan.directory)
    let archive = try ArchivePlace.folder.archive("ours", in: folder)
    let path = folder.file("ours.strata")
    let persisted = try await PersistedStore.open(path, Users.make(count), archive: archive)
    let persistence = persisted.persistence
    try await persistence.replicated(through: persistence.revision)
    let (copy, follower) = try await follow(archive, every: .seconds(3_600))
    let commits = plan.repetitions(50_000)
    var numbers = RandomNumbers(below: count)
    let inMemory = UserStore(initialState: UserState(Users.make(count)))
    let pairs = try await plan.fewRounds.alternate(
      ours: {
        for _ in 0..<commits { persisted.store.commitUpdate(numbers.next()) }
        try await persistence.replicated(through: persistence.revision)
        return try await nanoseconds(per: commits) {
          try await follower.reach(persistence.revision)
        }
      },
      peer: {
        let chosen = (0..<commits).map { _ in numbers.next() }
        return nanoseconds(per: commits) {
          for number in chosen { inMemory.commitUpdate(number) }
        }
      }
    )
    guard copy.state.db == persisted.store.state.db else { fatalError("The follower differs.") }
    try await follower.close()
    try await persistence.close()
    return Line(
      id: "archived.apply",
      section: .archived,
      work: "a follower applies one delta of \(grouped(commits)), 100,000 in a second",
      peer: "commit one update in memory",
      comparison: .cost,
      limit: 10_000,
      pairs: pairs
    )
  }

  #if POSTGRES_PEER
    private func lagging(_ place: ArchivePlace, _ plan: Plan) async throws -> Line {
      let folder = try Folder(in: plan.directory)
      let persisted = try await PersistedStore.open(
        folder.file("ours.strata"),
        Users.make(count),
        archive: try place.archive("ours", in: folder)
      )
      let persistence = persisted.persistence
      try await persistence.replicated(through: persistence.revision)
      let (_, hinted) = try await follow(place.archive("ours", in: folder), every: .seconds(3_600))
      _ = try await lag(of: hinted, behind: persisted, 0)
      let repetitions = plan.repetitions(50)
      let pairs = try await plan.fewRounds.alternate(
        ours: {
          var sum = 0.0
          for number in 0..<Int64(repetitions) {
            sum += try await lag(of: hinted, behind: persisted, number)
          }
          return sum / Double(repetitions)
        },
        peer: {
          try await nanoseconds(per: repetitions) {
            for number in 0..<Int64(repetitions) {
              try await persisted.store.replicateUpdate(number)
            }
          }
        }
      )
      try await hinted.close()
      try await persistence.close()
      return Line(
        id: "archived.lag",
        section: .archived,
        work: Self.lag,
        peer: "the commit itself, until the archive has it",
        comparison: .cost,
        limit: 25e6,
        pairs: pairs
      )
    }

    /// Both follow all the time, and each round looks at one of them.
    private func standingBy(_ place: ArchivePlace, _ plan: Plan) async throws -> Line {
      let folder = try Folder(in: plan.directory)
      let persisted = try await PersistedStore.open(
        folder.file("ours.strata"),
        Users.make(count),
        archive: try place.archive("ours", in: folder)
      )
      let persistence = persisted.persistence
      try await persistence.replicated(through: persistence.revision)
      let never = Duration.seconds(3_600)
      let (_, plain) = try await follow(place.archive("ours", in: folder), every: never)
      let (_, standby) = try await standBy(place.archive("ours", in: folder), every: never)
      for follower in [plain, standby] { _ = try await lag(of: follower, behind: persisted, 0) }
      let repetitions = plan.repetitions(100)
      func median(_ follower: Follower<UserState, UserDatabase>) async throws -> Double {
        var lags: [Double] = []
        for number in 0..<Int64(repetitions) {
          lags.append(try await lag(of: follower, behind: persisted, number))
        }
        return lags.median
      }
      let pairs = try await plan.fewRounds.alternate(
        ours: { try await median(standby) },
        peer: { try await median(plain) }
      )
      try await standby.close()
      try await plain.close()
      try await persistence.close()
      return Line(
        id: "archived.lag.standby",
        section: .archived,
        work: Self.standbyLag,
        peer: "a follower in the same run, which does not watch the lease",
        comparison: .cost,
        goal: 1.5,
        pairs: pairs
      )
    }

    /// Commits an update, and returns how long the follower needs from when the archive has it.
    private func lag(
      of follower: Follower<UserState, UserDatabase>,
      behind persisted: PersistedStore,
      _ number: Int64
    ) async throws -> Double {
      // Hints are there from the first one on.
      var events = follower.events.makeAsyncIterator()
      try await persisted.store.replicateUpdate(number)
      let start = ContinuousClock.now
      while follower.revision < persisted.persistence.revision, await events.next() != nil {}
      return (ContinuousClock.now - start).nanoseconds
    }
  #endif
}
