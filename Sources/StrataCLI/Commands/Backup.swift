import ArgumentParser
import StrataInspection
import StrataJournal
import StrataMaintaining
import StrataStorage

/// `strata backup STORE NEW`.
struct Backup: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "backup",
    abstract: "Copies a store into one file, also while a program has it open.",
    discussion: """
      The copy has everything that is in the file when the command begins, and is verified before it gets its name. \
      A program that has the store open goes on; what it has not yet written is not in the copy. Nothing is \
      overwritten. `strata restore` puts a backup in the place of a store.

      Examples:
        strata backup app.strata backups/monday.strata
        strata backup app.strata backups/monday.strata --json
      """
  )

  @OptionGroup var arguments: StoreArguments

  @Argument(help: "The file to create.", completion: .file())
  var copy: String

  func run() throws {
    let position = try StoreBackup.copyBlocking(arguments.store, to: copy)
    try Output.print { output throws(OutputError) in
      switch arguments.form {
      case .json: try output.line(SummaryJSON.indented(Report(position)))
      case .text:
        try output.line(
          "\(copy.printable) is \(arguments.store.printable) at revision \(position.revision), verified."
        )
      }
    }
  }

  /// What was copied, as JSON.
  private struct Report: Encodable {
    let revision: Int64
    let lineage: Lineage.ID

    init(_ position: Position) {
      revision = position.revision.number
      lineage = position.lineageID
    }
  }
}
