import Strata

/// Persisted updates, one or many per commit, compared with other ways to write them.
struct WriteBenchmark: Benchmark {
  let peer: WritePeerKind
  let count: Int
  let batch: Int
  let form: UserForm

  var name: String { "write-\(peer.rawValue)-\(batch)" + form.ending }

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
    let other = try peer.make(Users.makePlain(count), in: folder)
    let pairs = try await pairs(persisted, other, plan)
    try await persisted.persistence.close()
    return Line(
      id: "written.\(peer.rawValue).\(batch)" + form.suffix,
      section: .written,
      work: "update \(grouped(batch)) per commit, flushed at the end of a run, per update"
        + form.remark,
      peer: peer.label,
      comparison: .advantage,
      goal: peer.goal(batch: batch, form),
      remark: """
        The work differs: our commit returns before it is written, and the run ends with one sync. \
        A transaction of the peer returns after it is written, and is never synced.
        """,
      pairs: pairs
    )
  }

  /// The updates of both.
  private func pairs<State: UsersState>(
    _ persisted: PersistedUsers<State>,
    _ other: any WritePeer,
    _ plan: Plan
  ) async throws -> Pairs {
    var numbers = RandomNumbers(below: count)
    let ours = plan.repetitions(batch == 1 ? 10_000 : 20_000)
    let theirs = plan.repetitions(batch == 1 ? 1_000 : 5_000)
    return try await plan.rounds.alternate(
      ours: {
        let chosen = (0..<ours).map { _ in numbers.next() }
        return try await nanoseconds(per: ours) {
          try update(chosen, in: persisted.store)
          try await persisted.persistence.flush()
        }
      },
      peer: {
        let chosen = (0..<theirs).map { _ in numbers.next() }
        return try nanoseconds(per: theirs) {
          for start in stride(from: 0, to: theirs, by: batch) {
            try other.update(chosen[start..<min(start + batch, theirs)])
          }
        }
      }
    )
  }

  private func update<State: UsersState>(_ numbers: [Int64], in store: UsersStore<State>) throws {
    if batch == 1 {
      for number in numbers { store.commitUpdate(number) }
      return
    }
    for start in stride(from: 0, to: numbers.count, by: batch) {
      try store.commit { state in
        for number in numbers[start..<min(start + batch, numbers.count)] {
          try state.update(number)
        }
      }
    }
  }
}
