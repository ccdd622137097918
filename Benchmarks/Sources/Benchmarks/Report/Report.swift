import Foundation

/// The lines of a run, as text, Markdown or JSON.
struct Report: Codable {
  var environment: Environment
  var lines: [Line]

  /// A table for the terminal, with two rows per line: ours and the peer's.
  func text() -> String {
    var table = [["", "cost", "ratio", "spread", "goal", ""]]
    for section in Line.Section.allCases {
      let lines = lines.filter { $0.section == section }
      if lines.isEmpty { continue }
      table += [[""], [section.rawValue.uppercased()]]
      for line in lines {
        let note = footnote(line).map { " [\($0)]" } ?? ""
        table.append([line.work, Format.text(line.ours, line.unit), "", "", "", ""])
        table.append([
          "  vs. " + line.peer + note, Format.text(line.theirs, line.unit),
          Format.ratio(line), Format.spread(line), Format.goal(line), Format.result(line),
        ])
      }
    }
    return Self.aligned(table) + "\n\n" + legend() + "\n"
  }

  /// Markdown with a table per section.
  func markdown() -> String {
    var text = "# Benchmarks\n\n\(environment.sentence)\n\n"
    for section in Line.Section.allCases {
      let lines = lines.filter { $0.section == section }
      if lines.isEmpty { continue }
      text += "## \(section.rawValue)\n\n"
      text += "| work | compared with | ours | peer | ratio | spread | goal | |\n"
      text += "| --- | --- | --: | --: | --: | --: | --: | --- |\n"
      for line in lines {
        let cells = [
          line.work, line.peer + (footnote(line).map { " [\($0)]" } ?? ""),
          Format.text(line.ours, line.unit), Format.text(line.theirs, line.unit),
          Format.ratio(line), Format.spread(line), Format.goal(line), Format.result(line),
        ]
        text += "| \(cells.joined(separator: " | ")) |\n"
      }
      text += "\n"
    }
    return text + legend() + "\n"
  }

  func json() throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    return try encoder.encode(self)
  }

  private var remarks: [String] {
    lines.compactMap(\.remark).reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
  }

  private func footnote(_ line: Line) -> Int? {
    line.remark.flatMap { remarks.firstIndex(of: $0) }.map { $0 + 1 }
  }

  private func legend() -> String {
    var lines = [
      """
      ratio: the peer's cost as a multiple of ours (higher is better, goal ≥); where marked ↓, our cost \
      as a multiple of the peer's (lower is better, goal ≤). Medians of paired rounds. A goal with a \
      unit is for our cost itself.
      """,
      """
      spread: the lowest and the highest median of the processes, if one differs from the ratio by \
      more than 5 %.
      """,
    ]
    lines += remarks.enumerated().map { "[\($0.offset + 1)] \($0.element)" }
    return lines.joined(separator: "\n\n") + "\n"
  }

  /// Columns as wide as their widest cell; a row of one cell is a heading.
  static func aligned(_ rows: [[String]]) -> String {
    var widths: [Int] = []
    for row in rows where row.count > 1 {
      for (column, cell) in row.enumerated() {
        if column == widths.count { widths.append(0) }
        widths[column] = max(widths[column], cell.count)
      }
    }
    return rows.map { row in
      guard row.count > 1 else { return row[0] }
      let cells = row.enumerated().map { column, cell in
        let fill = String(repeating: " ", count: widths[column] - cell.count)
        return column == 0 || column == row.count - 1 ? cell + fill : fill + cell
      }
      return String(cells.joined(separator: "  ").reversed().drop { $0 == " " }.reversed())
    }.joined(separator: "\n")
  }
}
