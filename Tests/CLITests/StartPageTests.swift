import Foundation
import Testing

/// The page "Start in ten minutes": its commands print what it shows, with the programs that it shows.
///
/// `swift run Notes` stands for `NotesFirst` and, below the heading "Change the types", for `NotesSecond`. Times do not
/// count. `STRATA_RECORD=1` writes the screens into the page; a person reads them before they are committed.
@Suite struct StartPageTests {
  private static let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("../../Sources/Strata/Strata.docc/StartInTenMinutes.md")
    .standardizedFileURL

  @Test func `the screens of the first page are those of its programs`() async throws {
    let expected = try String(contentsOf: Self.file, encoding: .utf8)
    let folder = try Folder()
    var isChanged = false
    let found = try await ScreenPage.replay(expected) { command, heading in
      isChanged = isChanged || heading == "Change the types"
      guard command.hasPrefix("swift run ") else { return [] }
      let program = try await Program.shell(
        """
        cd "$1" && export COLUMNS=100 NO_COLOR=1
        swift() { shift; name=$1; shift; if [ "$name" = Notes ]; then name=$2; fi; "$(dirname "$0")/$name" "$@"; }
        """
        .replacingOccurrences(
          of: "name=$2",
          with: "name=\(isChanged ? "NotesSecond" : "NotesFirst")"
        )
          + "\n" + command,
        folder.path("")
      )
      return ScreenPage.lines(of: program).map { line in
        ["NotesFirst", "NotesSecond"].reduce(line) {
          $0.replacingOccurrences(of: $1, with: "Notes")
        }
        .replacingOccurrences(of: folder.path("") + "/", with: "")
      }
    }
    if ProcessInfo.processInfo.environment["STRATA_RECORD"] != nil {
      try found.write(to: Self.file, atomically: true, encoding: .utf8)
    }
    for (found, expected) in zip(Self.lines(found), Self.lines(expected)) where found != expected {
      #expect(found == expected)
      break
    }
    #expect(Self.lines(found).count == Self.lines(expected).count)
    #expect(found.contains("\n$ swift run strata "))
  }

  /// The lines of a page, with the same time in each place.
  private static func lines(_ page: String) -> [String] {
    page.replacing(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)?Z/, with: "TIME")
      .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }
}
