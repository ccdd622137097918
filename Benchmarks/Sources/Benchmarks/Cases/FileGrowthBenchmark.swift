import Strata

/// The largest size of the files during continuous updates, and their size afterwards.
struct FileGrowthBenchmark: Benchmark {
  let count: Int

  let name = "file-growth"

  func run(_ plan: Plan) async throws -> [Line] {
    let folder = try Folder(in: plan.directory)
    let persisted = try await PersistedStore.open(folder.file("ours"), Users.make(count))
    try await persisted.persistence.flush()
    let payload = Double(folder.bytes(of: "ours"))
    var numbers = RandomNumbers(below: count)
    var peak = payload
    let runs = plan.repetitions(100)
    for _ in 0..<runs {
      for _ in 0..<5 * count / runs { persisted.store.commitUpdate(numbers.next()) }
      try await persisted.persistence.flush()
      peak = max(peak, Double(folder.bytes(of: "ours")))
    }
    try await persisted.persistence.close()
    let rest = Double(folder.bytes(of: "ours"))
    return [
      line("peak", "the largest, with SQLite's WAL", peak, payload, goal: 4),
      line("steady", "after closing", rest, payload, goal: 3),
    ]
  }

  private func line(
    _ id: String,
    _ work: String,
    _ ours: Double,
    _ payload: Double,
    goal: Double
  ) -> Line {
    var pairs = Pairs()
    pairs.add(ours: ours, peer: payload)
    return Line(
      id: "stored.growth.\(id)",
      section: .stored,
      work: "files with five updates of every user, \(work)",
      peer: "a new file of \(grouped(count)) users",
      unit: .bytes,
      comparison: .cost,
      goal: goal,
      pairs: pairs
    )
  }
}
