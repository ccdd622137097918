import ArgumentParser
import StrataInspection

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
