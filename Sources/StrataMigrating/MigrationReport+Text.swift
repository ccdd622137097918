import StrataJournal
import StrataStorage

extension MigrationReport: CustomStringConvertible {
  /// What `strata migrate plan` and `up` print of it: each migration with its time, its tables, and what was found.
  public var description: String {
    let text = lines { $0 }.joined(separator: "\n")
    return text.isEmpty ? "no migration ran" : text
  }

  /// The lines of a run, or of what would run.
  ///
  /// - Parameter highlight: Marks a word that warns.
  package func lines(_ highlight: (String) -> String) -> [String] {
    steps.flatMap { $0.lines(direction, highlight) }
      + notes.map { "\(highlight("note"))  \($0.printable)" }
  }
}

extension MigrationReport.Step {
  fileprivate func lines(
    _ direction: MigrationReport.Direction,
    _ highlight: (String) -> String
  ) -> [String] {
    let arrow = direction == .up ? "" : "back from "
    let change =
      revision.map { "revision \($0), \(Measures.size(bytes))" }
      ?? (added.isEmpty && declared.isEmpty ? "changes nothing" : "changes no record")
    var lines = ["\(arrow)\(name.printable)  \(duration.inSeconds), \(change)"]
    let width = tables.map(\.formerName.printable.columnCount).max() ?? 0
    for table in tables {
      let name = table.formerName.printable
      let gap = String(repeating: " ", count: width - name.columnCount + 2)
      lines.append("  \(name)\(gap)\(table.changes)")
    }
    if !added.isEmpty { lines.append("  added  \(added.joined(separator: ", ").printable)") }
    if !declared.isEmpty {
      lines.append("  declared  \(declared.joined(separator: ", ").printable)")
    }
    for finding in findings {
      let mark = finding.isRefused ? highlight("refused") : finding.isAllowed ? "allowed" : "note"
      lines.append("  \(mark)  \(finding.description.printable)")
      if let permission = finding.permission {
        lines.append("           if this is intended: \(permission.printable)")
      }
    }
    return lines
  }
}

extension Duration {
  /// `0.52 s`.
  package var inSeconds: String {
    let (seconds, rest) = components
    let hundredths = (seconds * 1_000 + rest / 1_000_000_000_000_000 + 5) / 10
    let digits = hundredths % 100
    return "\(hundredths / 100).\(digits < 10 ? "0" : "")\(digits) s"
  }
}
