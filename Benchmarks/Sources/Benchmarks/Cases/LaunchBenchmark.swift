import Strata

/// Opens a store and reads one user, compared with a peer that reads one user from its file and nothing else.
struct LaunchBenchmark: Benchmark {
  let peer: LaunchPeerKind
  let count: Int

  var name: String { "launch-\(peer.rawValue)" }

  func run(_ plan: Plan) async throws -> [Line] {
    let folder = try Folder(in: plan.directory)
    let ours = folder.file("ours.strata")
    let theirs = folder.file("theirs")
    try await PersistedStore.open(ours, Users.make(count)).persistence.close()
    try peer.write(Users.makePlain(count), to: theirs)
    let number = Int64(count / 2)
    let pairs = try await plan.rounds.alternate(
      ours: {
        let clock = ContinuousClock()
        let start = clock.now
        let persisted = try await PersistedStore.open(ours)
        let user = persisted.store.state.db.users[User.ID(number)]
        let cost = (clock.now - start).nanoseconds
        guard user != nil else { fatalError("The store lost a user.") }
        try await persisted.persistence.close()
        return cost
      },
      peer: {
        try nanoseconds(per: 1) {
          guard try peer.read(number, from: theirs) else { fatalError("The peer lost a user.") }
        }
      }
    )
    return [
      Line(
        id: "restored.launch.\(peer.rawValue)",
        section: .restored,
        work: "launch to the first value, \(grouped(count)) users",
        peer: peer.label,
        comparison: .cost,
        goal: nil,
        remark: """
          The work differs: our store has all users in memory afterwards, and has verified every byte of them. The peer \
          has read one.
          """,
        pairs: pairs
      )
    ]
  }
}
