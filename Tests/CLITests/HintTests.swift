import Strata
import Testing

/// What every subcommand says of a name that is not there.
@Suite struct HintTests {
  private let folder: Folder
  private let path: String

  init() async throws {
    folder = try Folder()
    path = try await folder.closedSample()
  }

  @Test(arguments: [
    "show $1 usres", "list $1 usres", "history $1 usres 1", "blame $1 usres 1",
    "diff $1 1..2 usres", "log $1 --table usres", "export $1 usres --csv", "schema $1 usres",
    "watch $1 --table usres --count 1", "undo $1 1 --table usres", "revert $1 usres --at 1",
    "compare $1 $1 usres", "import $1 usres /dev/null --form csv",
  ])
  func `a table that is meant is named by each of them`(line: String) async throws {
    let run = try await Program.shell("$0 \(line)", path)
    #expect(run.status == 3, "\(run)")
    #expect(run.errors.contains("here is no table usres; did you mean users? "), "\(run)")
  }

  @Test(arguments: [
    "show $1 %", "blame $1 %", "log $1 --table %", "diff $1 1..2 %", "history $1 %",
  ])
  func `a persisted value is found by its name, and by a misspelt one`(line: String) async throws {
    let path = folder.path("tracker.strata")
    let tracker = try await Tracker(at: path)
    try await tracker.commitSample()
    try await tracker.persistence.close()
    for name in ["settings", "value:setings"] {
      let words = line.replacing("%", with: name)
      let run = try await Program.shell("$0 \(words)", path)
      #expect(run.status == 3, "\(run)")
      #expect(
        run.errors.contains("there is no table \(name); did you mean value:settings?"),
        "\(run)"
      )
      let right = try await Program.shell("$0 \(line.replacing("%", with: "value:settings"))", path)
      #expect(right.status == 0 || line.hasPrefix("diff") && right.status == 2, "\(right)")
    }
  }

  @Test func `a snapshot that is meant is named, and a verb's own mistakes read well`()
    async throws
  {
    #expect(
      try await Program.strata("snapshot", "create", path, "before-upgrade").status == 0
    )
    for line in ["show $1 users --at snap:before-upgrad", "snapshot show $1 before-upgrad"] {
      let run = try await Program.shell("$0 \(line)", path)
      #expect(run.status == 3, "\(run)")
      #expect(
        run.errors.contains("named “before-upgrad”; did you mean before-upgrade?"),
        "\(run)"
      )
    }
    let option = try await Program.strata("log", path, "--nme", "x")
    #expect(option.errors.contains("Did you mean '--name'? A value that begins with"), "\(option)")
    let id = try await Program.strata("history", path, "users")
    #expect(id.status == 64)
    #expect(id.errors.contains("strata history \(path) users ID"), "\(id)")
  }
}
