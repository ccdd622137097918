import ArgumentParser
import StrataInspection
import StrataRecords

/// `strata history STORE TABLE ID`.
struct History: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "history",
    abstract: "Shows every version of an entity, with what changed field by field.",
    discussion: """
      The oldest version comes first. If the beginning of the journal was trimmed, it is the one of \
      the oldest revision that can be read.

      Examples:
        strata history app.strata issues 42
        strata history app.strata issues 42 --at snap:before-upgrade
        strata history app.strata issues 42 --ndjson | jq .changes
      """
  )

  @OptionGroup var arguments: RowArguments

  @Argument(
    help: "The name of the table, as `strata tables` prints it.",
    completion: StoreCompletion.table
  )
  var table: String

  @Argument(
    help: "The ID of the entity; for a persisted value, `value`.",
    completion: StoreCompletion.id
  )
  var id: String

  @OptionGroup var moment: AtArguments

  @OptionGroup var display: DisplayArguments

  func run() throws {
    let history = try Inspector(path: arguments.store).history(
      table: table,
      id: id,
      through: try moment.expression
    )
    try Output.print(in: display.pager) { output throws(OutputError) in
      switch arguments.form {
      case .json: try output.array(history.versions.map(HistoryText.object))
      case .ndjson: try output.lines(history.versions.map(HistoryText.object))
      case .csv: try output.lines(history.rows.csv)
      case nil:
        for version in history.versions {
          try output.lines(
            HistoryText.lines(
              version,
              display.highlighting,
              within: Terminal.standard.columns
            )
          )
        }
      }
    }
    if let trimmed = history.trimmed {
      Output.printError("The history up to revision \(trimmed) was trimmed.")
    }
  }
}
