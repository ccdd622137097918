import ArgumentParser
package import StrataInspection
import StrataJournal

/// `strata info STORE`.
struct Info: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "info",
    abstract: "Shows the position, the contents and the writer of a store.",
    discussion: """
      Examples:
        strata info app.strata
        strata info app.strata --json
      """
  )

  @OptionGroup var arguments: StoreArguments

  func run() throws {
    let summary = try Inspector(path: arguments.store).info()
    try Output.print { output throws(OutputError) in
      switch arguments.form {
      case .json: try output.line(SummaryJSON.indented(summary))
      case .text: for line in InfoText.lines(summary) { try output.line(line) }
      }
    }
  }
}

/// The text output of `strata info`.
package enum InfoText {
  /// Two sentences, then a line for each fact.
  package static func lines(_ summary: StoreSummary) -> [String] {
    var facts: [(name: String, values: [String])] = [
      ("store", ["\(summary.store)"]),
      ("lineage", summary.lineages.map(lineage)),
      ("created", [Measures.time(summary.created)]),
      ("revision", ["\(summary.revision), chain \(summary.chain)"]),
      ("tables", [tables(summary)]),
      ("journal", [journal(summary.journal)]),
      ("readable", [readable(summary)]),
      ("snapshots", summary.snapshots.map(snapshot)),
      ("head", [head(summary)]),
      ("file", [file(summary)]),
      ("read with", ["SQLite \(summary.sqlite)"]),
    ]
    if !summary.values.isEmpty {
      facts.insert(("values", [summary.values.joined(separator: ", ")]), at: 5)
    }
    if let held = summary.heldTimes {
      facts.insert(("times", ["\(held): run `strata doctor`"]), at: facts.count - 3)
    }
    if let erased = summary.erased {
      facts.insert(("erased", erased.map(Self.erasure)), at: facts.count - 3)
    }
    if let application = summary.application {
      facts.insert(("application", [application]), at: 1)
    }
    let width = facts.map(\.name.count).max() ?? 0
    let indent = String(repeating: " ", count: width)
    var lines = [
      "\(summary.path.printable) is a Strata store of format \(summary.format).", writer(summary),
      "",
    ]
    for (name, values) in facts {
      for (index, value) in values.enumerated() {
        let title = index == 0 ? name + indent.dropFirst(name.count) : indent
        lines.append("\(title)  \(value.printable)")
      }
    }
    return lines
  }

  private static func writer(_ summary: StoreSummary) -> String {
    if let writer = summary.writer { return "It is open for writing by \(writer.printable)." }
    if summary.walBytes > 0 {
      return """
        No writer has it open. The last writer did not close it; the next one recovers its commits \
        from SQLite's WAL.
        """
    }
    return "No writer has it open."
  }

  private static func lineage(_ lineage: LineageSummary) -> String {
    let branch = lineage.branch.map { " after revision \($0)" } ?? ""
    return "\(lineage.id), \(lineage.reason.rawValue)\(branch), \(Measures.time(lineage.time))"
  }

  private static func tables(_ summary: StoreSummary) -> String {
    summary.tables.isEmpty ? "none" : summary.tables.joined(separator: ", ")
  }

  private static func journal(_ journal: JournalSummary) -> String {
    let trimmed = journal.trimmed.map { ", and the history up to revision \($0) was trimmed" } ?? ""
    guard let first = journal.first else { return "empty" + trimmed }
    let deltas = Measures.count(journal.deltas, "delta", "deltas")
    return "\(deltas) from revision \(first), \(Measures.size(journal.bytes))\(trimmed)"
  }

  private static func readable(_ summary: StoreSummary) -> String {
    let first = summary.journal.readable
    return first == summary.revision
      ? "revision \(first)" : "revisions \(first) to \(summary.revision)"
  }

  private static func snapshot(_ snapshot: SnapshotSummary) -> String {
    var text = """
      revision \(snapshot.revision), \(Measures.time(snapshot.time)), \(contents(snapshot)), \
      \(Measures.size(snapshot.bytes))
      """
    if !snapshot.verified { text += ", not verified yet" }
    if !snapshot.names.isEmpty {
      text += ", named " + snapshot.names.map { "\"\($0)\"" }.joined(separator: ", ")
    }
    return text
  }

  /// `2 entities of users, 2026-02-03 04:05:06.789Z; the hashes of revisions 4 to 9 were computed again`.
  private static func erasure(_ erasure: ErasureSummary) -> String {
    let entities = erasure.entities.sorted { $0.key < $1.key }.map { table, count in
      "\(Measures.count(count, "entity", "entities")) of \(table)"
    }
    let text = "\(entities.joined(separator: ", ")), \(Measures.time(erasure.time))"
    guard let first = erasure.firstRewritten, let last = erasure.lastRewritten else { return text }
    let range = first == last ? "revision \(first)" : "revisions \(first) to \(last)"
    return "\(text); the hashes of \(range) were computed again"
  }

  /// `3 entities and a value`.
  private static func contents(_ snapshot: SnapshotSummary) -> String {
    let entities = Measures.count(snapshot.entities - snapshot.values, "entity", "entities")
    let values = snapshot.values == 1 ? "a value" : "\(snapshot.values) values"
    if snapshot.values == 0 { return entities }
    return snapshot.entities == snapshot.values ? values : "\(entities) and \(values)"
  }

  private static func head(_ summary: StoreSummary) -> String {
    guard let head = summary.head else {
      return "missing or damaged, so the loss of the last commits cannot be detected"
    }
    let text = "durable up to revision \(head.durable), written up to \(head.written)"
    // An active writer is ahead of what was read.
    guard summary.writer == nil, summary.revision < head.written else { return text }
    return text + ", but the file ends at \(summary.revision): run `strata verify`"
  }

  private static func file(_ summary: StoreSummary) -> String {
    "\(Measures.size(summary.fileBytes)), plus \(Measures.size(summary.walBytes)) in SQLite's WAL"
  }
}
