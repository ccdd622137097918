import Strata
import Testing

/// What colors and weight tell apart.
@Suite struct LooksTests {
  let folder: Folder
  let path: String

  init() async throws {
    folder = try Folder()
    path = folder.path("app.strata")
    let tracker = try await Tracker(at: path)
    try await tracker.commitSample()
    try await tracker.persistence.close()
  }

  private let end = "\u{1B}[0m"

  @Test func `the parts of a commit are told apart, in log, history and blame`() async throws {
    let commit = """
      \u{1B}[1;33m4\(end)  \u{1B}[2m2026-02-02 09:30:00.000Z\(end)  \u{1B}[1mcleanup\(end)  \
      \u{1B}[36mTracker/Cleanup.swift:34 closeStale()\(end)
      """
    for verb in [
      ["log", path], ["history", path, "issues", "42"], ["blame", path, "issues", "42"],
    ] {
      let shown = try await Program.run(Program.strataPath(), verb + ["--color", "always"])
      #expect(shown.output.contains(commit), "\(shown)")
      #expect(shown.output.contains("by \u{1B}[35mcron\(end)"), "\(shown)")
      let plain = try await Program.run(Program.strataPath(), verb)
      #expect(!plain.output.contains("\u{1B}"))
    }
  }

  @Test(
    arguments: [
      ["list", "issues"], ["query", "SELECT * FROM issues"], ["show", "issues"], ["tables"],
      ["schema"], ["find", "web"], ["blame", "issues"], ["stats"], ["snapshot", "list"],
      ["diff", "0..", "--stat"],
    ]
  )
  func `titles of tables are bold, and --color is an option of every table`(
    words: [String]
  ) async throws {
    let position = words[0] == "snapshot" ? 2 : 1
    let arguments = words.prefix(position) + [path] + words.dropFirst(position)
    let shown = try await Program.run(Program.strataPath(), arguments + ["--color", "always"])
    #expect(
      shown.output.split(separator: "\n").contains { line in
        line.hasPrefix("\u{1B}[1m") && line.hasSuffix(end)
      },
      "\(shown)"
    )
    let plain = try await Program.run(Program.strataPath(), arguments + ["--color", "never"])
    #expect(!plain.output.isEmpty && !plain.output.contains("\u{1B}"), "\(plain)")
  }

  @Test func `blame has a field on one line where it fits`() async throws {
    let wide = try await Program.shell("COLUMNS=160 \"$0\" blame \"$1\" issues 42", path)
    let lines = wide.output.split(separator: "\n")
    #expect(lines.count == 6, "\(wide)")
    #expect(
      lines.contains(
        """
        state     closed                            4  2026-02-02 09:30:00.000Z  cleanup  \
        Tracker/Cleanup.swift:34 closeStale()  by cron
        """
      ),
      "\(wide)"
    )
    let narrow = try await Program.shell("COLUMNS=60 \"$0\" blame \"$1\" issues 42", path)
    #expect(narrow.output.contains("state     closed\n          4  2026-02-02"), "\(narrow)")
  }
}
