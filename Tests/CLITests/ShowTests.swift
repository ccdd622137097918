import Strata
import Testing

@Suite struct ShowTests {
  let folder: Folder
  let path: String

  init() async throws {
    folder = try Folder()
    path = try await folder.closedSample()
  }

  @Test func `the tables come with their counts and fields`() async throws {
    let tables = try await Program.strata("tables", path)
    let json = try await Program.strata("tables", path, "--json").output
    let notes = try #require(try member("0", "bytes", of: json))
    let users = try #require(try member("1", "bytes", of: json))
    #expect(tables.status == 0)
    #expect(
      tables.output.split(separator: "\n").map {
        $0.split(separator: " ").prefix(4).joined(separator: " ")
      }
        == ["table entities size fields", "notes 1 \(notes) bytes", "users 2 \(users) bytes"]
    )
    #expect(try member("1", "count", of: json) == "2")
    #expect(try member("1", "fields", "1", "name", of: json) == "name")
  }

  @Test func `a field that no entity has a value of has no kind yet`() async throws {
    let tracker = try await Tracker(at: folder.path("tracker.strata"))
    try await tracker.persistence.close()
    let schema = try await Program.strata("schema", folder.path("tracker.strata"), "issues")
    let assignee = schema.output.split(separator: "\n").first { $0.contains("assignee") }
    #expect(assignee?.hasSuffix("no value so far") == true, "\(schema.output)")
  }

  @Test func `what is not a terminal is as wide as COLUMNS says`() async throws {
    let line = #"COLUMNS="$2" "$0" tables "$1""#
    let narrow = try await Program.shell(line, path, "40").output
    let wide = try await Program.shell(line, path, "300").output
    #expect(narrow.split(separator: "\n").allSatisfy { $0.count <= 40 }, "\(narrow)")
    #expect(narrow.contains("…"))
    #expect(!wide.contains("…"))
  }

  @Test func `a table is shown in aligned columns`() async throws {
    let shown = try await Program.strata("show", path, "users")
    #expect(
      shown
        == Program(
          status: 0,
          output: """
            id  name        email             tags       home
             2  Delta Dora  dora@example.org  ["a","b"]  {"city":"Zürich","floor":3}
            42  林 Mei                        []

            """,
          errors: ""
        )
    )
  }

  @Test func `the JSON of a table is one array`() async throws {
    let shown = try await Program.strata("show", path, "users", "--json")
    #expect(
      try canonicalJSON(shown.output) == """
        [{"email":"dora@example.org","home":{"city":"Zürich","floor":3},"id":2,"name":"Delta Dora",\
        "tags":["a","b"]},{"id":42,"name":"林 Mei","tags":[]}]
        """
    )
  }

  @Test func `one entity is shown field by field`() async throws {
    let shown = try await Program.strata("show", path, "users", "2")
    #expect(
      shown
        == Program(
          status: 0,
          output: """
            id:    2
            name:  Delta Dora
            email: dora@example.org
            tags:  ["a","b"]
            home:  {"city":"Zürich","floor":3}

            """,
          errors: ""
        )
    )
  }

  @Test func `the JSON of one entity is one object`() async throws {
    let shown = try await Program.strata("show", path, "users", "42", "--json")
    #expect(try canonicalJSON(shown.output) == #"{"id":42,"name":"林 Mei","tags":[]}"#)
  }

  @Test func `an ID that is a text is found, and its line breaks stand as escapes`() async throws {
    let shown = try await Program.strata("show", path, "notes", "welcome")
    #expect(shown.output == "id:   welcome\ntext: \"hello\\nworld\"\n")
  }

  @Test func `an empty table says so, and is an empty array`() async throws {
    let path = folder.path("empty.strata")
    let sample = try await OpenSample(at: path, initial: SampleState())
    try await sample.close()
    #expect(try await Program.strata("show", path, "users").output == "The table users is empty.\n")
    #expect(try await Program.strata("show", path, "users", "--json").output == "[\n]\n")
  }

  @Test func `an unknown table is not found`() async throws {
    #expect(
      try await Program.strata("show", path, "userz")
        == Program(
          status: 3,
          output: "",
          errors: """
            strata: \(path): there is no table userz; did you mean users? Check the spelling. `strata tables` \
            lists the tables, and `strata info` the snapshots.

            """
        )
    )
  }

  @Test func `an unknown ID is not found`() async throws {
    let shown = try await Program.strata("show", path, "users", "7", "--json")
    #expect(shown.status == 3)
    #expect(shown.output.hasPrefix("{\"error\":\"\(path): there is no entity 7 in users. "))
    #expect(shown.errors.hasPrefix("strata: \(path): there is no entity 7 in users. "))
  }

  @Test(arguments: [["tables"], ["show", "users"], ["show", "users", "42"], ["show", "notes"]])
  func `a damaged newest snapshot is replaced by an older one, as in an opening`(
    command: [String]
  ) async throws {
    let folder = try Folder()
    let path = folder.path("app.strata")
    let sample = try await OpenSample(at: path)
    try await sample.commitSample()
    try await sample.persistence.snapshot(named: "newest")
    try await sample.close()
    let arguments = [command[0], path] + command.dropFirst()
    let strata = try Program.strataPath()
    let before = try await Program.run(strata, arguments)
    #expect(before.status == 0)
    try Patch.clearChunks(ofNewestSnapshotIn: path)
    #expect(try await Program.run(strata, arguments) == before)
    #expect(try await Program.strata("verify", path).status == 4)
    let reopened = try await OpenSample(at: path)
    #expect(reopened.persistence.report.snapshotRevision == 0)
    #expect(reopened.store.state.db.users == sample.store.state.db.users)
    try await reopened.close()
  }

  @Test func `commits that are only in SQLite's WAL are shown`() async throws {
    let folder = try Folder()
    let path = try await folder.unclosedSample()
    #expect(try await Program.strata("show", path, "users", "42").status == 0)
    #expect(try await Program.strata("show", path, "users", "1").status == 3)
  }

  @Test func `a store that is open is shown as last written`() async throws {
    let folder = try Folder()
    let path = folder.path("app.strata")
    let sample = try await OpenSample(at: path)
    try await sample.commitSample()
    #expect(try await Program.strata("show", path, "users", "42").status == 0)
    #expect(try await Program.strata("show", path, "users", "1").status == 3)
    try await sample.close()
  }

  @Test func `a field that was cleared has the commit that removed it`() async throws {
    let path = folder.path("tracker.strata")
    let tracker = try await Tracker(at: path)
    try await tracker.commitSample()
    tracker.store.commit("issue/unassign") {
      _ = try? $0.db.issues.updateIfExists(42) { $0.assignee = nil }
    }
    tracker.store.commit("issue/edit") {
      _ = try? $0.db.issues.updateIfExists(42) { $0.title = "Login" }
    }
    try await tracker.persistence.close()
    let blamed = try await Program.strata("blame", path, "issues", "42", "assignee")
    #expect(blamed.output.hasPrefix("assignee  removed\n          7  "), "\(blamed)")
    #expect(blamed.output.contains("issue/unassign"))
    let json = try await Program.strata("blame", path, "issues", "42", "assignee", "--json").output
    #expect(try member("0", "value", of: json) == "<null>", "\(json)")
    let all = try await Program.strata("blame", path, "issues", "42")
    #expect(all.output.contains("assignee  removed\n          7  "), "\(all)")
    let never = try await Program.strata("blame", path, "issues", "43", "assignee")
    #expect(never.status == 3)
  }
}
