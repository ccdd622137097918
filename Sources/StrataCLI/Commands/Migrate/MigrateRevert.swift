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
      "Resets the data to its contents at a revision; the migrations after it are pending again.",
    discussion: """
      It is one new delta, so no history is lost, and the store is copied first, beside it. Neither scripts nor types \
      are needed, so it also goes back across migrations without a way back. What was committed since is no longer in \
      the data, and a migration that was taken back since has run again. The store must not be open.

      `strata revert` without a table is the same.

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
    try await Revert.all(arguments, to: revision, noBackup ? .none : .keep(3))
  }
}
