import ArgumentParser
import StrataInspection
import StrataJournal
import StrataMaintaining
import StrataStorage

/// `strata snapshot rename STORE NAME NEW`.
struct SnapshotRename: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rename",
    abstract: "Gives a named snapshot another name.",
    discussion: """
      The store must not be open for writing: a program does it with `persistence.renameSnapshot(_:to:)`.

      Example:
        strata snapshot rename app.strata before-import before-import-of-may
      """
  )

  @OptionGroup var arguments: StoreArguments

  @Argument(help: "The name.")
  var name: String

  @Argument(help: "The new name, which must be free.")
  var newName: String

  func validate() throws { try SnapshotName.validate(newName) }

  func run() throws {
    let revision = try NamedSnapshots(of: arguments.store).rename(name, to: newName)
    try Output.print { output throws(OutputError) in
      switch arguments.form {
      case .json:
        try output.line(SummaryJSON.compact(SnapshotName(name: newName, revision: revision.number)))
      case .text:
        try output.line("The snapshot of revision \(revision) is named \(newName.printable).")
      }
    }
  }
}
