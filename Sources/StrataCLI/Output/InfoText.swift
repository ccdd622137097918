package import StrataStorage

/// What a store is, in lines for people.
package enum InfoText {
  /// First a sentence, then a line for each thing worth knowing.
  package static func lines(_ summary: StoreSummary) -> [String] {
    var facts: [(name: String, values: [String])] = [
      ("store", ["\(summary.store), epoch \(summary.epoch)"]),
      ("created", [Measures.time(summary.created)]),
      ("revision", ["\(summary.revision), chain \(summary.chain)"]),
      ("tables", [tables(summary)]),
      ("journal", [journal(summary.journal)]),
      ("snapshots", summary.snapshots.map(snapshot)),
      ("head", [head(summary)]),
      ("file", [file(summary)]),
      ("read with", ["SQLite \(summary.sqlite)"]),
    ]
    if !summary.values.isEmpty {
      facts.insert(("values", [summary.values.joined(separator: ", ")]), at: 4)
    }
    let width = facts.map(\.name.count).max() ?? 0
    let indent = String(repeating: " ", count: width)
    var lines = [
      "\(summary.path.printable) is a Strata store of format \(summary.format).", use(summary), "",
    ]
    for (name, values) in facts {
      for (index, value) in values.enumerated() {
        let title = index == 0 ? name + indent.dropFirst(name.count) : indent
        lines.append("\(title)  \(value.printable)")
      }
    }
    return lines
  }

  private static func use(_ summary: StoreSummary) -> String {
    if let writer = summary.writer { return "It is being written now, by \(writer.printable)." }
    if summary.walBytes > 0 {
      return """
        Nobody is writing it now; the last writer did not close it, and the next one takes in what \
        stands in SQLite's WAL.
        """
    }
    return "Nobody is writing it now."
  }

  private static func tables(_ summary: StoreSummary) -> String {
    summary.tables.isEmpty ? "none" : summary.tables.joined(separator: ", ")
  }

  private static func journal(_ journal: JournalSummary) -> String {
    guard let first = journal.first else { return "empty" }
    let deltas = Measures.count(journal.deltas, "delta", "deltas")
    return "\(deltas) from revision \(first) on, \(Measures.size(journal.bytes))"
  }

  private static func snapshot(_ snapshot: SnapshotSummary) -> String {
    var text = """
      revision \(snapshot.revision) of \(Measures.time(snapshot.time)), \
      \(Measures.count(snapshot.entities, "entity", "entities")), \(Measures.size(snapshot.bytes))
      """
    if !snapshot.verified { text += ", not verified yet" }
    if !snapshot.names.isEmpty {
      text += ", named " + snapshot.names.map { "\"\($0)\"" }.joined(separator: ", ")
    }
    return text
  }

  private static func head(_ summary: StoreSummary) -> String {
    guard let head = summary.head else {
      return "missing or torn, so a lost tail could not be noticed"
    }
    let text = "durable up to revision \(head.durable), written up to \(head.written)"
    // A writer at work is ahead of what was read.
    guard summary.writer == nil, summary.revision < head.written else { return text }
    return text + ", but the file ends at \(summary.revision): run `strata verify`"
  }

  private static func file(_ summary: StoreSummary) -> String {
    "\(Measures.size(summary.fileBytes)), and \(Measures.size(summary.walBytes)) in SQLite's WAL"
  }
}
