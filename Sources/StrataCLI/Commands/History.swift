import ArgumentParser
package import StrataInspection
import StrataJournal
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

/// The output of `strata history`.
package enum HistoryText {
  /// A line for the commit, one for each context, one for what it did, and lines for the fields.
  package static func lines(
    _ version: VersionSummary,
    _ highlighting: Highlighting,
    within limit: Int
  ) -> [String] {
    let contexts = CommitText.contexts(version.commit).map { "  \($0)" }
    let operation =
      switch version.operation {
      case .erased:
        highlighting.removed("erased")
          + " at \(Measures.time(version.commit.time)), with every version before"
      case .base: "as it was at revision \(version.commit.revision), the oldest that can be read"
      case .inserted: highlighting.added("inserted")
      case .updated:
        highlighting.changed("updated") + (version.changes.isEmpty ? ", no field changed" : "")
      case .removed: highlighting.removed("removed")
      case .notPersisted:
        highlighting.warning("NOT PERSISTED") + " (the file has the previous record)"
      }
    let hasCommit = version.operation != .base && version.operation != .erased
    let commit = hasCommit ? [CommitText.header(version.commit)] : []
    return commit + contexts + ["  \(operation)"]
      + DifferenceText.fields(
        version.changes,
        of: version.operation == .updated ? .changed : .added,
        highlighting,
        within: limit
      )
  }

  /// An object for a version.
  package static func object(_ version: VersionSummary) -> String {
    let commit = String(SummaryJSON.compact(version.commit).dropFirst())
    return """
      {"operation":"\(version.operation.rawValue)","value":\(version.value?.json() ?? "null"),\
      "changes":\(DifferenceText.fields(version.changes)),\(commit)
      """
  }
}
