import ArgumentParser
package import StrataInspection
import StrataJournal
import StrataRecords

/// The form of an output of rows; without a flag, it is a table.
enum RowForm: String, EnumerableFlag {
  case json, ndjson, csv

  static func help(for value: RowForm) -> ArgumentHelp? {
    switch value {
    case .json: "Print one JSON array."
    case .ndjson: "Print a JSON object on each line."
    case .csv: "Print CSV with a line of titles."
    }
  }
}

extension RowText {
  /// The lines of a table; a column in which nothing stands is left out.
  package func table(within limit: Int, _ highlighting: Highlighting) -> [String] {
    let shown = columns.indices.filter { index in
      columns[index].place == .everywhere && rows.contains { !Self.isEmpty($0[index]) }
    }
    let table = TextTable(
      shown.map { index in
        let column = columns[index]
        return TextTable<[[String]]>.Column(
          column.name,
          column.cells == .numbers ? .right : .left,
          column.cells == .texts ? .texts : .whole
        )
      },
      rows.map { row in shown.map { Self.text(row[$0], limit) } },
      within: limit
    )
    return [table.header(highlighting)] + table.rows.map(table.line)
  }

  private static func isEmpty(_ cell: Cell) -> Bool {
    switch cell {
    case .none, .text(""), .json(_, text: ""): true
    default: false
    }
  }

  private static func text(_ cell: Cell, _ limit: Int) -> String {
    switch cell {
    case .none: ""
    case .text(let text), .json(_, let text): text.printable
    case .number(let number): "\(number)"
    case .time(let time): Measures.time(time)
    case .value(let value): value.text(within: limit)
    }
  }
}

extension Output {
  /// Prints rows in a form for programs.
  mutating func rows(_ rows: RowText, as form: RowForm) throws(OutputError) {
    switch form {
    case .json: try array(rows.objects)
    case .ndjson: for object in rows.objects { try line(object) }
    case .csv: for text in rows.csv { try csvLine(text) }
    }
  }

  /// Prints lines.
  mutating func lines(_ lines: some Sequence<String>) throws(OutputError) {
    for text in lines { try line(text) }
  }
}
