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
      The oldest version comes first, also those from before the entity got another ID, or its table another name. If the beginning of the journal was trimmed, it is the one of \
      the oldest revision that can be read.

      Examples:
        strata history app.strata issues 42
        strata history app.strata issues 42 --at snap:before-upgrade
        strata history app.strata issues 42 --ndjson | jq .changes
        strata history app.strata value:settings
      """
  )

  @OptionGroup var arguments: RowArguments

  @Argument(
    help: "The name of the table, as `strata tables` prints it.",
    completion: StoreCompletion.table
  )
  var table: String

  @Argument(
    help: "The ID of the entity; none for a persisted value.",
    completion: StoreCompletion.id
  )
  var id: String?

  @OptionGroup var moment: AtArguments

  @Flag(help: "Stop where the entity got another ID, or its table another name.")
  var noFollow = false

  @OptionGroup var display: DisplayArguments

  func run() throws {
    let inspector = try Inspector(path: arguments.store)
    try inspector.check(table: table)
    guard let id = id ?? StoredValues.name(ofTable: table).map({ _ in StoredValues.id }) else {
      throw ValidationError(
        "Give the ID of an entity of \(table): strata history \(arguments.store) \(table) ID. `strata list` shows them."
      )
    }
    let history = try inspector.history(
      table: table,
      id: id,
      through: try moment.expression,
      following: noFollow ? .nothing : .moves
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
    let contexts = highlighting.contexts(version.commit).map { "  \($0)" }
    let operation =
      switch version.operation {
      case .erased:
        highlighting.removed("erased")
          + " at \(Measures.time(version.commit.time)), with every version before"
      case .base: "as it was at revision \(version.commit.revision), the oldest that can be read"
      case .inserted: highlighting.added("inserted")
      case .updated:
        highlighting.changed("updated") + (version.changes.isEmpty ? ", no field changed" : "")
      case .moved: highlighting.changed("moved") + (former(version).map { " from \($0)" } ?? "")
      case .removed: highlighting.removed("removed")
      case .notPersisted:
        highlighting.warning("NOT PERSISTED") + " (the file has the previous record)"
      }
    let hasCommit = version.operation != .base && version.operation != .erased
    let commit = hasCommit ? [highlighting.header(version.commit)] : []
    return commit + contexts + ["  \(operation)"]
      + DifferenceText.fields(
        version.changes,
        of: [.updated, .moved].contains(version.operation) ? .changed : .added,
        highlighting,
        within: limit
      )
  }

  /// The table and the ID that an entity had before.
  private static func former(_ version: VersionSummary) -> String? {
    version.former.map { "\($0.table.printable) \($0.id.lineText)" }
  }

  /// An object for a version.
  package static func object(_ version: VersionSummary) -> String {
    let commit = String(SummaryJSON.compact(version.commit).dropFirst())
    let former = version.former.map { former in
      "\"former\":{\"table\":\(RecordValue.string(former.table).json()),\"id\":\(former.id.json())},"
    }
    return """
      {"operation":"\(version.operation.rawValue)",\(former ?? "")"value":\(version.value?.json() ?? "null"),\
      "changes":\(DifferenceText.fields(version.changes)),\(commit)
      """
  }
}
