import Strata
import StrataArchive

/// Sends deltas that the archive lacks, compared with the writing of these deltas.
struct ArchiveShippingBenchmark: Benchmark {
  let count: Int
  let postgres: String?

  let name = "archive-shipping"

  func run(_ plan: Plan) async throws -> [Line] {
    var lines: [Line] = []
    for place in ArchivePlace.all(postgres) { lines += try await self.lines(place, plan) }
    if postgres == nil {
      for id in ["shipping", "shipping-rate"] {
        lines.append(.withoutPostgres(id: "archived.\(id).PostgreSQL", work: "send one delta"))
      }
    }
    return lines
  }

  private func lines(_ place: ArchivePlace, _ plan: Plan) async throws -> [Line] {
    let folder = try Folder(in: plan.directory)
    let path = folder.file("ours.strata")
    let archive = try place.archive("ours", in: folder)
    let never = PersistenceConfiguration(snapshots: SnapshotPolicy(minimumJournalBytes: .max))
    let commits = plan.repetitions(100_000)
    var numbers = RandomNumbers(below: count)
    var sent: Revision = 0

    /// Commits without the archive; the file does not take the time of a snapshot.
    func write() async throws -> Double {
      let persisted = try await PersistedStore.open(path, Users.make(count), never)
      let chosen = (0..<commits).map { _ in numbers.next() }
      let cost = try await nanoseconds(per: commits) {
        for number in chosen { persisted.store.commitUpdate(number) }
        try await persisted.persistence.flush()
      }
      try await persisted.persistence.close()
      return cost
    }

    /// Opens the file with the archive, and waits until that has all.
    func send() async throws -> Double {
      let clock = ContinuousClock()
      let persisted = try await PersistedStore.open(path, [], never, archive: archive)
      let start = clock.now
      try await persisted.persistence.replicated(through: persisted.persistence.revision)
      let time = (clock.now - start).nanoseconds
      let deltas = persisted.persistence.revision.number - sent.number
      sent = persisted.persistence.revision
      try await persisted.persistence.close()
      return time / Double(deltas)
    }

    let first = try await PersistedStore.open(path, Users.make(count), never, archive: archive)
    try await first.persistence.replicated(through: first.persistence.revision)
    sent = first.persistence.revision
    try await first.persistence.close()
    let pairs = try await plan.fewRounds.alternate(
      ours: {
        _ = try await write()
        return try await send()
      },
      peer: { try await write() }
    )
    let work = "send one delta of \(grouped(commits)) to a \(place.label)"
    return [
      Line(
        id: "archived.shipping.\(place.label)",
        section: .archived,
        work: work,
        peer: "commit and write it, \(grouped(commits)) in a row",
        comparison: .cost,
        goal: 1,
        pairs: pairs
      ),
      Line(
        id: "archived.shipping-rate.\(place.label)",
        section: .archived,
        work: work + ", 50,000 in a second",
        peer: "commit and write it, \(grouped(commits)) in a row",
        comparison: .cost,
        limit: 20_000,
        pairs: pairs
      ),
    ]
  }
}
