import Foundation
import Strata
import StrataStorage
import Testing

@Suite struct ImportTests {
  @Test func `what is exported comes back with the same values, as NDJSON and as CSV`()
    async throws
  {
    let folder = try Folder()
    let path = folder.path("app.strata")
    let tracker = try await Tracker(at: path)
    try await tracker.commitSample()
    let issues = tracker.store.state.db.issues
    try await tracker.persistence.close()
    for (form, revision) in [("ndjson", 7), ("csv", 9)] {
      let file = folder.path("issues.\(form)")
      let export = try await Program.shell(
        #""$0" export "$1" issues "$2" > "$3""#,
        path,
        "--\(form)",
        file
      )
      #expect(export.status == 0)
      // What is there already makes no commit.
      let same = try await Program.strata("import", path, "issues", file, "--json")
      #expect(try member("unchanged", of: same.output) == "3")
      let removed = try await Tracker(at: path)
      removed.store.commit { $0.db.issues.removeAll() }
      try await removed.persistence.close()
      let imported = try await Program.strata("import", path, "issues", file)
      #expect(imported.errors == "")
      #expect(
        imported.output
          == "3 entities inserted, 0 updated, 0 unchanged in issues, at revision \(revision + 1).\n"
      )
      let again = try await Tracker(at: path)
      #expect(again.store.state.db.issues == issues, "\(form)")
      try await again.persistence.close()
      #expect(try await Program.strata("verify", path).status == 0)
    }
  }

  @Test func `a wrong line leaves every byte as it was, and a dry run too`() async throws {
    let folder = try Folder()
    let path = folder.path("app.strata")
    let tracker = try await Tracker(at: path)
    try await tracker.commitSample()
    try await tracker.persistence.close()
    let lines = (100..<200).map { number in
      #"{"id":\#(number),"project":"web","title":"\#(number)","state":"open","labels":["a"]}"#
    }
    let good = folder.path("good.ndjson")
    try Data(lines.joined(separator: "\n").utf8).write(to: URL(fileURLWithPath: good))
    let wrong = folder.path("wrong.ndjson")
    let text = (lines + ["{\"id\":\"x\"}", lines[3]]).joined(separator: "\n")
    try Data(text.utf8).write(to: URL(fileURLWithPath: wrong))
    let before = try await folder.contents()
    let run = try await Program.strata("import", path, "issues", wrong)
    #expect(run.status == 1)
    #expect(run.output == "")
    #expect(run.errors.contains("line 101: id is \"x\", which is no integer"))
    #expect(run.errors.contains("line 102: the ID 103 is on line 4 already"))
    let dry = try await Program.strata("import", path, "issues", good, "--dry-run")
    #expect(dry.status == 0)
    #expect(dry.output.contains("100 entities inserted"))
    #expect(try await folder.contents() == before)
    #expect(try await Program.strata("import", path, "issues", good).status == 0)
    #expect(try await folder.contents() != before)
  }

  @Test func `a created store opens in a program`() async throws {
    let folder = try Folder()
    let path = folder.path("new.strata")
    let file = folder.path("projects.csv")
    try Data("id,name\nweb,Website\napp,\"App, with a comma\"\n".utf8)
      .write(to: URL(fileURLWithPath: file))
    let run = try await Program.strata("import", path, "projects", file, "--create")
    #expect(run.status == 0, "\(run.errors)")
    let persistence = try await Persistence.open(
      at: path,
      initialState: TrackerState(),
      database: \.db
    )
    let projects = persistence.initialState.db.projects
    #expect(projects.count == 2)
    #expect(projects["app"]?.name == "App, with a comma")
    try await persistence.close()
  }
}
