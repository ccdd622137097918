import ArgumentParser
import Foundation
package import StrataInspection
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

  @OptionGroup var display: DisplayArguments

  func validate() throws {
    if top < 1 { throw ValidationError("--top must be at least 1.") }
    for text in [since, until].compactMap({ $0 }) { _ = try RevisionExpression(argument: text) }
  }

  func run() throws {
    let statistics = try Inspector(path: arguments.store).statistics(
      since: try since.map { try RevisionExpression(argument: $0, .start) },
      until: try until.map { try RevisionExpression(argument: $0) } ?? .head(back: 0),
      top: top
    )
    try Output.print(in: display.pager) { output throws(OutputError) in
      switch arguments.form {
      case .json: try output.line(SummaryJSON.indented(statistics))
      case .text:
        try output.lines(
          StatisticsText.lines(
            statistics,
            display.highlighting,
            within: Terminal.standard.columns
          )
        )
      }
    }
  }
}

/// The text output of `strata stats`.
package enum StatisticsText {
  package static func lines(
    _ statistics: StoreStatistics,
    _ highlighting: Highlighting,
    within limit: Int
  ) -> [String] {
    guard statistics.deltas > 0, let start = statistics.start, let end = statistics.end else {
      return ["The journal has no deltas here."]
    }
    var lines = [
      """
      \(Measures.count(statistics.deltas, "delta", "deltas")), \
      \(Measures.count(statistics.changes, "change", "changes")), \(Measures.size(statistics.bytes)): \
      revisions \(statistics.after + 1) to \(statistics.through)
      """,
      "from \(Measures.time(start)) to \(Measures.time(end))\(rate(statistics, start, end))",
    ]
    if statistics.buckets.count > 1 {
      let most = statistics.buckets.map(\.deltas).max() ?? 0
      lines += [
        "", plot(statistics.buckets.map(\.deltas)),
        "deltas in \(duration(statistics.bucketSeconds)) each, at most \(most)",
      ]
    }
    lines += table("table", statistics.tables, highlighting, within: limit)
    lines += table("commit", statistics.commits, highlighting, within: limit)
    lines += table("entity", statistics.entities, highlighting, within: limit)
    return lines
  }

  private static func rate(_ statistics: StoreStatistics, _ start: Date, _ end: Date) -> String {
    let seconds = end.timeIntervalSince(start)
    guard seconds >= 1, statistics.deltas > 1 else { return "" }
    let deltas = Double(statistics.deltas - 1)
    for (unit, length) in [("second", 1.0), ("minute", 60), ("hour", 3_600)]
    where deltas / seconds * length >= 1 {
      return ", \(tenths(deltas / seconds * length)) deltas a \(unit)"
    }
    return ", \(tenths(deltas / seconds * 86_400)) deltas a day"
  }

  private static func tenths(_ number: Double) -> String {
    "\((number * 10).rounded() / 10)"
  }

  private static func duration(_ seconds: Int) -> String {
    for (length, one, many) in [
      (86_400, "day", "days"), (3_600, "hour", "hours"), (60, "minute", "minutes"),
    ] where seconds % length == 0 {
      return Measures.count(seconds / length, one, many)
    }
    return Measures.count(seconds, "second", "seconds")
  }

  /// A bar of eight heights for each number; a blank for 0.
  package static func plot(_ numbers: [Int]) -> String {
    let bars = Array("▁▂▃▄▅▆▇█")
    let most = max(1, numbers.max() ?? 0)
    return String(
      numbers.map { number in
        number == 0 ? " " : bars[min(bars.count - 1, number * bars.count / (most + 1))]
      }
    )
  }

  private static func table(
    _ title: String,
    _ activities: [StoreStatistics.Activity],
    _ highlighting: Highlighting,
    within limit: Int
  ) -> [String] {
    let rows = activities.map { activity -> [String] in
      let name = activity.name.isEmpty ? "(no name)" : activity.name
      return [
        (name + (activity.id.map { "/\($0)" } ?? "")).printable, "\(activity.deltas)",
        "\(activity.puts)", "\(activity.removals)", Measures.size(activity.bytes),
      ]
    }
    let table = TextTable(
      [
        .init(title), .init("deltas", .right, .whole), .init("put", .right, .whole),
        .init("removed", .right, .whole), .init("size", .right, .whole),
      ],
      rows,
      within: limit
    )
    return ["", table.header(highlighting)] + table.rows.map(table.line)
  }
}
