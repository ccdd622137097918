import Strata

/// Opens a file with a snapshot, compared with other ways to read all users.
struct RestoreBenchmark: Benchmark {
  /// How the records of the users are read.
  enum Form: String, CaseIterable {
    case codable
    /// As `RecordCodable`.
    case byHand = "by-hand"
  }

  let peer: ReadPeerKind
  let form: Form
  let count: Int

  var name: String { "restore-\(peer.rawValue)" + (form == .codable ? "" : "-\(form.rawValue)") }

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
        case .byHand: try await restoreByHand(ours, expecting: count)
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
        id: "restored.snapshot.\(peer.rawValue)" + (form == .codable ? "" : ".\(form.rawValue)"),
        section: .restored,
        work: "open a store, \(grouped(count)) users in a snapshot"
          + (form == .codable ? "" : ", RecordCodable"),
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
  let clock = ContinuousClock()
  let start = clock.now
  let persisted = try await PersistedStore.open(path, [], configuration, archive: archive)
  let found = persisted.store.state.db.users.count
  let cost = (clock.now - start).nanoseconds
  guard found == count else { fatalError("Restored \(found) users instead of \(count).") }
  try await persisted.persistence.close()
  return cost
}

/// Measures the opening of the same file by a program whose users are `RecordCodable`.
private func restoreByHand(_ path: String, expecting count: Int) async throws -> Double {
  let clock = ContinuousClock()
  let start = clock.now
  let persistence = try await Persistence.open(
    at: path,
    initialState: HandwrittenState(),
    database: \.db
  )
  let store = Store<HandwrittenState, Never>(persistence)
  let found = store.state.db.users.count
  let cost = (clock.now - start).nanoseconds
  guard found == count else { fatalError("Restored \(found) users instead of \(count).") }
  try await persistence.close()
  return cost
}
