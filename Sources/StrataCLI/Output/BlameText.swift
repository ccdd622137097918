package import StrataInspection
package import StrataJournal
import StrataRecords

/// The text output of `strata blame` for one entity.
package enum BlameText {
  /// For each field a line with its value, one for the commit that set it, and one for each context.
  package static func lines(
    _ entity: BlamedEntity,
    orAt oldest: Revision,
    _ highlighting: Highlighting,
    within limit: Int
  ) -> [String] {
    let width = min(24, entity.fields.map(\.name.printable.columnCount).max() ?? 0)
    let indent = String(repeating: " ", count: width + 2)
    var lines: [String] = []
    for field in entity.fields {
      let name = field.name.printable
      let gap = String(repeating: " ", count: max(0, width - name.columnCount) + 2)
      let value =
        field.isRemoved
        ? "removed" : field.value.shortText.shortened(to: max(20, limit - width - 2))
      lines.append(highlighting.heading(name) + gap + value)
      if let commit = field.commit {
        lines.append(indent + CommitText.header(commit))
        lines += CommitText.contexts(commit).map { indent + $0 }
      } else {
        lines.append(indent + "at revision \(oldest) or before")
      }
    }
    return lines
  }
}
