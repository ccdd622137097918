import Strata

/// A commit that does not touch the database beside it.
struct BesideBenchmark: Benchmark {
  let count: Int

  let name = "beside"

  func run(_ plan: Plan) async throws -> [Line] {
    let folder = try Folder(in: plan.directory)
    let persistence = try await Persistence.open(
      at: folder.file("ours.strata"),
      initialState: ArticleState(count: count),
      database: \.db
    )
    let persisted = ArticleStore(persistence)
    let inMemory = ArticleStore(initialState: ArticleState(count: count))
    let repetitions = plan.repetitions(20_000)
    let pairs = await plan.rounds.alternate(
      ours: {
        nanoseconds(per: repetitions) {
          for _ in 0..<repetitions { persisted.commit { $0.openDocuments += 1 } }
        }
      },
      peer: {
        nanoseconds(per: repetitions) {
          for _ in 0..<repetitions { inMemory.commit { $0.openDocuments += 1 } }
        }
      }
    )
    try await persistence.close()
    return [
      Line(
        id: "written.beside",
        section: .written,
        work: "commit beside 8 tables with 8 indexes, persisted",
        peer: "the same store in memory",
        comparison: .cost,
        goal: 1.3,
        pairs: pairs
      )
    ]
  }
}
