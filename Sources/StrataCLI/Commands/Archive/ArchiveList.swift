import ArgumentParser
import StrataArchiving
import StrataInspection
import StrataJournal

/// `strata archive list --from ARCHIVE`.
struct ArchiveList: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "Lists the stores of an archive: how far each is, its size, and who leads.",
    discussion: """
      A folder has one store, a database may have several. The last column is when the lease ends or has ended: the leader \
      gave its last sign at most a lease earlier.

      Examples:
        strata archive list --from /backups/app
        strata archive list --from postgres://db/backups --json
      """
  )

  @Option(
    name: .customLong("from"),
    help: ArgumentHelp(
      "The archive: a folder, or a URL as postgres://host/database.",
      valueName: "archive"
    ),
    completion: .directory
  )
  var location: String

  @Flag(name: .customLong("json"), help: "Print JSON instead of text.")
  var isJSON = false

  @OptionGroup var color: ColorArguments

  func run() async throws {
    let stores = try await ArchiveLocation(location).stores()
    try Output.print { output throws(OutputError) in
      if isJSON {
        try output.array(stores.map { SummaryJSON.compact($0) })
      } else if stores.isEmpty {
        try output.line("There is no store.")
      } else {
        try output.table(
          ArchiveText.table(stores, within: Terminal.standard.columns),
          color.highlighting
        )
      }
    }
  }
}
