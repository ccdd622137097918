import ArgumentParser
import StrataInspection

/// `strata info STORE`.
struct Info: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "info",
    abstract: "Shows the position, the contents and the writer of a store.",
    discussion: """
      Examples:
        strata info app.strata
        strata info app.strata --json
      """
  )

  @OptionGroup var arguments: StoreArguments

  func run() throws {
    let summary = try Inspector(path: arguments.store).info()
    try Output.print { output throws(OutputError) in
      switch arguments.form {
      case .json: try output.line(SummaryJSON.indented(summary))
      case .text: for line in InfoText.lines(summary) { try output.line(line) }
      }
    }
  }
}
