import Strata
import StrataArchive

/// What an archive costs the thread that commits.
struct ArchiveCommitBenchmark: Benchmark {
  let count: Int
  let postgres: String?

  let name = "archive-commit"

  func run(_ plan: Plan) async throws -> [Line] {
    var lines: [Line] = []
    for place in ArchivePlace.all(postgres) { lines.append(try await line(place, plan)) }
    if postgres == nil {
      lines.append(
        .withoutPostgres(id: "archived.commit.PostgreSQL", work: "commit one update, archived")
      )
    }
    return lines
  }

  private func line(_ place: ArchivePlace, _ plan: Plan) async throws -> Line {
    let folder = try Folder(in: plan.directory)
    let archived = try await PersistedStore.open(
      folder.file("ours.strata"),
      Users.make(count),
      archive: try place.archive("ours", in: folder)
    )
    let persisted = try await PersistedStore.open(folder.file("peer.strata"), Users.make(count))
    try await archived.persistence.replicated(through: archived.persistence.revision)
    var numbers = RandomNumbers(below: count)
    let burst = plan.repetitions(50_000)
    func commits(to store: UserStore) -> Double {
      let chosen = (0..<burst).map { _ in numbers.next() }
      return nanoseconds(per: burst) {
        for number in chosen { store.commitUpdate(number) }
      }
    }
    let pairs = try await plan.fewRounds.alternate(
      ours: {
        let cost = commits(to: archived.store)
        try await archived.persistence.replicated(through: archived.persistence.revision)
        return cost
      },
      peer: {
        let cost = commits(to: persisted.store)
        try await persisted.persistence.flush()
        return cost
      }
    )
    try await archived.persistence.close()
    try await persisted.persistence.close()
    return Line(
      id: "archived.commit.\(place.label)",
      section: .archived,
      work: "commit one update, \(grouped(burst)) in a row, archived in a \(place.label)",
      peer: "the same without an archive",
      comparison: .cost,
      goal: 1.05,
      remark: """
        The writer, the sender and a server that runs here need cores of their own; with two cores they take time from \
        the thread that commits.
        """,
      pairs: pairs
    )
  }
}
