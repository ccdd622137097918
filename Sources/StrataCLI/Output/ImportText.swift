import StrataJournal
import StrataSQL
import StrataStorage

/// The output of `strata import`.
enum ImportText {
  /// A result as JSON.
  struct Summary: Encodable {
    let inserted: Int
    let updated: Int
    let unchanged: Int
    let skipped: Int
    /// Nil for a dry run.
    let revision: Int64?
    let createdStore: Bool

    init(_ result: EntityImport.Result) {
      inserted = result.counts.inserted
      updated = result.counts.updated
      unchanged = result.counts.unchanged
      skipped = result.skipped
      revision = result.counts.revision?.number
      createdStore = result.isNewStore && result.counts.revision != nil
    }
  }

  /// What was added, or would be.
  static func lines(_ result: EntityImport.Result, _ table: String, _ store: String) -> [String] {
    let counts = result.counts
    let list = """
      \(Measures.count(counts.inserted, "entity", "entities")) inserted, \(counts.updated) updated, \
      \(counts.unchanged) unchanged in \(table.printable)
      """
    var lines: [String] = []
    if let revision = counts.revision {
      if result.isNewStore { lines.append("Created \(store.printable).") }
      lines.append("\(list), at revision \(revision).")
    } else {
      if result.isNewStore { lines.append("\(store.printable) would be created.") }
      lines.append("\(list): nothing was written.")
    }
    if result.skipped > 0 {
      let skipped = Measures.count(result.skipped, "line", "lines")
      lines.append("\(skipped) of other tables skipped.")
    }
    return lines
  }
}
