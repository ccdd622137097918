import StrataJournal
import StrataStorage

/// The output of `strata erase`.
enum ErasureText {
  /// A report as JSON.
  struct Report: Encodable {
    struct Copy: Encodable {
      let path: String
      /// Why it cannot be read; nil if it holds an entity.
      let unreadable: String?
    }

    let revision: Int64
    let epoch: Int64
    let entities: [String: Int]
    let changes: Int
    let firstRewritten: Int64?
    let lastRewritten: Int64?
    let copies: [Copy]

    init(_ report: ErasureReport) {
      revision = report.position.revision.number
      epoch = report.position.epoch
      entities = report.entities
      changes = report.changes
      firstRewritten = report.rewritten?.lowerBound.number
      lastRewritten = report.rewritten?.upperBound.number
      copies = report.copies.map { copy in
        switch copy.finding {
        case .holdsEntities: Copy(path: copy.path, unreadable: nil)
        case .unreadable(let detail): Copy(path: copy.path, unreadable: detail)
        }
      }
    }
  }

  /// What was erased, and what was computed again.
  static func lines(_ report: ErasureReport) -> [String] {
    let entities = report.entities.sorted { $0.key < $1.key }.map { table, count in
      "\(Measures.count(count, "entity", "entities")) of \(table.printable)"
    }
    let changes = Measures.count(report.changes, "change", "changes")
    var lines = ["Erased \(entities.joined(separator: ", ")), with \(changes) in the journal."]
    let position = "revision \(report.position.revision), epoch \(report.position.epoch)"
    if let rewritten = report.rewritten {
      let range =
        rewritten.lowerBound == rewritten.upperBound
        ? "revision \(rewritten.lowerBound)"
        : "revisions \(rewritten.lowerBound) to \(rewritten.upperBound)"
      lines.append("The hashes of \(range) were computed again. The store is at \(position).")
    } else {
      lines.append("No delta had to be written again. The store is at \(position).")
    }
    return lines
  }

  /// A line for each copy that was not changed.
  static func warnings(_ report: ErasureReport) -> [String] {
    report.copies.map { copy in
      switch copy.finding {
      case .holdsEntities: "\(copy.path.printable) still holds what was erased."
      case .unreadable(let detail):
        "\(copy.path.printable) may still hold what was erased: \(detail.printable)."
      }
    }
  }
}
