import ArgumentParser
import StrataInspection
import StrataJournal

/// `strata stats STORE`.
struct Stats: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "stats",
    abstract: "Shows how often a store is written, by which commits, and what changes most.",
    discussion: """
      It counts the deltas of the journal. --since and --until take 42, HEAD~3, @2026-11-01T12:00 \
      (UTC), @yesterday, @-5m or snap:NAME.

      Examples:
        strata stats app.strata
        strata stats app.strata --since @-1d --top 3
        strata stats app.strata --json
      """
  )

  @OptionGroup var arguments: StoreArguments

  @Option(help: "Deltas after this revision or time.")
  var since: String?

  @Option(help: "Deltas up to this revision or time. (default: HEAD)")
  var until: String?

  @Option(help: "How many tables, commits and entities are listed.")
  var top = 10

  func validate() throws {
    if top < 1 { throw ValidationError("--top must be at least 1.") }
    for text in [since, until].compactMap({ $0 }) { _ = try RevisionExpression(argument: text) }
  }

  func run() throws {
    let statistics = try Inspector(path: arguments.store).statistics(
      since: try since.map { try RevisionExpression(argument: $0) },
      until: try until.map { try RevisionExpression(argument: $0) } ?? .head(back: 0),
      top: top
    )
    try Output.print { output throws(OutputError) in
      switch arguments.form {
      case .json: try output.line(SummaryJSON.indented(statistics))
      case .text:
        try output.lines(StatisticsText.lines(statistics, within: Terminal.standard.columns))
      }
    }
  }
}
