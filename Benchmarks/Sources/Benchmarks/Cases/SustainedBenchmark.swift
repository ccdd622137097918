import Strata

/// The cost of a persisted commit during continuous commits, including the flush at the end.
struct SustainedBenchmark: Benchmark {
  let count: Int

  let name = "sustained"

  func run(_ plan: Plan) async throws -> [Line] {
    let folder = try Folder(in: plan.directory)
    let persisted = try await PersistedStore.open(folder.file("ours.strata"), Users.make(count))
    let inMemory = UserStore(initialState: UserState(Users.make(count)))
    var numbers = RandomNumbers(below: count)
    let commits = plan.repetitions(125_000)
    let pairs = try await plan.fewRounds.alternate(
      ours: {
        let chosen = (0..<commits).map { _ in numbers.next() }
        return try await nanoseconds(per: commits) {
          for number in chosen { persisted.store.commitUpdate(number) }
          try await persisted.persistence.flush()
        }
      },
      peer: {
        let chosen = (0..<commits).map { _ in numbers.next() }
        return nanoseconds(per: commits) {
          for number in chosen { inMemory.commitUpdate(number) }
        }
      }
    )
    try await persisted.persistence.close()
    return [
      Line(
        id: "written.sustained",
        section: .written,
        work: "commit one update, persisted, \(grouped(commits)) in a row and a flush",
        peer: "the same store in memory",
        comparison: .cost,
        goal: 2,
        pairs: pairs
      )
    ]
  }
}
