import ArgumentParser
import StrataInspection
import StrataJournal

/// `strata snapshot list STORE`.
struct SnapshotList: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "Lists the snapshots of a store, the oldest first.",
    discussion: """
      Examples:
        strata snapshot list app.strata
        strata snapshot list app.strata --named --json
      """
  )

  @OptionGroup var arguments: RowArguments

  @Flag(help: "Only those that have a name.")
  var named = false

  @OptionGroup var display: DisplayArguments

  func run() throws {
    let all = try Inspector(path: arguments.store).info().snapshots.reversed()
    let rows = SnapshotText.rows(all.filter { !named || !$0.names.isEmpty })
    try Output.print(in: display.pager) { output throws(OutputError) in
      if let form = arguments.form { return try output.rows(rows, as: form) }
      try output.lines(rows.table(within: Terminal.standard.columns, display.highlighting))
    }
  }
}
