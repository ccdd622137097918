import Strata

/// Reading one user from the file, with many deltas after the snapshot, compared with opening the store.
///
/// It is what `strata show TABLE ID` does, without the start of a process.
struct PointReadBenchmark: Benchmark {
  let count: Int
  let deltas: Int

  let name = "point-read"

  func run(_ plan: Plan) async throws -> [Line] {
    let folder = try Folder(in: plan.directory)
    let path = folder.file("ours.strata")
    let policy = SnapshotPolicy(minimumJournalBytes: 1 << 40, keepsAllHistory: true)
    let configuration = PersistenceConfiguration(snapshots: policy)
    let persisted = try await PersistedStore.open(path, Users.make(count), configuration)
    var numbers = RandomNumbers(below: count)
    for _ in 0..<deltas { persisted.store.commitUpdate(numbers.next()) }
    try await persisted.persistence.close()

    let reading = try await PersistedStore.open(path, [], configuration)
    let reads = plan.repetitions(50)
    let revision = Revision(Int64(deltas) - 100)
    let pairs = try await plan.fewRounds.alternate(
      ours: {
        let chosen = (0..<reads).map { _ in User.ID(numbers.next()) }
        return try await nanoseconds(per: reads) {
          for id in chosen { consumeResult(try await reading.persistence.history(of: id)) }
        }
      },
      peer: {
        try await nanoseconds(per: 1) {
          consumeResult(try await reading.persistence.state(at: .revision(revision)))
        }
      }
    )
    try await reading.persistence.close()
    return [
      Line(
        id: "restored.point",
        section: .restored,
        work: "one of \(grouped(count)) users, \(grouped(deltas)) deltas after the snapshot",
        peer: "the whole database at such a revision",
        comparison: .advantage,
        limit: 50e6,
        pairs: pairs
      )
    ]
  }
}
