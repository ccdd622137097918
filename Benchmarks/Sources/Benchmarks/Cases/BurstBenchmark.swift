import Strata

/// The cost that persistence adds to a commit while the writer keeps up.
struct BurstBenchmark: Benchmark {
  let count: Int
  let form: UserForm

  var name: String { "burst" + form.ending }

  func run(_ plan: Plan) async throws -> [Line] {
    switch form {
    case .codable: [try await line(of: UserState.self, plan)]
    case .entity: [try await line(of: MacroState.self, plan)]
    }
  }

  private func line<State: UsersState>(of state: State.Type, _ plan: Plan) async throws -> Line {
    let folder = try Folder(in: plan.directory)
    let persisted = try await PersistedUsers<State>.open(
      folder.file("ours.strata"),
      Users.make(count)
    )
    let inMemory = UsersStore(initialState: State(Users.make(count)))
    var numbers = RandomNumbers(below: count)
    let burst = plan.repetitions(5_000)
    let pairs = try await plan.rounds.alternate(
      ours: {
        let chosen = (0..<burst).map { _ in numbers.next() }
        let cost = nanoseconds(per: burst) {
          for number in chosen { persisted.store.commitUpdate(number) }
        }
        try await persisted.persistence.flush()
        return cost
      },
      peer: {
        let chosen = (0..<burst).map { _ in numbers.next() }
        return nanoseconds(per: burst) {
          for number in chosen { inMemory.commitUpdate(number) }
        }
      }
    )
    try await persisted.persistence.close()
    return Line(
      id: "written.burst" + form.suffix,
      section: .written,
      work: "commit one update, persisted, in bursts of \(grouped(burst))" + form.remark,
      peer: "the same store in memory",
      comparison: .cost,
      goal: form == .entity ? 1.8 : nil,
      pairs: pairs
    )
  }
}
