import ArgumentParser
import StrataInspection
import StrataJournal
import StrataSQL

/// `strata diff STORE [A..B] [TABLE [ID]]`.
struct Diff: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "diff",
    abstract: "Shows what differs between two revisions, entity by entity and field by field.",
    discussion: """
      A..B goes from revision A to B, and A alone or A.. to HEAD. Without it, the last commit is shown. \
      Each of them is 42, HEAD~3, @2026-11-01T12:00 (UTC), @yesterday, @-5m or snap:NAME.

      Exits with 2 if something differs, and with 0 if nothing does.

      Examples:
        strata diff app.strata
        strata diff app.strata 40..42
        strata diff app.strata @yesterday.. issues
        strata diff app.strata snap:before-upgrade.. --stat
        strata diff app.strata HEAD~10 issues 42 --ndjson
        strata diff app.strata 40..42 --sql
      """
  )

  @OptionGroup var arguments: RowArguments

  @Argument(help: "The revisions. (default: HEAD~1..HEAD)")
  var revisions: String?

  @Argument(help: "One table.", completion: StoreCompletion.table)
  var table: String?

  @Argument(help: "The ID of one entity.", completion: StoreCompletion.id)
  var id: String?

  @OptionGroup var options: DifferenceArguments

  @Flag(help: "Print the SQL statements that change the rows of A to those of B.")
  var sql = false

  @OptionGroup var display: DisplayArguments

  func validate() throws {
    _ = try span
    if sql, arguments.form != nil || options.stat {
      throw ValidationError("--sql prints SQL only: leave out --json, --ndjson, --csv and --stat.")
    }
  }

  private var span: RevisionSpan {
    get throws {
      try revisions.map { try RevisionSpan(argument: $0) }
        ?? RevisionSpan(from: .head(back: 1), to: .head(back: 0))
    }
  }

  func run() throws {
    let inspector = try Inspector(path: arguments.store)
    let difference = try inspector.diff(
      try span,
      table: table,
      id: id,
      limit: options.count(default: sql ? 0 : 1_000),
      depth: sql ? .fields : .members
    )
    if sql { return try printStatements(difference, inspector) }
    try options.print(
      difference,
      ("revision \(difference.from)", "revision \(difference.to)"),
      as: arguments.form,
      display
    )
  }
}

extension Diff {
  private func printStatements(_ difference: StateDifference, _ inspector: Inspector) throws {
    let lines = try DifferenceStatements(inspector).lines(difference)
    try options.finish(difference) {
      try Output.print(in: display.pager) { output throws(OutputError) in
        try output.lines(lines)
      }
    }
  }
}

/// The options of the subcommands that compare.
struct DifferenceArguments: ParsableArguments {
  @Flag(help: "Count only, by table.")
  var stat = false

  @Option(help: "List at most N entities; 0 for all. (default: 1000; with diff --sql: all)")
  private var limit: Int?

  func validate() throws { try limit.map(Limit.validate) }

  /// The number of entities to list.
  func count(default count: Int = 1_000) -> Int { stat ? 0 : Limit.count(limit ?? count) }

  /// Prints a difference, and ends with 2 if there is one.
  func print(
    _ difference: StateDifference,
    _ sides: (from: String, to: String),
    as form: RowForm?,
    _ display: DisplayArguments
  ) throws {
    try finish(difference) {
      try Output.print(in: display.pager) { output throws(OutputError) in
        let columns = Terminal.standard.columns
        switch (form, stat) {
        case (.json?, true): try output.array(difference.tables.map { SummaryJSON.compact($0) })
        case (.ndjson?, true): try output.lines(difference.tables.map { SummaryJSON.compact($0) })
        case (let form?, true): try output.rows(Self.rows(difference.tables), as: form)
        case (.json?, false): try output.array(DifferenceText.objects(difference))
        case (.ndjson?, false): try output.lines(DifferenceText.objects(difference))
        case (.csv?, false): try output.lines(difference.rows.csv)
        case (nil, true):
          try output.lines(
            DifferenceText.statistics(difference, sides, display.highlighting, within: columns)
          )
        case (nil, false):
          try output.lines(
            DifferenceText.lines(
              difference,
              sides,
              display.highlighting,
              within: columns
            )
          )
        }
      }
    }
  }

  /// Prints with `body`, says what is not listed, and ends with 2 if there is a difference.
  func finish(_ difference: StateDifference, _ body: () throws -> Void) throws {
    do {
      try body()
    } catch OutputError.closed {
      // The exit code is set even if the output is not read.
    }
    if !stat, difference.unlisted > 0 {
      let entities = Measures.count(difference.unlisted, "entity is", "entities are")
      Output.printError("\(entities) not listed: raise --limit, or --limit 0 for all.")
    }
    if difference.count > 0 { throw ExitCode(ExitStatus.differences.rawValue) }
  }

  private static func rows(_ tables: [TableDifference]) -> RowText {
    RowText(
      [
        .init("table"), .init("added", .numbers), .init("changed", .numbers),
        .init("removed", .numbers),
      ],
      tables.map {
        [
          .text($0.table), .number(Int64($0.added)), .number(Int64($0.changed)),
          .number(Int64($0.removed)),
        ]
      }
    )
  }
}
