import Foundation
import Strata

/// A persisted commit, compared with writing all users to one JSON file after each change.
struct WholeFileBenchmark: Benchmark {
  let count: Int

  let name = "whole-file"

  func run(_ plan: Plan) async throws -> [Line] {
    let folder = try Folder(in: plan.directory)
    let persisted = try await PersistedStore.open(folder.file("ours.strata"), Users.make(count))
    var users = Users.makePlain(count)
    let encoder = JSONEncoder()
    let file = URL(fileURLWithPath: folder.file("users.json"))
    var numbers = RandomNumbers(below: count)
    let commits = plan.repetitions(10_000)
    let pairs = try await plan.fewRounds.alternate(
      ours: {
        let chosen = (0..<commits).map { _ in numbers.next() }
        return try await nanoseconds(per: commits) {
          for number in chosen { persisted.store.commitUpdate(number) }
          try await persisted.persistence.flush()
        }
      },
      peer: {
        users[Int(numbers.next())].age += 1
        return try nanoseconds(per: 1) {
          try encoder.encode(users).write(to: file, options: .atomic)
        }
      }
    )
    try await persisted.persistence.close()
    return [
      Line(
        id: "written.whole-file",
        section: .written,
        work: "update one of \(grouped(count)), flushed at the end of a run, per update",
        peer: "all users as one JSON file",
        comparison: .advantage,
        pairs: pairs
      )
    ]
  }
}
