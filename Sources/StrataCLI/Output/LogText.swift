package import StrataStorage

/// Deltas in lines for people.
package enum LogText {
  /// How many IDs stand for all of them.
  private static let shownIDs = 5

  /// A line for the delta and one for each table it changed.
  package static func lines(_ delta: DeltaSummary, _ tint: Tint) -> [String] {
    let isMerged = delta.first < delta.revision
    let revision = isMerged ? "\(delta.first)…\(delta.revision)" : "\(delta.revision)"
    let words = [revision, Measures.time(delta.time), delta.name.printable, delta.place.printable]
    var lines = [words.filter { !$0.isEmpty }.joined(separator: "  ")]
    if isMerged {
      let commits = Measures.count(delta.revision - delta.first + 1, "commit", "commits")
      lines.append("  \(commits) in one delta, as the disk refused them at first")
    }
    let tables = delta.changes.map(\.table.printable)
    let width = tables.map(\.columnCount).max() ?? 0
    for (table, changes) in zip(tables, delta.changes) {
      let gap = String(repeating: " ", count: width - table.columnCount + 2)
      let text = StoredValues.name(ofTable: changes.table) == nil ? line : lineOfValue
      lines.append("  \(table)\(gap)\(text(changes, tint))")
    }
    return lines
  }

  /// What to say of a range without deltas.
  package static func nothing(in range: LogRange) -> String {
    switch range {
    case .last: "The journal has no deltas."
    case .after(let revision, _): "The journal has no deltas after revision \(revision)."
    }
  }

  private static func line(_ changes: TableChangeSummary, _ tint: Tint) -> String {
    var parts: [String] = []
    if !changes.put.isEmpty { parts.append("+\(changes.put.count) put (\(some(changes.put)))") }
    if !changes.removed.isEmpty {
      parts.append("-\(changes.removed.count) removed (\(some(changes.removed)))")
    }
    if !changes.notPersisted.isEmpty {
      let mark = tint.alarm("\(changes.notPersisted.count) NOT PERSISTED")
      parts.append("\(mark) (\(some(changes.notPersisted)); the file keeps what it had)")
    }
    return parts.joined(separator: ", ")
  }

  private static func lineOfValue(_ changes: TableChangeSummary, _ tint: Tint) -> String {
    changes.notPersisted.isEmpty
      ? "changed" : "\(tint.alarm("NOT PERSISTED")) (the file keeps what it had)"
  }

  private static func some(_ ids: [String]) -> String {
    let shown = ids.prefix(shownIDs).map { $0.printable.shortened(to: 40) }.joined(separator: ", ")
    return ids.count > shownIDs ? "\(shown), … \(ids.count - shownIDs) more" : shown
  }
}
