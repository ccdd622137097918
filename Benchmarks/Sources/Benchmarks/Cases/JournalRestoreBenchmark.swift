import Strata

/// Opens a file with a delta per user, compared with a file with all users in a snapshot.
struct JournalRestoreBenchmark: Benchmark {
  let count: Int

  let name = "restore-journal"

  func run(_ plan: Plan) async throws -> [Line] {
    let folder = try Folder(in: plan.directory)
    let snapshot = folder.file("snapshot.strata")
    let journal = folder.file("journal.strata")
    try await PersistedStore.open(snapshot, Users.make(count)).persistence.close()
    let never = PersistenceConfiguration(snapshots: SnapshotPolicy(minimumJournalBytes: .max))
    let persisted = try await PersistedStore.open(journal, [], never)
    for user in Users.make(count) { persisted.store.commit { $0.db.users.insert(user) } }
    try await persisted.persistence.close()
    let pairs = try await plan.rounds.alternate(
      ours: { try await restore(journal, expecting: count, never) },
      peer: { try await restore(snapshot, expecting: count) }
    )
    return [
      Line(
        id: "restored.journal",
        section: .restored,
        work: "open a store, \(grouped(count)) users in as many deltas",
        peer: "the same users in a snapshot",
        comparison: .cost,
        goal: 1.5,
        pairs: pairs
      )
    ]
  }
}
