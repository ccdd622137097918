import ArgumentParser
import StrataInspection
import StrataJournal
import StrataMigrating

/// `strata migrate status STORE`.
struct MigrateStatus: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "Lists the migrations that ran on a store and those that are pending.",
    discussion: """
      Exits with 2 while something is pending, and with 6 if a migration has changed since it ran.

      Example:
        strata migrate status app.strata --dir Migrations
      """
  )

  @OptionGroup var arguments: MigratedStore

  func run() async throws {
    let status = try await arguments.migrator().status()
    do {
      try Output.print { output throws(OutputError) in
        switch arguments.form {
        case .json: try output.line(SummaryJSON.indented(MigrationJSON.Status(status)))
        case .text:
          if !status.entries.isEmpty {
            try output.table(
              MigrationText.status(status, within: Terminal.standard.columns),
              arguments.color.highlighting
            )
          }
          try output.line(MigrationText.summary(status))
        }
      }
    } catch OutputError.closed {
      // The exit code is set even if the output is not read.
    }
    if let problem = status.problem {
      Output.printError("strata: \(MigrationText.sentence(problem, of: arguments.store).printable)")
      throw ExitCode(ExitStatus(problem).rawValue)
    }
    if !status.pending.isEmpty { throw ExitCode(ExitStatus.differences.rawValue) }
  }
}
