package import StrataInspection
import StrataJournal
import StrataRecords

/// The text of what differs between two states, or between two versions of an entity.
package enum DifferenceText {
  /// A line for each entity that differs, lines for its fields, and a line that counts.
  package static func lines(
    _ difference: StateDifference,
    _ sides: (from: String, to: String),
    _ highlighting: Highlighting,
    within limit: Int
  ) -> [String] {
    var lines: [String] = []
    for entity in difference.entities {
      let id = entity.id.map { " \($0.lineText)" } ?? ""
      let title = entity.table.printable + id
      switch entity.kind {
      case .added: lines.append(highlighting.added("+ \(title)"))
      case .removed: lines.append(highlighting.removed("- \(title)"))
      case .changed: lines.append(highlighting.changed("~ \(title)"))
      }
      // The ID stands in the line above.
      let changes = entity.fields.filter { entity.kind == .changed || $0.field != "id" }
      lines += fields(changes, of: entity.kind, highlighting, within: limit)
    }
    if !lines.isEmpty { lines.append("") }
    return lines + [summary(difference, sides)]
  }

  /// A row for each table that differs, and a line that counts.
  package static func statistics(
    _ difference: StateDifference,
    _ sides: (from: String, to: String),
    _ highlighting: Highlighting,
    within limit: Int
  ) -> [String] {
    guard !difference.tables.isEmpty else { return [summary(difference, sides)] }
    let rows = difference.tables.map { table -> [String] in
      [table.table.printable, "\(table.added)", "\(table.changed)", "\(table.removed)"]
    }
    let table = TextTable(
      [
        .init("table"), .init("added", .right), .init("changed", .right), .init("removed", .right),
      ],
      rows,
      within: limit
    )
    return [table.header(highlighting)] + table.rows.map(table.line) + [
      "", summary(difference, sides),
    ]
  }

  private static func summary(
    _ difference: StateDifference,
    _ sides: (from: String, to: String)
  ) -> String {
    guard difference.count > 0 else { return "\(sides.from) and \(sides.to) are equal." }
    var counts = TableDifference(table: "")
    for table in difference.tables {
      counts.added += table.added
      counts.changed += table.changed
      counts.removed += table.removed
    }
    let entities = Measures.count(difference.count, "entity differs", "entities differ")
    return """
      \(entities) from \(sides.from) to \(sides.to): \(counts.added) added, \(counts.changed) changed, \
      \(counts.removed) removed
      """
  }

  /// The lines of the fields that differ: on one line each where they fit, else on two.
  ///
  /// A changed entity has `+` before the value of a field that it did not have, and `-` before one that it no longer has.
  package static func fields(
    _ changes: [FieldChange],
    of kind: StateDifference.Entity.Kind,
    _ highlighting: Highlighting,
    within limit: Int
  ) -> [String] {
    let indent = "    "
    let names = changes.map(\.field.printable)
    let (minus, plus) = kind == .changed ? ("- ", "+ ") : ("", "")
    // One long name does not push the values of all others to the right.
    let width = min(24, names.map(\.columnCount).max() ?? 0)
    var lines: [String] = []
    for (name, change) in zip(names, changes) {
      let gap = String(repeating: " ", count: max(0, width - name.columnCount) + 2)
      let title = indent + name + gap
      let room = max(20, limit - title.columnCount)
      let (from, to) = Self.texts(change, within: limit)
      switch (from, to) {
      case (let from?, nil):
        lines.append(title + highlighting.removed((minus + from).shortened(to: room)))
      case (nil, let to?):
        lines.append(title + highlighting.added((plus + to).shortened(to: room)))
      case (nil, nil): lines.append(title)
      case (let from?, let to?):
        if from.columnCount + to.columnCount + 3 <= room {
          lines.append("\(title)\(highlighting.removed(from)) → \(highlighting.added(to))")
        } else {
          let (from, to) = (cut(from, beside: to, room - 2), cut(to, beside: from, room - 2))
          let blank = String(repeating: " ", count: title.columnCount)
          guard highlighting == .on else {
            lines += ["\(title)- \(from)", "\(blank)+ \(to)"]
            continue
          }
          let words = ChangedWords(from, to)
          let (old, new) = (
            words.removed(highlighting.removed, highlighting.removedWords),
            words.added(highlighting.added, highlighting.addedWords)
          )
          lines.append(title + highlighting.removed("- ") + old)
          lines.append(blank + highlighting.added("+ ") + new)
        }
      }
    }
    return lines
  }

  /// A text as long as a line, from shortly before where it starts to differ from another one.
  private static func cut(_ text: String, beside other: String, _ room: Int) -> String {
    guard text.columnCount > room else { return text }
    let common = zip(text, other).prefix { $0 == $1 }.count
    let start = max(0, common - 10)
    return ((start > 0 ? "…" : "") + text.dropFirst(start)).shortened(to: room)
  }

  /// The values of a field as JSON, in which a text has quotes and null has none.
  ///
  /// Of long ones that start alike, what they have in common is left out but for its end. Without a limit, they are whole.
  private static func texts(
    _ change: FieldChange,
    within limit: Int
  ) -> (from: String?, to: String?) {
    let (from, to) = (change.from?.json(), change.to?.json())
    guard limit < Terminal.unlimited else { return (from?.printable, to?.printable) }
    let common =
      if let from, let to { zip(from.utf8, to.utf8).prefix { $0 == $1 }.count } else { 0 }
    func part(_ text: String) -> String {
      guard text.utf8.count > longest, common > longest / 2 else {
        return String(text.prefix(longest)).printable
      }
      // The cut may be within a character.
      let end = String(decoding: text.utf8.dropFirst(common - 40), as: UTF8.self)
        .drop { $0 == "\u{FFFD}" }
      return "…" + String(end.prefix(longest)).printable
    }
    return (from.map(part), to.map(part))
  }

  /// The characters of a value that are looked at.
  private static let longest = 4_000

  /// An object for each entity.
  package static func objects(_ difference: StateDifference) -> [String] {
    difference.entities.map { entity in
      """
      {"table":\(RecordValue.string(entity.table).json()),"id":\(entity.id?.json() ?? "null"),\
      "change":"\(entity.kind.rawValue)","fields":\(fields(entity.fields))}
      """
    }
  }

  /// An array with an object for each field; it lacks `from` or `to` where the field is absent there.
  package static func fields(_ changes: [FieldChange]) -> String {
    let objects = changes.map { change in
      var object = "{\"field\":\(RecordValue.string(change.field).json())"
      if let from = change.from { object += ",\"from\":\(from.json())" }
      if let to = change.to { object += ",\"to\":\(to.json())" }
      return object + "}"
    }
    return "[\(objects.joined(separator: ","))]"
  }
}
