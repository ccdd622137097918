import Foundation
import Testing

/// `strata blame` and `strata history` across a rename.
struct FollowTests {
  @Test func `a renamed table is followed, unless the command says not to`() async throws {
    let folder = try Folder()
    let (store, scripts) = (folder.path("app.strata"), folder.path("Migrations"))
    try FileManager.default.createDirectory(atPath: scripts, withIntermediateDirectories: true)
    for (name, text) in [
      ("prices.csv", "id,amount\ntea,5\n"), ("more.csv", "id,amount\ncake,7\n"),
      ("Migrations/0001_costs.sql", "ALTER TABLE prices RENAME TO costs;"),
    ] {
      try Data(text.utf8).write(to: URL(fileURLWithPath: folder.path(name)))
    }
    _ = try await Program.strata("import", store, "prices", folder.path("prices.csv"), "--create")
    _ = try await Program.strata("import", store, "prices", folder.path("more.csv"))
    let up = try await Program.strata("migrate", "up", store, "--dir", scripts)
    #expect(up.status == 0)
    let history = try await Program.strata("history", store, "costs", "cake")
    #expect(history.output.contains("import more.csv"))
    #expect(history.output.contains("  moved from prices cake\n"))
    let blame = try await Program.strata("blame", store, "costs", "cake")
    #expect(blame.output.contains("import more.csv"))
    let stopped = try await Program.strata("history", store, "costs", "cake", "--no-follow")
    #expect(stopped.output.contains("  inserted\n") && !stopped.output.contains("moved"))
    let json = try await Program.strata("history", store, "costs", "cake", "--ndjson")
    #expect(
      json.output.contains(
        #"{"operation":"moved","former":{"table":"prices","id":"cake"},"value":"#
      )
    )
  }
}
