import ArgumentParser
package import StrataInspection
import StrataJournal

/// `strata doctor STORE`.
struct Doctor: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Checks what surrounds a store: SQLite, the writer, the WAL, the head, the disk.",
    discussion: """
      Exits with 2 if it finds a problem. It reads no entity: `strata verify` checks the contents.

      Examples:
        strata doctor app.strata
        strata doctor app.strata --json
      """
  )

  @OptionGroup var arguments: StoreArguments

  @OptionGroup var display: DisplayArguments

  func run() throws {
    let diagnosis = try Inspector(path: arguments.store).diagnose()
    do {
      try Output.print(in: display.pager) { output throws(OutputError) in
        switch arguments.form {
        case .json: try output.line(SummaryJSON.indented(diagnosis))
        case .text:
          try output.lines(
            DiagnosisText.lines(
              diagnosis,
              display.highlighting,
              within: Terminal.standard.columns
            )
          )
        }
      }
    } catch OutputError.closed {
      // The exit code is set even if the output is not read.
    }
    if diagnosis.hasProblems { throw ExitCode(ExitStatus.differences.rawValue) }
  }
}

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
