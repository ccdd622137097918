import Foundation
package import StrataInspection
import StrataRecords

/// What the page asked for: rows, and what is to be known about them.
///
/// It has two forms with the same rows: JSON, in which the members stand beside `rows`, and CSV, which has the
/// rows only.
package struct Answer {
  /// Names with JSON.
  var members: [(name: String, json: String)] = []
  package var rows: RowText
  /// Whether rows or parts of values were left out, because the answer would be too large.
  private(set) var isCut = false

  /// A longer value is cut.
  static let longestValue = 16_384
  /// Rows after that many bytes are left out.
  static let longest = 2 << 20

  init(_ rows: RowText) { self.rows = rows }

  mutating func add(_ name: String, json: String) { members.append((name, json)) }

  mutating func add(_ name: String, _ number: Int64) { add(name, json: "\(number)") }

  mutating func add(_ name: String, _ text: String) { add(name, json: Self.quoted(text)) }

  mutating func add(_ name: String, _ flag: Bool) { add(name, json: flag ? "true" : "false") }

  mutating func add(_ name: String, encoding value: some Encodable) {
    add(name, json: SummaryJSON.compact(value))
  }

  /// A text as JSON; the beginning of a long one.
  static func quoted(_ text: String) -> String {
    RecordValue.string(text.utf8.count > longestValue ? start(of: text) : text).json()
  }

  /// The beginning of a text, which ends between two characters.
  private static func start(of text: String) -> String {
    var end = text.utf8.index(text.startIndex, offsetBy: longestValue / 4)
    while end.samePosition(in: text.unicodeScalars) == nil { end = text.utf8.index(before: end) }
    return String(text[..<end]) + "…"
  }

  /// Cuts long values, and leaves out rows that are too many.
  mutating func limit() {
    var total = 0
    var kept: [[RowText.Cell]] = []
    for row in rows.rows {
      var size = 0
      let cells = row.map { cell in
        let (cell, bytes) = limited(cell)
        size += bytes
        return cell
      }
      total += size
      // At least one row, so that the page can go on after it.
      if total > Self.longest, !kept.isEmpty {
        isCut = true
        break
      }
      kept.append(cells)
    }
    rows = RowText(rows.columns, kept)
  }

  /// A cell that is short enough, and about how many bytes it takes.
  private mutating func limited(_ cell: RowText.Cell) -> (RowText.Cell, Int) {
    switch cell {
    case .none: return (.none, 4)
    case .number, .time: return (cell, 30)
    case .text(let text):
      let size = text.utf8.count
      guard size > Self.longestValue else { return (cell, size) }
      isCut = true
      return (Self.cut(text, bytes: size), Self.longestValue / 4)
    case .json(let json, let text):
      let size = json.utf8.count
      guard size > Self.longestValue else { return (cell, size) }
      isCut = true
      return (Self.cut(text, bytes: size), Self.longestValue / 4)
    case .value(let value):
      var size = 0
      var first: String?
      for piece in value.jsonPieces() {
        size += piece.utf8.count
        first = first ?? piece
      }
      guard size > Self.longestValue else { return (cell, size) }
      isCut = true
      if case .string(let text) = value {
        return (Self.cut(text, bytes: text.utf8.count), Self.longestValue / 4)
      }
      return (Self.cut(first ?? "", bytes: size), Self.longestValue / 4)
    }
  }

  /// The beginning of a text, and how long it is: `{"$cut":"Lorem …","$bytes":10000000}`.
  private static func cut(_ text: String, bytes: Int) -> RowText.Cell {
    let start = start(of: text)
    return .json(
      "{\"$cut\":\(RecordValue.string(start).json()),\"$bytes\":\(bytes)}",
      text: start
    )
  }

  package var json: String {
    var text = "{"
    for (name, json) in members { text += "\(RecordValue.string(name).json()):\(json)," }
    text += "\"cut\":\(isCut),\"rows\":["
    var isFirst = true
    for object in rows.objects {
      if !isFirst { text += "," }
      isFirst = false
      text += object
    }
    return text + "]}"
  }

  package var csv: String { rows.csv.joined(separator: "\n") + "\n" }
}

extension RowText {
  /// The rows without members for values that are not there, which null does not tell from values of null.
  func leavingOutAbsent() -> RowText { leavingOut(["from", "to", "value"]) }
}
