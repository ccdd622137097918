package import StrataStorage

/// A verification in lines for people, and with its verdict for programs.
package enum VerifyText {
  /// A line for each check, and the verdict.
  package static func lines(_ verification: Verification, _ tint: Tint) -> [String] {
    let width = verification.checks.map(\.name.columnCount).max() ?? 0
    var lines = verification.checks.map { check in
      let mark = check.passed ? "ok    " : tint.alarm("FAILED")
      let gap = String(repeating: " ", count: width - check.name.columnCount)
      return "\(mark)  \(check.name)\(gap)  \(check.detail.printable)"
    }
    let failed = verification.checks.count { !$0.passed }
    let checks = Measures.count(verification.checks.count, "check", "checks")
    let path = verification.path.printable
    lines.append(
      failed == 0
        ? "\(path) is sound: all of \(checks) passed."
        : """
        \(path) is damaged: \(failed) of \(checks) failed; it was not touched, so keep a copy of it \
        and bring back a backup.
        """
    )
    return lines
  }

  /// A verification with its verdict spelled out.
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
