package import StrataInspection
import StrataJournal

/// The output of `strata verify`.
package enum VerifyText {
  /// A line for each check and a line for the result.
  package static func lines(_ verification: Verification, _ highlighting: Highlighting) -> [String]
  {
    let width = verification.checks.map(\.name.printable.columnCount).max() ?? 0
    var lines = verification.checks.map { check in
      let mark =
        !check.passed
        ? highlighting.warning("FAILED") : check.isNote ? highlighting.warning("note  ") : "ok    "
      let name = check.name.printable
      let gap = String(repeating: " ", count: width - name.columnCount)
      return "\(mark)  \(name)\(gap)  \(check.detail.printable)"
    }
    let failed = verification.checks.count { !$0.passed }
    let notes = verification.checks.count { $0.passed && $0.isNote }
    let checks = Measures.count(verification.checks.count, "check", "checks")
    let passed = notes == 0 ? "passed" : "passed, \(notes) of them with a note"
    let path = verification.path.printable
    lines.append(
      failed == 0
        ? "\(path) is sound: \(checks) \(passed)."
        : """
        \(path) is damaged: \(failed) of \(checks) failed. The file was not changed. Keep a copy of it \
        and restore a backup.
        """
    )
    return lines
  }

  /// The JSON form of a verification, with its result.
  package struct Report: Encodable {
    let path: String
    let sound: Bool
    let checks: [Verification.Check]

    package init(_ verification: Verification) {
      path = verification.path
      sound = verification.isSound
      checks = verification.checks
    }
  }
}
