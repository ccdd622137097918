import Foundation
import Strata
import StrataFluxRecorder

/// A recording of changes of single users: its export, and showing what it has.
struct RecorderBenchmark: Benchmark {
  let count: Int
  let entries: Int

  let name = "recorder"

  private var size: String { "\(entries) entries over \(grouped(count)) users" }

  func run(_ plan: Plan) async throws -> [Line] {
    let recorded = try RecordedUsers(count, entries)
    let states = try (0...entries).map { position in
      try recorded.recorder.jump(to: position)
      return recorded.store.state
    }
    return [
      try await export(recorded, states, plan),
      try await show(recorded, states, plan),
    ]
  }

  private func export(
    _ recorded: RecordedUsers,
    _ states: [RecordedUserState],
    _ plan: Plan
  ) async throws -> Line {
    let changed = (0..<entries).compactMap { recorded.changed($0, in: states[$0 + 1]) }
    let first = Array(states[0].users)
    let repetitions = plan.repetitions(10)
    let pairs = try await plan.rounds.alternate(
      ours: {
        try nanoseconds(per: repetitions) {
          for _ in 0..<repetitions { consumeResult(try recorded.recorder.export()) }
        }
      },
      peer: {
        try nanoseconds(per: repetitions) {
          for _ in 0..<repetitions { consumeResult(try JSONEncoder().encode([first, changed])) }
        }
      }
    )
    return Line(
      id: "memory.recorder.export",
      section: .inMemory,
      work: "export of a recording, \(size)",
      peer: "JSON of the users, and of each changed one",
      comparison: .cost,
      pairs: pairs
    )
  }

  private func show(
    _ recorded: RecordedUsers,
    _ states: [RecordedUserState],
    _ plan: Plan
  ) async throws -> Line {
    let plain = FluxStore(identifier: "plain", initialState: states[0], reducer: UserReducer())
    let pairs = try await plan.rounds.alternate(
      ours: {
        try nanoseconds(per: states.count) {
          for position in states.indices { try recorded.recorder.jump(to: position) }
        }
      },
      peer: {
        nanoseconds(per: states.count) {
          for state in states { plain.commit { $0 = state } }
        }
      }
    )
    return Line(
      id: "memory.recorder.show",
      section: .inMemory,
      work: "showing each position of a recording, \(size)",
      peer: "commits of the same states",
      comparison: .cost,
      pairs: pairs
    )
  }
}

private struct RecordedUserState: StateType, Codable {
  var users: EntityTable<User>
  var changes = 0
}

private struct ChangeUser: FluxAction, Codable {
  let number: Int64
}

private final class UserReducer: Reducer<RecordedUserState, ChangeUser>, @unchecked Sendable {
  override func reduce(_ state: inout RecordedUserState, _ action: ChangeUser) throws {
    try state.users.update(User.ID(action.number)) { $0.age += 1 }
    state.changes += 1
  }
}

/// A hub with one store of users, and a recorder of changes of single users.
private struct RecordedUsers: Sendable {
  let dispatcher = StrataFlux.Dispatcher(name: "benchmark")
  let store: FluxStore<RecordedUserState, ChangeUser>
  let recorder: RecorderMiddleware
  private let count: Int

  init(_ count: Int, _ entries: Int) throws {
    self.count = count
    store = FluxStore(
      identifier: "users",
      initialState: RecordedUserState(users: EntityTable(Users.make(count))),
      reducer: UserReducer()
    )
    recorder = RecorderMiddleware(limit: entries)
    try dispatcher.register(store: store)
    dispatcher.register(middleware: recorder)
    for step in 0..<entries { dispatcher.dispatch(ChangeUser(number: number(step)), mode: .sync) }
  }

  private func number(_ step: Int) -> Int64 { Int64(step * 7 % count) }

  /// The user that a step has changed.
  func changed(_ step: Int, in state: RecordedUserState) -> User? {
    state.users[User.ID(number(step))]
  }
}
