import Strata

/// The growth of a restore's cost with the number of users.
struct RestoreGrowthBenchmark: Benchmark {
  let small: Int
  let large: Int

  let name = "restore-growth"

  func run(_ plan: Plan) async throws -> [Line] {
    let folder = try Folder(in: plan.directory)
    for count in [small, large] {
      let path = folder.file("\(count).strata")
      try await PersistedStore.open(path, Users.make(count)).persistence.close()
    }
    let pairs = try await plan.fewRounds.alternate(
      ours: { try await restore(folder.file("\(large).strata"), expecting: large) },
      peer: { try await restore(folder.file("\(small).strata"), expecting: small) }
    )
    return [
      Line(
        id: "restored.growth",
        section: .restored,
        work: "open a store, \(grouped(large)) users in a snapshot",
        peer: "the same with \(grouped(small)) users",
        comparison: .cost,
        pairs: pairs
      )
    ]
  }
}
