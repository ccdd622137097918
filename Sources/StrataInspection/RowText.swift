package import Foundation
import StrataJournal
package import StrataRecords

/// Rows for people and for programs: as JSON, as CSV, and, in the command, as a table.
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

    package let name: String
    package let cells: Kind
    package let place: Place

    package enum Kind: Sendable {
      case texts, whole, numbers
    }

    package init(_ name: String, _ cells: Kind = .texts, _ place: Place = .everywhere) {
      self.name = name
      self.cells = cells
      self.place = place
    }
  }

  package let columns: [Column]
  package let rows: [[Cell]]

  package init(_ columns: [Column], _ rows: [[Cell]]) {
    self.columns = columns
    self.rows = rows
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

  /// The lines of CSV, with a line of titles.
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
          case .value(let value): CSVText.field(value.lineText)
          }
        }.joined(separator: ",")
      }
  }
}

/// CSV as RFC 4180 has it.
package enum CSVText {
  /// A field, in quotes where it needs them.
  package static func field(_ text: String) -> String {
    let isPlain = text.utf8.allSatisfy { ![0x22, 0x2C, 0x0A, 0x0D].contains($0) }
    return isPlain ? text : "\"" + text.replacing("\"", with: "\"\"") + "\""
  }
}
