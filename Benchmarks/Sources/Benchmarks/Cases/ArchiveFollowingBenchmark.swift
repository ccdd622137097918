import Strata

/// A follower: how fast it applies deltas, and how far it is behind.
struct ArchiveFollowingBenchmark: Benchmark {
  let count: Int
  let postgres: String?

  let name = "archive-following"

  private static let lag = "a follower has a commit after the archive has it, by a hint"

  func run(_ plan: Plan) async throws -> [Line] {
    var lines = [try await applying(plan)]
    #if POSTGRES_PEER
      if let postgres {
        lines.append(try await lagging(.postgres(postgres), plan))
        return lines
      }
    #endif
    lines.append(.withoutPostgres(id: "archived.lag", work: Self.lag))
    return lines
  }

  private func follow(
    _ archive: any Archive,
    every interval: Duration
  ) async throws -> (UserStore, Follower<UserState, UserDatabase>) {
    var configuration = PersistenceConfiguration()
    configuration.archiving.pollInterval = interval
    let follower = try await Persistence.follow(
      archive,
      initialState: UserState(),
      database: \.db,
      configuration: configuration
    )
    return (UserStore(follower), follower)
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
      // Hints are there from the first one on.
      var events = hinted.events.makeAsyncIterator()
      try await persisted.store.replicateUpdate(0)
      while hinted.revision < persistence.revision, await events.next() != nil {}
      let repetitions = plan.repetitions(50)
      let pairs = try await plan.fewRounds.alternate(
        ours: {
          var sum = 0.0
          for number in 0..<Int64(repetitions) {
            var events = hinted.events.makeAsyncIterator()
            try await persisted.store.replicateUpdate(number)
            let start = ContinuousClock.now
            while hinted.revision < persistence.revision, await events.next() != nil {}
            sum += (ContinuousClock.now - start).nanoseconds
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
  #endif
}
