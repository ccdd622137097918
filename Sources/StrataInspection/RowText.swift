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

    /// What JSON has for a cell without a value.
    package enum Absence: Sendable {
      case null
      /// No member: the value may be null, which is another one.
      case leftOut
    }

    package let name: String
    package let cells: Kind
    package let place: Place
    fileprivate(set) var absence = Absence.null

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

  /// The same rows, whose JSON lacks the members of some columns where they have no value.
  package func leavingOut(_ names: Set<String>) -> RowText {
    let columns = columns.map { column in
      var column = column
      if names.contains(column.name) { column.absence = .leftOut }
      return column
    }
    return RowText(columns, rows)
  }

  /// An object for each row.
  package var objects: [String] {
    let keys = columns.map { RecordValue.string($0.name).json() }
    return rows.map { row in
      let members = row.enumerated().compactMap { index, cell -> String? in
        if case .none = cell, columns[index].absence == .leftOut { return nil }
        return "\(keys[index]):\(Self.json(cell))"
      }
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
          // Nothing is known, or said.
          case .text(""), .json(_, text: ""): ""
          case .text(let text), .json(_, let text): CSVText.field(text)
          case .number(let number): "\(number)"
          case .time(let time): Measures.exactTime(time)
          case .value(let value): CSVText.cell(value)
          }
        }.joined(separator: ",")
      }
  }
}

/// CSV as RFC 4180 has it.
package enum CSVText {
  /// A text as a field, in quotes where it needs them; an empty one needs them, as no value is an empty field.
  package static func field(_ text: String) -> String {
    let isPlain = text.utf8.allSatisfy { ![0x22, 0x2C, 0x0A, 0x0D].contains($0) }
    return isPlain && !text.isEmpty
      ? text : "\"" + text.replacing(scalar: "\"", with: "\"\"") + "\""
  }

  /// A value in a column of a kind, as an import reads it: ``ScalarText``, or JSON for one with parts.
  ///
  /// In a column of any kind a text that reads as JSON is in its quotes.
  package static func cell(_ value: RecordValue?, of kind: Layout.Kind? = nil) -> String {
    guard let value, value != .null else { return "" }
    guard let text = ScalarText.text(of: value) else { return field(value.json()) }
    if case .scalar? = kind { return field(text) }
    return field(ScalarText.isBare(value) || JSONReader.value(text) == nil ? text : value.json())
  }
}
