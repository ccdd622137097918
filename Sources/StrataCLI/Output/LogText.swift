import Foundation
package import StrataInspection
import StrataJournal

/// The text output of `strata log`.
package struct LogText {
  private let highlighting: Highlighting
  private let widestID: Int

  /// How many IDs of a table are listed.
  private static let shownIDs = 5

  /// A line for the delta and a line for each table that it changed.
  ///
  /// - Parameter limit: Without a limit, IDs are whole; else, at most 40 columns of each.
  package static func lines(
    _ delta: DeltaSummary,
    _ highlighting: Highlighting,
    within limit: Int
  ) -> [String] {
    let text = LogText(
      highlighting: highlighting,
      widestID: limit < Terminal.unlimited ? 40 : limit
    )
    return text.lines(delta)
  }

  private func lines(_ delta: DeltaSummary) -> [String] {
    var lines = [highlighting.header(delta.commit)]
    if delta.first < delta.revision {
      let commits = Measures.count(delta.revision - delta.first + 1, "commit", "commits")
      lines.append("  \(commits) in one delta, merged after a disk error")
    }
    lines += highlighting.contexts(delta.commit).map { "  \($0)" }
    let tables = delta.changes.map(\.table.printable)
    let width = tables.map(\.columnCount).max() ?? 0
    for (table, changes) in zip(tables, delta.changes) {
      let gap = String(repeating: " ", count: width - table.columnCount + 2)
      let text = StoredValues.name(ofTable: changes.table) == nil ? line : lineOfValue
      lines.append("  \(table)\(gap)\(text(changes))")
      lines += fields(changes)
    }
    return lines
  }

  /// How many entities are listed with their fields.
  private static let shownFields = 20

  /// A line for each updated entity, with the names of its changed fields, where they were asked for.
  private func fields(_ changes: TableChangeSummary) -> [String] {
    guard let fields = changes.fields else { return [] }
    let updated = changes.put.filter { fields[$0] != nil }
    var lines = updated.prefix(Self.shownFields).map { id in
      let names = fields[id]?.map(\.printable).joined(separator: ", ") ?? ""
      return
        "    \(id.printable.shortened(to: widestID)): \(names.isEmpty ? "no field changed" : names)"
    }
    if updated.count > Self.shownFields {
      lines.append("    … \(updated.count - Self.shownFields) more")
    }
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
  ///
  /// - Parameter range: the one that was asked for; nil for the default one.
  package static func notes(on page: JournalPage, _ range: JournalRange?) -> [String] {
    var notes: [String] = []
    if range == nil, page.total > page.deltas.count {
      let counts = "\(page.deltas.count) of \(Measures.grouped(page.total)) deltas"
      notes.append("\(counts): -n N lists the last N, and --after 0 all from the first.")
    }
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

  private func line(_ changes: TableChangeSummary) -> String {
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

  private func lineOfValue(_ changes: TableChangeSummary) -> String {
    changes.notPersisted.isEmpty
      ? "changed" : "\(highlighting.warning("NOT PERSISTED")) (the file has the previous value)"
  }

  private func some(_ ids: [String]) -> String {
    let shown = ids.prefix(Self.shownIDs).map { $0.printable.shortened(to: widestID) }
      .joined(separator: ", ")
    return ids.count > Self.shownIDs ? "\(shown), … \(ids.count - Self.shownIDs) more" : shown
  }
}

/// The lines of a commit, whose parts are told apart by color and weight.
extension Highlighting {
  /// `12…15  2026-02-02 02:40:00.500Z  import  App/Import.swift:3 run()`.
  func header(_ commit: CommitSummary) -> String {
    [
      revision(CommitText.revision(commit)), time(Measures.time(commit.time)),
      heading(commit.name.printable), place(commit.place.printable),
    ].filter { !$0.isEmpty }.joined(separator: "  ")
  }

  /// A line for each context, with its user in a color.
  func contexts(_ commit: CommitSummary) -> [String] {
    let users = (commit.contexts ?? []).map { $0.user?.printable }
    return CommitText.contexts(commit).enumerated().map { index, line in
      guard users.indices.contains(index), let user = users[index],
        let range = line.range(of: "by \(user)")
      else { return line }
      return line[..<range.lowerBound] + "by " + self.user(user) + line[range.upperBound...]
    }
  }
}
