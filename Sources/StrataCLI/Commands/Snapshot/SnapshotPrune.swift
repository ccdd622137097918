import ArgumentParser
import StrataInspection
import StrataJournal
import StrataMaintaining
import StrataStorage

/// `strata snapshot prune STORE NAME…`.
struct SnapshotPrune: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "prune",
    abstract: "Removes names of snapshots, and the snapshots that only these names kept.",
    discussion: """
      Snapshots that belong to the history of the store stay, without their names, as long as the policy of the \
      program keeps them. The store must not be open for writing.

      Examples:
        strata snapshot prune app.strata before-import
        strata snapshot prune app.strata --keep 3
        strata snapshot prune app.strata --before @-30d --dry-run
      """
  )

  @OptionGroup var arguments: StoreArguments

  @Argument(help: "The names to remove.")
  var names: [String] = []

  @Option(help: "Remove all names but those of the N newest snapshots.")
  var keep: Int?

  @Option(
    help: ArgumentHelp(
      "Remove the names of snapshots before a revision, written as for --at.",
      valueName: "revision"
    )
  )
  var before: String?

  @Flag(help: "Show what would be removed, and change nothing.")
  var dryRun = false

  func validate() throws {
    if let keep, keep < 0 { throw ValidationError("--keep must not be negative.") }
    _ = try selection
  }

  private var selection: NamedSnapshots.Selection {
    get throws {
      switch (names.isEmpty, keep, before) {
      case (false, nil, nil): return .names(names)
      case (true, let keep?, nil): return .allBut(newest: keep)
      case (true, nil, let before?):
        return .before(try RevisionExpression(argument: before, .start))
      default: throw ValidationError("Choose one of names, --keep and --before.")
      }
    }
  }

  func run() throws {
    let snapshots = NamedSnapshots(of: arguments.store)
    let removal = try dryRun ? snapshots.plan(selection) : snapshots.prune(selection)
    try Output.print { output throws(OutputError) in
      switch arguments.form {
      case .json: try output.line(SummaryJSON.indented(SnapshotText.Pruned(removal)))
      case .text: for line in SnapshotText.lines(removal) { try output.line(line) }
      }
    }
  }
}
