import Foundation
import StrataBase

extension RecorderLog: CustomStringConvertible {
  /// A table of the entries, `>` before the one that is shown.
  var description: String {
    var rows = [["  id", "action", "stores", "took", "place", "error"]]
    rows.append(["\(position == 0 ? ">" : " ") 0", "base", "", "", "", ""])
    for (index, entry) in entries.enumerated() {
      let milliseconds = ((entry.duration / .milliseconds(1)) * 10).rounded() / 10
      let notes =
        (entry.isSkipped ? ["skipped"] : []) + (entry.error.map { ["\($0)"] } ?? [])
        + entry.decidedOtherwise.map { "the reducer of \($0) decides otherwise" }
      rows.append([
        "\(position == index + 1 ? ">" : " ") \(entry.id)", entry.name,
        entry.stores.joined(separator: ", "),
        entry.duration == .zero ? "" : "\(milliseconds) ms", entry.place,
        notes.joined(separator: "; "),
      ])
    }
    let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
    return rows.map { row in
      let cells = zip(row, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }
      let end = cells.joined(separator: "  ").reversed().drop { $0 == " " }
      return String(end.reversed())
    }.joined(separator: "\n")
  }

  /// What an entry changed, as it is shown; a line for each field.
  func changes(ofEntry id: Int) throws(RecorderError) -> [String] {
    let position = try position(after: id)
    let (before, after) = (states(at: max(0, position - 1)), states(at: position))
    var lines: [String] = []
    for (store, new) in after.sorted(by: { $0.key < $1.key }) {
      guard let old = before[store], old !== new else { continue }
      guard let a = old.value as? any Encodable, let b = new.value as? any Encodable else {
        lines.append(store)
        continue
      }
      do {
        lines += try EncodedState(of: b).changes(from: EncodedState(of: a)).map { "\(store).\($0)" }
      } catch {
        throw .notExportable(entry: id, store: store, "\(error)")
      }
    }
    return lines
  }
}

extension RecorderEntry {
  /// The action as one line of at most 80 characters, or what it is instead.
  var name: String {
    switch origin {
    case .action(let action):
      String("\(action)".split(whereSeparator: \.isNewline).joined(separator: " ").prefix(80))
    case .commit(let name) where name == place: "commit"
    case .commit(let name): name.replacing(" (\(place))", with: "")
    case .pause: "pause"
    }
  }
}
