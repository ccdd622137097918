package import Foundation
package import StrataRecords
import StrataStorage

/// Rows for people and for programs: as a table, as JSON, or as CSV.
package struct RowText {
  package enum Cell: Sendable {
    case none
    case text(String)
    case number(Int64)
    case time(Date)
    case value(RecordValue)
    /// JSON as it is; a table and CSV have the text beside it.
    case json(String, text: String)
  }

  package struct Column: Sendable {
    package enum Place: Sendable {
      /// In every form.
      case everywhere
      /// In JSON and CSV only.
      case data
    }

    let name: String
    let cells: Kind
    let place: Place

    package enum Kind: Sendable {
      case texts, whole, numbers
    }

    package init(_ name: String, _ cells: Kind = .texts, _ place: Place = .everywhere) {
      self.name = name
      self.cells = cells
      self.place = place
    }
  }

  private let columns: [Column]
  private let rows: [[Cell]]

  package init(_ columns: [Column], _ rows: [[Cell]]) {
    self.columns = columns
    self.rows = rows
  }

  /// The lines of a table; a column in which nothing stands is left out.
  package func table(within limit: Int) -> [String] {
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
    return [table.header] + table.rows.map(table.line)
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
    case .value(let value): value.shortText.shortened(to: limit)
    }
  }

  /// An object for each row.
  package var objects: [String] {
    let keys = columns.map { RecordValue.string($0.name).json() }
    return rows.map { row in
      let members = zip(keys, row).map { key, cell in "\(key):\(Self.json(cell))" }
      return "{\(members.joined(separator: ","))}"
    }
  }

  private static func json(_ cell: Cell) -> String {
    switch cell {
    case .none: "null"
    case .text(let text): RecordValue.string(text).json()
    case .number(let number): "\(number)"
    case .time(let time): RecordValue.string(Measures.exactTime(time)).json()
    case .value(let value): value.json()
    case .json(let json, _): json
    }
  }

  /// The lines of CSV, with one of titles.
  package var csv: [String] {
    let titles = columns.map { CSVText.field($0.name) }.joined(separator: ",")
    return [titles]
      + rows.map { row in
        row.map { cell in
          switch cell {
          case .none: ""
          case .text(let text), .json(_, let text): CSVText.field(text)
          case .number(let number): "\(number)"
          case .time(let time): Measures.exactTime(time)
          case .value(.string(let text)): CSVText.field(text)
          case .value(.null): ""
          case .value(let value): CSVText.field(value.text)
          }
        }.joined(separator: ",")
      }
  }
}

extension Output {
  /// Prints rows in a form for programs.
  mutating func rows(_ rows: RowText, as form: RowForm) throws(OutputError) {
    switch form {
    case .json: try array(rows.objects)
    case .ndjson: for object in rows.objects { try line(object) }
    case .csv: for text in rows.csv { try line(text) }
    }
  }

  /// Prints lines.
  mutating func lines(_ lines: some Sequence<String>) throws(OutputError) {
    for text in lines { try line(text) }
  }
}
