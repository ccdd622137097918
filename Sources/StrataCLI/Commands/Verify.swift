import ArgumentParser
import StrataInspection
package import StrataJournal

/// `strata verify STORE`.
struct Verify: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Checks every page, hash and record of a store.",
    discussion: """
      Exits with 4 if a check fails. The file is not changed.

      Examples:
        strata verify app.strata
        strata verify app.strata --json
      """
  )

  @OptionGroup var arguments: StoreArguments

  @OptionGroup var display: DisplayArguments

  func run() throws {
    let verification = try Inspector(path: arguments.store).verify()
    do {
      try Output.print(in: display.pager) { output throws(OutputError) in
        switch arguments.form {
        case .json: try output.line(SummaryJSON.indented(VerifyText.Report(verification)))
        case .text:
          for line in VerifyText.lines(verification, display.highlighting) {
            try output.line(line)
          }
        }
      }
    } catch OutputError.closed {
      // The exit code is set even if the output is not read.
    }
    if !verification.isSound { throw ExitCode(ExitStatus.damaged.rawValue) }
  }
}

/// The output of `strata verify` and `strata archive verify`.
package enum VerifyText {
  /// What was verified.
  package enum Subject: Sendable {
    case store
    case archive

    fileprivate var remedy: String {
      switch self {
      case .store: "The file was not changed. Keep a copy of it and restore a backup."
      case .archive:
        """
        It was not changed. Push the file of its leader or of a follower to a new archive, and keep this one for \
        what it still has.
        """
      }
    }
  }

  /// A line for each check and a line for the result.
  package static func lines(
    _ verification: Verification,
    of subject: Subject = .store,
    _ highlighting: Highlighting
  ) -> [String] {
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
        : "\(path) is damaged: \(failed) of \(checks) failed. \(subject.remedy)"
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
