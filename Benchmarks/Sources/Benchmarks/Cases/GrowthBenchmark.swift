import Strata

/// The growth of a commit's cost with the size of the table.
struct GrowthBenchmark: Benchmark {
  let small: Int
  let large: Int

  let name = "growth"

  func run(_ plan: Plan) async throws -> [Line] {
    let largeStore = UserStore(initialState: UserState(Users.make(large)))
    let smallStore = UserStore(initialState: UserState(Users.make(small)))
    let repetitions = plan.repetitions(5_000)
    let pairs = await plan.rounds.alternate(
      ours: { update(largeStore, below: large, repetitions) },
      peer: { update(smallStore, below: small, repetitions) }
    )
    return [
      Line(
        id: "memory.growth",
        section: .inMemory,
        work: "commit one update, \(grouped(large)) users",
        peer: "the same with \(grouped(small)) users",
        comparison: .cost,
        goal: 5,
        pairs: pairs
      )
    ]
  }

  private func update(_ store: UserStore, below count: Int, _ repetitions: Int) -> Double {
    var numbers = RandomNumbers(below: count)
    let chosen = (0..<repetitions).map { _ in numbers.next() }
    var kept = store.state
    let cost = nanoseconds(per: repetitions) {
      for number in chosen {
        kept = store.state
        store.commitUpdate(number)
      }
    }
    consumeResult(kept)
    return cost
  }
}
