import Strata
import Testing

@Suite struct StatsTests {
  let folder: Folder
  let path: String

  init() async throws {
    folder = try Folder()
    path = folder.path("app.strata")
    let tracker = try await Tracker(at: path)
    try await tracker.commitSample()
    try await tracker.persistence.close()
  }

  @Test func `deltas, changes, tables, commits and entities are counted`() async throws {
    let json = try await Program.strata("stats", path, "--json").output
    #expect(try member("deltas", of: json) == "6")
    #expect(try member("changes", of: json) == "8")
    #expect(try member("tables", "0", "name", of: json) == "issues")
    #expect(try member("tables", "0", "puts", of: json) == "6")
    #expect(try member("tables", "0", "removals", of: json) == "1")
    #expect(try member("entities", "0", "id", of: json) == "42")
    #expect(try member("entities", "0", "puts", of: json) == "3")
    #expect(try member("commits", "0", "name", of: json) == "cleanup")
    #expect(try member("bucketSeconds", of: json) == "3600")
    #expect(try member("buckets", "0", "deltas", of: json) == "1")
    let text = try await Program.strata("stats", path, "--top", "1")
    #expect(text.output.hasPrefix("6 deltas, 8 changes, "))
    #expect(
      text.output.contains("\n▃▃                      ▇▃\ndeltas in 1 hour each, at most 3\n")
    )
  }

  @Test func `a range is counted alone`() async throws {
    let json = try await Program.strata("stats", path, "--since", "3", "--until", "4", "--json")
    #expect(try member("deltas", of: json.output) == "1")
    #expect(try member("changes", of: json.output) == "2")
    let none = try await Program.strata("stats", path, "--since", "HEAD")
    #expect(none.output == "The journal has no deltas here.\n")
  }

  @Test func `tables are as large as they were`() async throws {
    for (at, count) in [("0", "2"), ("3", "4"), ("HEAD", "3"), ("snap:before-import", "2")] {
      let json = try await Program.strata("tables", path, "--at", at, "--json").output
      #expect(try member("0", "name", of: json) == "issues")
      #expect(try member("0", "count", of: json) == count, "\(at)")
    }
    let info = try await Program.strata("info", path)
    #expect(info.output.contains(", 4 entities and a value, "), "\(info.output)")
  }
}
