import ArgumentParser
import StrataInspection
import StrataJournal
import StrataMigrating

/// `strata migrate verify STORE`.
struct MigrateVerify: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Checks that the folder fits the migrations that ran on a store.",
    discussion: """
      Exits with 6 if a migration has changed since it ran, or its file is missing. Comments, spacing and line \
      ends are no change.

      Example:
        strata migrate verify app.strata --dir Migrations
      """
  )

  @OptionGroup var arguments: MigratedStore

  func run() async throws {
    let status = try await arguments.migrator().verify()
    try Output.print { output throws(OutputError) in
      switch arguments.form {
      case .json: try output.line(SummaryJSON.indented(MigrationJSON.Status(status)))
      case .text:
        let applied = status.entries.count { $0.state == .applied }
        let count = Measures.count(applied, "migration", "migrations")
        try output.line("The folder fits the \(count) that ran on this store.")
      }
    }
  }
}
