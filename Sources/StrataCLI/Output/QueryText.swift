import Foundation
import StrataColumns
import StrataInspection
import StrataJournal
import StrataRecords
package import StrataSQL
import StrataSQLite

/// The output of `strata query`.
package struct QueryText {
  private let result: QueryResult
  private let limit: Int
  private let highlighting: Highlighting

  package init(_ result: QueryResult, within limit: Int, _ highlighting: Highlighting = .off) {
    self.result = result
    self.highlighting = highlighting
    self.limit = limit
  }

  /// A table for people: as wide as its cells, or as the terminal.
  ///
  /// NULL is empty; texts are on one line. The last columns are left out if there is no room for all.
  package func table(_ line: (String) throws -> Void) throws {
    var widths = [Int](repeating: 0, count: result.columns.count)
    var texts = Set<Int>()
    var long = Set<Int>()
    try result.forEach { row in
      for (index, value) in row.enumerated() {
        widths[index] = max(widths[index], cell(value).columnCount)
        switch value {
        case .null, .integer, .real: break
        case .text(let text):
          texts.insert(index)
          if !Self.isTime(text) { long.insert(index) }
        case .blob:
          texts.insert(index)
          long.insert(index)
        }
      }
    }
    let columns = result.columns.enumerated().map { index, name in
      TextTable<[[String]]>.Column(
        name,
        texts.contains(index) ? .left : .right,
        long.contains(index) && name.lowercased() != "id" ? .texts : .whole
      )
    }
    let count = TextTable<[[String]]>.readable(columns, widths: widths, within: limit)
    let table = TextTable(
      Array(columns.prefix(count)),
      widths: Array(widths.prefix(count)),
      within: limit
    )
    try line(table.header(highlighting))
    try result.forEach { row in try line(table.line(row.prefix(count).map(cell))) }
    try line("")
    let rows = Measures.count(result.count, "row", "rows")
    try line("\(rows) at revision \(result.revision)")
    if count < columns.count {
      let names = columns.dropFirst(count).map(\.title.printable).joined(separator: ", ")
      try line("Not shown, as they do not fit: \(names). Name fewer columns, or use --json.")
    }
  }

  /// An array of objects, one on each line.
  package func json(_ line: (String) throws -> Void) throws {
    var waiting: String?
    try line("[")
    try objects { object in
      if let waiting { try line(waiting + ",") }
      waiting = object
    }
    if let waiting { try line(waiting) }
    try line("]")
  }

  /// An object on each line.
  ///
  /// Blobs are base64, infinities are texts. A second column of a name has `:2` behind it.
  package func objects(_ line: (String) throws -> Void) throws {
    var names = UniqueNames()
    let keys = result.columns.map { RecordValue.string(names.add($0)).json() }
    try result.forEach { row in
      var text = "{"
      for (index, value) in row.enumerated() {
        if index > 0 { text += "," }
        text += keys[index] + ":" + value.json
      }
      try line(text + "}")
    }
  }

  /// CSV as RFC 4180 has it, with a line of titles; NULL is empty, and an empty text is `""`.
  ///
  /// Lines end in a line feed. Blobs are base64.
  package func csv(_ line: (String) throws -> Void) throws {
    try line(result.columns.map(CSVText.field).joined(separator: ","))
    try result.forEach { row in
      try line(
        row.map { value in
          switch value {
          case .null: ""
          case .text(let text): CSVText.field(text)
          default: Self.text(value)
          }
        }.joined(separator: ",")
      )
    }
  }

  /// Whether a text is a time as columns of SQL have it, such as `2026-02-03 04:05:06.789Z`.
  private static func isTime(_ text: String) -> Bool {
    text.utf8.count == 24 && text.utf8.last == UInt8(ascii: "Z") && Date(timeText: text) != nil
  }

  private static func text(_ value: Value) -> String {
    ScalarText.text(of: RecordValue(value)) ?? ""
  }

  /// The text of a value in a table, not longer than a line of it.
  private func cell(_ value: Value) -> String {
    switch value {
    case .null, .integer, .real: return Self.text(value)
    // Marks that combine with others take no column, so a text may be longer than what is shown of it.
    case .text(let text): return String(text.prefix(2 * limit)).printable.shortened(to: limit)
    case .blob(let bytes):
      let digits = bytes.prefix(limit).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
      return "x'\(digits.joined())'".shortened(to: limit)
    }
  }
}

extension Output {
  /// Prints the rows of a query; without a form, as a table.
  mutating func rows(
    of result: QueryResult,
    as form: RowForm?,
    _ highlighting: Highlighting = .off
  ) throws(OutputError) {
    let text = QueryText(result, within: Terminal.standard.columns, highlighting)
    do {
      switch form {
      case nil: try text.table { text throws(OutputError) in try line(text) }
      case .json: try text.json { text throws(OutputError) in try line(text) }
      case .ndjson: try text.objects { text throws(OutputError) in try line(text) }
      case .csv: try text.csv { text throws(OutputError) in try csvLine(text) }
      }
    } catch let error as OutputError {
      throw error
    } catch {
      // The rows are read back from a temporary file.
      throw .failed("\(error)")
    }
  }
}
