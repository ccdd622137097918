import Strata
import StrataArchive

/// Opens a store whose file is lost, compared with opening the file.
struct ArchivePullBenchmark: Benchmark {
  let count: Int

  let name = "archive-pull"

  func run(_ plan: Plan) async throws -> [Line] {
    let folder = try Folder(in: plan.directory)
    let archive = try ArchivePlace.folder.archive("ours", in: folder)
    let path = folder.file("ours.strata")
    let persisted = try await PersistedStore.open(path, Users.make(count), archive: archive)
    try await persisted.persistence.replicated(through: persisted.persistence.revision)
    try await persisted.persistence.close()
    var pulls = 0
    let pairs = try await plan.fewRounds.alternate(
      ours: {
        pulls += 1
        return try await restore(
          folder.file("pulled-\(pulls).strata"),
          expecting: count,
          archive: archive
        )
      },
      peer: { try await restore(path, expecting: count) }
    )
    return [
      Line(
        id: "archived.pull",
        section: .archived,
        work: "open a store of \(grouped(count)) users whose file is lost, from a folder",
        peer: "open its file",
        comparison: .cost,
        goal: 3,
        remark: "The goal is twice the opening for the pull, and the opening of what was pulled.",
        pairs: pairs
      )
    ]
  }
}
