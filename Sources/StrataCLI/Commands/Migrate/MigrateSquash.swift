import ArgumentParser
import StrataInspection
import StrataJournal
import StrataSQL
import StrataScripts

/// `strata migrate squash --to N`.
struct MigrateSquash: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "squash",
    abstract: "Replaces the first migrations by one file that stands for them.",
    discussion: """
      For migrations that every store has: a store that lacks one of them is refused with the number it needs, \
      and a build from before can bring it up. The replaced files are moved into the folder `squashed`.

      Example:
        strata migrate squash --to 12
      """
  )

  @OptionGroup var folder: FolderOption

  @Option(help: "The last number to replace.")
  var to: Int

  func run() throws {
    let file = try MigrationFolder(folder.dir).squash(to: to)
    try Output.print { output throws(OutputError) in
      switch folder.form {
      case .json: try output.line(SummaryJSON.compact(["files": [file]]))
      case .text: try output.line("Wrote \(file.printable). It stands for 1 to \(to).")
      }
    }
  }
}
