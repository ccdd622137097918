package import StrataInspection
import StrataJournal

/// The text output of `strata doctor`.
package enum DiagnosisText {
  /// A line for each finding, with one for what to do.
  package static func lines(
    _ diagnosis: Diagnosis,
    _ highlighting: Highlighting,
    within limit: Int
  ) -> [String] {
    let width = diagnosis.findings.map(\.subject.columnCount).max() ?? 0
    var lines: [String] = []
    for finding in diagnosis.findings {
      let mark =
        switch finding.level {
        case .ok: "ok      "
        case .note: highlighting.changed("note    ")
        case .problem: highlighting.warning("PROBLEM ")
        }
      let gap = String(repeating: " ", count: width - finding.subject.columnCount)
      let indent = String(repeating: " ", count: width + 12)
      let details = wrapped(finding.detail.printable, to: limit - width - 12)
      lines.append("\(mark)  \(finding.subject)\(gap)  \(details.first ?? "")")
      lines += details.dropFirst().map { indent + $0 }
      if let remedy = finding.remedy {
        lines += wrapped("→ " + remedy.printable, to: limit - width - 12).map { indent + $0 }
      }
    }
    let problems = diagnosis.findings.count { $0.level == .problem }
    let notes = diagnosis.findings.count { $0.level == .note }
    lines.append(
      """
      \(diagnosis.path.printable): \(Measures.count(problems, "problem", "problems")), \
      \(Measures.count(notes, "note", "notes")).
      """
    )
    return lines
  }

  /// A text in lines of whole words.
  private static func wrapped(_ text: String, to limit: Int) -> [String] {
    var lines: [String] = []
    for word in text.split(separator: " ") {
      if let last = lines.last, last.columnCount + 1 + word.count <= limit {
        lines[lines.count - 1] = "\(last) \(word)"
      } else {
        lines.append(String(word))
      }
    }
    return lines
  }
}
