import ArgumentParser
import StrataInspection
import StrataJournal
import StrataMigrating
import StrataStorage

/// `strata migrate revert STORE --to REVISION`.
struct MigrateRevert: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "revert",
    abstract:
      "Makes the data what it was at a revision, and the migrations after it pending again.",
    discussion: """
      It is one new delta, so no history is lost, and the store is copied first, beside it. Neither scripts nor types \
      are needed, so it also goes back across migrations without a way back. What was committed since is no longer in \
      the data, and a migration that was taken back since has run again. The store must not be open.

      Examples:
        strata migrate revert app.strata --to 41
        strata migrate revert app.strata --to snap:before-upgrade
      """
  )

  @OptionGroup var arguments: StoreArguments

  @Option(
    help: ArgumentHelp(
      "The revision: 42, HEAD~3, @2026-11-01T12:00 (UTC), @yesterday, @-5m, snap:NAME.",
      valueName: "revision"
    )
  )
  var to: String

  @Flag(help: "Make no copy of the store first.")
  var noBackup = false

  func validate() throws { _ = try RevisionExpression(argument: to) }

  func run() async throws {
    let revision = try Inspector(path: arguments.store).revision(
      of: try RevisionExpression(argument: to)
    )
    var migrator = DataMigrator([], at: arguments.store)
    migrator.configuration.backups = noBackup ? .none : .keep(3)
    let before = try await migrator.history()
    let report = try await migrator.revert(to: revision)
    let after = try await migrator.history()
    let pending = before.filter { row in !after.contains { $0.number == row.number } }.map(\.name)
    let restored = after.filter { row in !before.contains { $0.number == row.number } }.map(\.name)
    try Output.print { output throws(OutputError) in
      switch arguments.form {
      case .json:
        try output.line(
          SummaryJSON.indented(MigrationJSON.Revert(report, to: revision, pending, restored))
        )
      case .text:
        for line in MigrationText.revert(report, to: revision, pending, restored: restored) {
          try output.line(line)
        }
      }
    }
  }
}
