package import StrataInspection
import StrataJournal
import StrataRecords

/// The output of `strata history`.
package enum HistoryText {
  /// A line for the commit, one for each context, one for what it did, and lines for the fields.
  package static func lines(
    _ version: VersionSummary,
    _ highlighting: Highlighting,
    within limit: Int
  ) -> [String] {
    let contexts = CommitText.contexts(version.commit).map { "  \($0)" }
    let operation =
      switch version.operation {
      case .erased:
        highlighting.removed("erased")
          + " at \(Measures.time(version.commit.time)), with every version before"
      case .base: "as it was at revision \(version.commit.revision), the oldest that can be read"
      case .inserted: highlighting.added("inserted")
      case .updated:
        highlighting.changed("updated") + (version.changes.isEmpty ? ", no field changed" : "")
      case .removed: highlighting.removed("removed")
      case .notPersisted:
        highlighting.warning("NOT PERSISTED") + " (the file has the previous record)"
      }
    let hasCommit = version.operation != .base && version.operation != .erased
    let commit = hasCommit ? [CommitText.header(version.commit)] : []
    return commit + contexts + ["  \(operation)"]
      + DifferenceText.fields(
        version.changes,
        of: version.operation == .updated ? .changed : .added,
        highlighting,
        within: limit
      )
  }

  /// An object for a version.
  package static func object(_ version: VersionSummary) -> String {
    let commit = String(SummaryJSON.compact(version.commit).dropFirst())
    return """
      {"operation":"\(version.operation.rawValue)","value":\(version.value?.json() ?? "null"),\
      "changes":\(DifferenceText.fields(version.changes)),\(commit)
      """
  }
}
