import ArgumentParser
import StrataMigrating
import StrataStorage

/// `strata migrate up STORE`.
struct MigrateUp: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "up",
    abstract: "Runs the pending migrations.",
    discussion: """
      The store is copied first, beside it, and the copy is verified; the newest three such copies stay. All \
      migrations take effect together, or none does. Exits with 2, and does nothing, if one may lose data and \
      does not say that this is intended. Exits with 2 before a migration that is written in Swift, after those \
      that come first.

      Examples:
        strata migrate up app.strata
        strata migrate up app.strata --to 7 --dir Migrations
        strata migrate up app.strata --dry-run
      """
  )

  @OptionGroup var arguments: MigratedStore

  @Option(help: "The last migration to run. (default: all)")
  var to: Int?

  @Flag(help: "Only show what would be done, as `plan` does.")
  var dryRun = false

  @Flag(help: "Make no copy of the store first.")
  var noBackup = false

  func run() async throws {
    if dryRun { return try await MigratePlan.run(arguments, .up, to: to) }
    let migrator = try await arguments.migrator(backups: noBackup ? .none : .keep(3))
    let report = try await migrator.up(to: to)
    try report.printUnchecked(in: arguments.store)
    try await report.finish(arguments, migrator, to: to, isPlan: false)
  }
}
