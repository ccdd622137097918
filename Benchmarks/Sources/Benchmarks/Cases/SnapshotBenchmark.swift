import Strata

/// A snapshot after few changes, compared with the first one, which writes everything.
///
/// The time includes reading back all chunks of the snapshot, those it shares with the one before too.
struct SnapshotBenchmark: Benchmark {
  let count: Int
  let changes: Int

  let name = "snapshot"

  /// What a snapshot took.
  private struct Cost {
    var bytes: Double
    var time: Double
  }

  func run(_ plan: Plan) async throws -> [Line] {
    let folder = try Folder(in: plan.directory)
    let policy = SnapshotPolicy(minimumJournalBytes: 1 << 40, keepsAllHistory: true)
    let persisted = try await PersistedStore.open(
      folder.file("ours.strata"),
      [],
      PersistenceConfiguration(snapshots: policy)
    )
    let store = persisted.store
    store.commit { $0.db.users.insert(contentsOf: Users.make(count)) }
    let first = try await snapshot(persisted, "first")
    var (near, far) = ([Cost](), [Cost]())
    var numbers = RandomNumbers(below: count)
    for round in 0..<plan.fewRounds.count {
      let start = Int64(count / 2 + round)
      for number in start..<start + Int64(changes) { store.commitUpdate(number) }
      near.append(try await snapshot(persisted, "near \(round)"))
      for _ in 0..<changes { store.commitUpdate(numbers.next()) }
      far.append(try await snapshot(persisted, "far \(round)"))
    }
    try await persisted.persistence.close()
    let (range, random) = ("in one range of IDs", "at random")
    return [
      line("near.bytes", range, near.map(\.bytes), first.bytes, .bytes, goal: 1 / 50),
      line("near.time", range, near.map(\.time), first.time, .nanoseconds, goal: 1 / 5),
      line("random.bytes", random, far.map(\.bytes), first.bytes, .bytes),
      line("random.time", random, far.map(\.time), first.time, .nanoseconds),
    ]
  }

  private func snapshot(_ persisted: PersistedStore, _ name: String) async throws -> Cost {
    let persistence = persisted.persistence
    try await persistence.flush()
    let before = persistence.status.bytes.snapshots
    let time = try await nanoseconds(per: 1) { try await persistence.snapshot(named: name) }
    return Cost(bytes: Double(persistence.status.bytes.snapshots - before), time: time)
  }

  private func line(
    _ id: String,
    _ place: String,
    _ ours: [Double],
    _ first: Double,
    _ unit: Line.Unit,
    goal: Double? = nil
  ) -> Line {
    var pairs = Pairs()
    for ours in ours { pairs.add(ours: ours, peer: first) }
    return Line(
      id: "stored.snapshot.\(id)",
      section: .stored,
      work: "snapshot of \(grouped(count)) users, \(grouped(changes)) changed \(place)",
      peer: "the first snapshot",
      unit: unit,
      comparison: .cost,
      goal: goal,
      pairs: pairs
    )
  }
}
