import ArgumentParser
import StrataJournal
import StrataMaintaining
import StrataStorage

/// `strata fork STORE NEW`.
struct Fork: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fork",
    abstract: "Copies a store as it was at a revision, with the history up to there.",
    discussion: """
      The copy is a store of its own, in a new lineage: it opens as the store would have opened then. \
      Nothing is overwritten, and the store is not changed. It must not be open for writing.

      Examples:
        strata fork app.strata before.strata --at 41
        strata fork app.strata yesterday.strata --at @yesterday
      """
  )

  @Argument(help: "The file of the store.", completion: .file())
  var store: String

  @Argument(help: "The file to create.", completion: .file())
  var copy: String

  @OptionGroup var moment: AtArguments

  func run() throws {
    let position = try StoreBackup.forkBlocking(store, at: try moment.expression, to: copy)
    try Output.print { output throws(OutputError) in
      try output.line(
        """
        \(copy.printable) is \(store.printable) at revision \(position.revision), in a \
        lineage of its own.
        """
      )
    }
  }
}
