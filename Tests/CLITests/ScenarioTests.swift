import Foundation
import Strata
import Testing

/// Questions of a person with a bug, as commands in and screens out.
///
/// Each page has blocks of code that begin with a command behind `$ `. Below a command is what it prints:
/// standard output, then standard error behind `! `, then the exit code unless it is 0. The commands of a
/// page run in one directory, with the store of a ``Tracker``.
///
/// `STRATA_RECORD=1` writes the screens into the pages; a person reads them before they are committed.
@Suite struct ScenarioTests {
  private static let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent()

  private static let pages = [
    "Scenarios/questions.md", "Scenarios/more-questions.md", "Scenarios/wrong-questions.md",
    "../../Sources/StrataCLI/StrataCLI.docc/FindingABug.md",
    "../../Sources/StrataCLI/StrataCLI.docc/KeepingAStore.md", "Scenarios/keeping.md",
    "../../Sources/StrataCLI/StrataCLI.docc/Runbook.md", "../../README.md",
  ]

  @Test(arguments: pages)
  func `the screens of a page are those of the command`(page: String) async throws {
    let file = Self.tests.appendingPathComponent(page).standardizedFileURL
    let expected = try String(contentsOf: file, encoding: .utf8)
    let folder = try Folder()
    let tracker = try await Tracker(at: folder.path("app.strata"))
    try await tracker.commitSample()
    try await tracker.persistence.close()
    let found = try await ScreenPage.replay(expected) { command, _ in
      try await screen(of: command, in: folder)
    }
    if ProcessInfo.processInfo.environment["STRATA_RECORD"] != nil {
      try found.write(to: file, atomically: true, encoding: .utf8)
    }
    let lines = [found, expected].map {
      $0.split(separator: "\n", omittingEmptySubsequences: false)
    }
    for (found, expected) in zip(lines[0], lines[1]) where found != expected {
      #expect(found == expected)
      break
    }
    #expect(found == expected)
    #expect(found.contains("\n$ strata "))
  }

  private func screen(of command: String, in folder: Folder) async throws -> [String] {
    let program = try await Program.shell(
      #"cd "$1" && STRATA=$0 && strata() { "$STRATA" "$@"; } && export COLUMNS=100 && eval "$2""#,
      folder.path(""),
      command
    )
    return ScreenPage.lines(of: program)
      .map { $0.replacingOccurrences(of: folder.path("") + "/", with: "") }
  }
}
