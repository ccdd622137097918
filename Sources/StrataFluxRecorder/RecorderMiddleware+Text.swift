import Foundation
import StrataBase
import StrataFlux

extension RecorderMiddleware: CustomStringConvertible {
  /// A table of the entries, `>` before the one that is shown: the action, the stores that it changed, how
  /// long it took, where it was dispatched, and its error.
  ///
  /// ```
  ///    id  action    stores         took     place                          error
  ///  >  0  base
  ///     1  increase  counter        0.2 ms   App/Main.swift:12 tap()
  ///     2  buy       cart, prices   31.5 ms  App/Shop.swift:40 buy()        The store "prices" failed: …
  /// ```
  ///
  /// O(entries).
  public var description: String {
    let log = state.withLock { $0.shown }
    let base = ["\(log.position == 0 ? ">" : " ") 0", "base", "", "", "", ""]
    let rows = log.entries.enumerated().map { index, entry in
      let notes =
        (entry.isSkipped ? ["skipped"] : []) + (entry.error.map { ["\($0)"] } ?? [])
        + entry.decidedOtherwise.map { "the reducer of \($0) decides otherwise" }
      return [
        "\(log.position == index + 1 ? ">" : " ") \(entry.id)", entry.name,
        entry.stores.joined(separator: ", "), Self.text(of: entry.duration), entry.place,
        notes.joined(separator: "; "),
      ]
    }
    let table = [["  id", "action", "stores", "took", "place", "error"], base] + rows
    let widths = (0..<6).map { column in table.map { $0[column].count }.max() ?? 0 }
    return table.map { row in
      let cells = zip(row, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }
      let end = cells.joined(separator: "  ").reversed().drop { $0 == " " }
      return String(end.reversed())
    }.joined(separator: "\n")
  }

  private static func text(of duration: Duration) -> String {
    duration == .zero
      ? "" : "\(((duration / .milliseconds(1)) * 10).rounded() / 10) ms"
  }

  /// What an entry changed, as it is shown: a line for each field, `store.field: before → after`, and for
  /// each table the entities that were put and removed.
  ///
  /// Of a state that is not `Encodable` the line names the store alone. O(limit, and the states without
  /// their tables).
  ///
  /// - Throws: ``RecorderError/noSuchEntry(_:)``, ``RecorderError/notExportable(entry:store:_:)``.
  public func changes(ofEntry id: Int) throws(RecorderError) -> [String] {
    let log = state.withLock { $0.shown }
    let position = try log.position(after: id)
    let (before, after) = (log.states(at: position - 1), log.states(at: position))
    var lines: [String] = []
    for part in log.entries[position - 1].parts {
      guard part.shown != nil, let old = before[part.store]?.value,
        let new = after[part.store]?.value
      else { continue }
      guard let a = old as? any Encodable, let b = new as? any Encodable else {
        lines.append(part.store)
        continue
      }
      do {
        lines += try EncodedState(of: b).changes(from: EncodedState(of: a))
          .map { "\(part.store).\($0)" }
      } catch {
        throw .notExportable(entry: id, store: part.store, "\(error)")
      }
    }
    return lines
  }
}

extension RecorderEntry {
  /// The action, or what it is instead.
  fileprivate var name: String {
    switch origin {
    case .action(let action): "\(action)"
    case .commit(let name) where name == place: "commit"
    case .commit(let name): name.replacing(" (\(place))", with: "")
    case .pause: "pause"
    }
  }
}
