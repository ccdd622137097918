import ArgumentParser
import Foundation
import StrataArchive
import StrataInspection
import StrataJournal

/// `strata archive status --from ARCHIVE`.
struct ArchiveStatusCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "Shows how far an archive is, who leads, its gaps, and its snapshots.",
    discussion: """
      Examples:
        strata archive status --from /backups/app
        strata archive status --from postgres://db/backups --name app
      """
  )

  @OptionGroup var arguments: ArchiveArguments

  @Flag(name: .customLong("json"), help: "Print JSON instead of text.")
  var isJSON = false

  @OptionGroup var color: ColorArguments

  func run() async throws {
    let archive = try await arguments.archive()
    guard let head = try await archive.head() else {
      throw ArchiveError(.empty, archive: archive.name)
    }
    let summary = ArchiveText.Summary(
      head,
      oldest: try await archive.segments(after: 0, bytes: 1).first,
      gaps: try await archive.gaps(),
      snapshots: try await archive.snapshots()
    )
    try Output.print { output throws(OutputError) in
      if isJSON {
        try output.line(SummaryJSON.indented(summary))
      } else {
        let columns = Terminal.standard.columns
        try output.lines(ArchiveText.lines(summary, color.highlighting, within: columns))
      }
    }
  }
}
