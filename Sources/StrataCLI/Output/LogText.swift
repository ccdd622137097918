package import StrataStorage

/// The text output of `strata log`.
package enum LogText {
  /// How many IDs of a table are listed.
  private static let shownIDs = 5

  /// A line for the delta and a line for each table that it changed.
  package static func lines(_ delta: DeltaSummary, _ highlighting: Highlighting) -> [String] {
    let isMerged = delta.first < delta.revision
    let revision = isMerged ? "\(delta.first)…\(delta.revision)" : "\(delta.revision)"
    let words = [revision, Measures.time(delta.time), delta.name.printable, delta.place.printable]
    var lines = [words.filter { !$0.isEmpty }.joined(separator: "  ")]
    if isMerged {
      let commits = Measures.count(delta.revision - delta.first + 1, "commit", "commits")
      lines.append("  \(commits) in one delta, merged after a disk error")
    }
    for context in delta.contexts ?? [] { lines.append("  \(Self.text(context))") }
    if let count = delta.contextsLeftOut {
      lines.append(
        "  \(Measures.count(Int64(count), "commit more", "commits more")) with a context"
      )
    }
    let tables = delta.changes.map(\.table.printable)
    let width = tables.map(\.columnCount).max() ?? 0
    for (table, changes) in zip(tables, delta.changes) {
      let gap = String(repeating: " ", count: width - table.columnCount + 2)
      let text = StoredValues.name(ofTable: changes.table) == nil ? line : lineOfValue
      lines.append("  \(table)\(gap)\(text(changes, highlighting))")
    }
    return lines
  }

  /// `by ann, request 7, trace 4bf9, rename({"to":"Ann"}), source: web`.
  private static func text(_ context: ContextSummary) -> String {
    var parts: [String] = []
    if let user = context.user { parts.append("by \(user)") }
    if let request = context.request { parts.append("request \(request)") }
    if let trace = context.trace { parts.append("trace \(trace)") }
    if let call = context.call {
      let omitted = call.omitted.map { "arguments left out: \($0)" }
      parts.append("\(call.name)(\(call.arguments ?? omitted ?? ""))")
    }
    for (name, value) in (context.fields ?? [:]).sorted(by: { $0.key < $1.key }) {
      parts.append("\(name): \(value)")
    }
    if context.cut == true { parts.append("cut") }
    let commit = context.revision.map { "\($0): " } ?? ""
    return (commit + parts.joined(separator: ", ")).printable
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
    if !changes.put.isEmpty { parts.append("+\(changes.put.count) put (\(some(changes.put)))") }
    if !changes.removed.isEmpty {
      parts.append("-\(changes.removed.count) removed (\(some(changes.removed)))")
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
