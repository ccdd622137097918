import Strata
import StrataArchive

/// Opens a file with a snapshot, compared with other ways to read all users.
struct RestoreBenchmark: Benchmark {
  let peer: ReadPeerKind
  let form: UserForm
  let count: Int

  var name: String { "restore-\(peer.rawValue)" + form.ending }

  func run(_ plan: Plan) async throws -> [Line] {
    let folder = try Folder(in: plan.directory)
    let ours = folder.file("ours.strata")
    let theirs = folder.file("theirs")
    try await PersistedStore.open(ours, Users.make(count)).persistence.close()
    try peer.write(Users.makePlain(count), to: theirs)
    let pairs = try await plan.rounds.alternate(
      ours: {
        switch form {
        case .codable: try await restore(ours, expecting: count)
        case .entity: try await restore(ours, of: MacroState.self, expecting: count)
        }
      },
      peer: {
        try nanoseconds(per: 1) {
          guard try peer.read(theirs) == count else { fatalError("The peer lost users.") }
        }
      }
    )
    return [
      Line(
        id: "restored.snapshot.\(peer.rawValue)" + form.suffix,
        section: .restored,
        work: "open a store, \(grouped(count)) users in a snapshot" + form.remark,
        peer: peer.label,
        comparison: .advantage,
        goal: peer.goal(form),
        pairs: pairs
      )
    ]
  }
}

/// Measures the opening of a store, and closes it.
func restore(
  _ path: String,
  expecting count: Int,
  _ configuration: PersistenceConfiguration = PersistenceConfiguration(),
  archive: (any Archive)? = nil
) async throws -> Double {
  try await restore(path, of: UserState.self, expecting: count, configuration, archive: archive)
}

/// The same by a program with users of another form.
func restore<State: UsersState>(
  _ path: String,
  of state: State.Type,
  expecting count: Int,
  _ configuration: PersistenceConfiguration = PersistenceConfiguration(),
  archive: (any Archive)? = nil
) async throws -> Double {
  let clock = ContinuousClock()
  let start = clock.now
  let persisted = try await PersistedUsers<State>.open(path, [], configuration, archive: archive)
  let found = persisted.store.state.count
  let cost = (clock.now - start).nanoseconds
  guard found == count else { fatalError("Restored \(found) users instead of \(count).") }
  try await persisted.persistence.close()
  return cost
}
