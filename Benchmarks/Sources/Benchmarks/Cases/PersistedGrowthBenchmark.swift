import Strata

/// How the costs of a persisted store grow with its size.
struct PersistedGrowthBenchmark: Benchmark {
  let small: Int
  let large: Int

  var name: String { "persisted-growth-\(large)" }

  func run(_ plan: Plan) async throws -> [Line] {
    let folder = try Folder(in: plan.directory)
    let stores = [
      try await GrowingStore(folder.file("small.strata"), small),
      try await GrowingStore(folder.file("large.strata"), large),
    ]
    let commits = plan.repetitions(2_000)
    let commit = try await plan.rounds.alternate(
      ours: { try await stores[1].commit(commits) },
      peer: { try await stores[0].commit(commits) }
    )
    let delta = try await plan.rounds.alternate(
      ours: { try await stores[1].write(commits) },
      peer: { try await stores[0].write(commits) }
    )
    let snapshot = try await plan.fewRounds.alternate(
      ours: { try await stores[1].snapshot() },
      peer: { try await stores[0].snapshot() }
    )
    for store in stores { try await store.persisted.persistence.close() }
    let opening = try await plan.fewRounds.alternate(
      ours: { try await restore(stores[1].path, expecting: large) / Double(large) },
      peer: { try await restore(stores[0].path, expecting: small) / Double(small) }
    )
    return [
      line("commit", .written, "commit one update, persisted, in bursts", commit),
      line("delta", .written, "one update until it is in the file, in groups", delta),
      line("snapshot", .stored, "one user of a snapshot that writes all", snapshot),
      line("restore", .restored, "one user of a snapshot that is opened", opening),
    ]
  }

  private func line(_ id: String, _ section: Line.Section, _ work: String, _ pairs: Pairs) -> Line {
    Line(
      id: "growth.\(id).\(large)",
      section: section,
      work: "\(work), \(grouped(large)) users",
      peer: "the same with \(grouped(small)) users",
      comparison: .cost,
      pairs: pairs
    )
  }
}

/// A store that takes a snapshot only when it is asked to.
private struct GrowingStore {
  let path: String
  let count: Int
  let persisted: PersistedStore

  init(_ path: String, _ count: Int) async throws {
    (self.path, self.count) = (path, count)
    let policy = SnapshotPolicy(minimumJournalBytes: 1 << 40)
    persisted = try await PersistedStore.open(
      path,
      Users.make(count),
      PersistenceConfiguration(snapshots: policy)
    )
  }

  /// The cost of a commit on its thread.
  func commit(_ commits: Int) async throws -> Double {
    let cost = update(commits)
    try await persisted.persistence.flush()
    return cost
  }

  /// The cost of a commit and of its delta.
  func write(_ commits: Int) async throws -> Double {
    try await nanoseconds(per: commits) {
      _ = update(commits)
      try await persisted.persistence.flush()
    }
  }

  private func update(_ commits: Int) -> Double {
    var numbers = RandomNumbers(below: count)
    let chosen = (0..<commits).map { _ in numbers.next() }
    return nanoseconds(per: commits) {
      for number in chosen { persisted.store.commitUpdate(number) }
    }
  }

  /// The cost of a user in a snapshot after all of them have changed.
  func snapshot() async throws -> Double {
    try persisted.store.commit {
      for number in 0..<Int64(count) { try $0.db.users.update(User.ID(number)) { $0.age += 1 } }
    }
    try await persisted.persistence.flush()
    return try await nanoseconds(per: count) {
      try await persisted.persistence.snapshot(named: "at \(persisted.persistence.revision)")
    }
  }
}
