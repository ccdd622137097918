package import StrataInspection
import StrataJournal

/// The text output of `strata log`.
package enum LogText {
  /// How many IDs of a table are listed.
  private static let shownIDs = 5

  /// A line for the delta and a line for each table that it changed.
  package static func lines(_ delta: DeltaSummary, _ highlighting: Highlighting) -> [String] {
    var lines = [CommitText.header(delta.commit)]
    if delta.first < delta.revision {
      let commits = Measures.count(delta.revision - delta.first + 1, "commit", "commits")
      lines.append("  \(commits) in one delta, merged after a disk error")
    }
    lines += CommitText.contexts(delta.commit).map { "  \($0)" }
    let tables = delta.changes.map(\.table.printable)
    let width = tables.map(\.columnCount).max() ?? 0
    for (table, changes) in zip(tables, delta.changes) {
      let gap = String(repeating: " ", count: width - table.columnCount + 2)
      let text = StoredValues.name(ofTable: changes.table) == nil ? line : lineOfValue
      lines.append("  \(table)\(gap)\(text(changes, highlighting))")
      lines += fields(changes)
    }
    return lines
  }

  /// How many entities are listed with their fields.
  private static let shownFields = 20

  /// A line for each updated entity, with the names of its changed fields, where they were asked for.
  private static func fields(_ changes: TableChangeSummary) -> [String] {
    guard let fields = changes.fields else { return [] }
    let updated = changes.put.filter { fields[$0] != nil }
    var lines = updated.prefix(shownFields).map { id in
      let names = fields[id]?.map(\.printable).joined(separator: ", ") ?? ""
      return "    \(id.printable.shortened(to: 40)): \(names.isEmpty ? "no field changed" : names)"
    }
    if updated.count > shownFields { lines.append("    … \(updated.count - shownFields) more") }
    return lines
  }

  /// The line for a range without deltas.
  package static func empty(_ range: JournalRange) -> String {
    switch range {
    case .last: "The journal has no deltas."
    case .after(let revision, _): "The journal has no deltas after revision \(revision)."
    }
  }

  /// What the reader of a page must know about what it does not list.
  package static func notes(on page: JournalPage) -> [String] {
    var notes: [String] = []
    if let trimmed = page.trimmed {
      notes.append("The journal starts at revision \(trimmed): earlier ones were trimmed.")
    }
    if let more = page.more, let shown = page.deltas.last?.revision {
      notes.append(
        "More follow, up to revision \(more): go on with --after \(shown), or raise --limit."
      )
    }
    return notes
  }

  private static func line(_ changes: TableChangeSummary, _ highlighting: Highlighting) -> String {
    var parts: [String] = []
    if let inserted = changes.inserted {
      let isNew = Set(inserted)
      let updated = changes.put.filter { !isNew.contains($0) }
      if !inserted.isEmpty {
        parts.append(highlighting.added("+\(inserted.count) inserted") + " (\(some(inserted)))")
      }
      if !updated.isEmpty {
        parts.append(highlighting.changed("~\(updated.count) updated") + " (\(some(updated)))")
      }
    } else if !changes.put.isEmpty {
      parts.append("+\(changes.put.count) put (\(some(changes.put)))")
    }
    if !changes.removed.isEmpty {
      let mark = highlighting.removed("-\(changes.removed.count) removed")
      parts.append("\(mark) (\(some(changes.removed)))")
    }
    if !changes.notPersisted.isEmpty {
      let mark = highlighting.warning("\(changes.notPersisted.count) NOT PERSISTED")
      parts.append("\(mark) (\(some(changes.notPersisted)); the file has the previous record)")
    }
    return parts.joined(separator: ", ")
  }

  private static func lineOfValue(_ changes: TableChangeSummary, _ highlighting: Highlighting)
    -> String
  {
    changes.notPersisted.isEmpty
      ? "changed" : "\(highlighting.warning("NOT PERSISTED")) (the file has the previous value)"
  }

  private static func some(_ ids: [String]) -> String {
    let shown = ids.prefix(shownIDs).map { $0.printable.shortened(to: 40) }.joined(separator: ", ")
    return ids.count > shownIDs ? "\(shown), … \(ids.count - shownIDs) more" : shown
  }
}
