import Strata

/// The cost of a persisted commit during continuous commits, including the flush at the end.
struct SustainedBenchmark: Benchmark {
  let count: Int
  let form: UserForm

  var name: String { "sustained" + form.ending }

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
    return Line(
      id: "written.sustained" + form.suffix,
      section: .written,
      work: "commit one update, persisted, \(grouped(commits)) in a row and a flush" + form.remark,
      peer: "the same store in memory",
      comparison: .cost,
      goal: form == .entity ? 2.8 : nil,
      pairs: pairs
    )
  }
}
