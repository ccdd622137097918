import ArgumentParser
import StrataInspection

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
