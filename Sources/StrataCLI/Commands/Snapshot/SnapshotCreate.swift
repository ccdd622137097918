import ArgumentParser
import StrataInspection
import StrataJournal
import StrataMaintaining
import StrataStorage

/// `strata snapshot create STORE NAME`.
struct SnapshotCreate: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "create",
    abstract: "Takes a snapshot of the last revision and gives it a name.",
    discussion: """
      The store must not be open for writing: a program takes one with `persistence.snapshot(named:)`.

      Examples:
        strata snapshot create app.strata before-import
        strata snapshot create app.strata daily --replace
      """
  )

  @OptionGroup var arguments: StoreArguments

  @Argument(help: "The name.")
  var name: String

  @Flag(help: "Move the name if another snapshot has it.")
  var replace = false

  func validate() throws { try SnapshotName.validate(name) }

  func run() throws {
    let revision = try NamedSnapshots(of: arguments.store).create(
      name,
      ifTaken: replace ? .move : .refuse
    )
    try Output.print { output throws(OutputError) in
      switch arguments.form {
      case .json:
        try output.line(SummaryJSON.compact(SnapshotName(name: name, revision: revision.number)))
      case .text:
        try output.line("The snapshot of revision \(revision) is named \(name.printable).")
      }
    }
  }
}
