import ArgumentParser
import StrataMigrating
import StrataStorage

/// `strata migrate down STORE`.
struct MigrateDown: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "down",
    abstract: "Takes migrations back, the last one first.",
    discussion: """
      Each of them needs a script for the way back, such as 0003_split_name.down.sql. Without --to, the last one \
      is taken back. Exits with 2, and does nothing, if a way back may lose data and its script does not say that \
      this is intended.

      Examples:
        strata migrate down app.strata --dry-run
        strata migrate down app.strata
        strata migrate down app.strata --to 2
      """
  )

  @OptionGroup var arguments: MigratedStore

  @Option(help: "The last migration that stays; 0 for none.")
  var to: Int?

  @Flag(help: "Take back on a copy, and show what it does.")
  var dryRun = false

  @Flag(help: "Make no copy of the store first.")
  var noBackup = false

  func run() async throws {
    if dryRun { return try await MigratePlan.run(arguments, .down, to: to) }
    let migrator = try await arguments.migrator(backups: noBackup ? .none : .keep(3))
    let report = try await migrator.down(to: to)
    try report.printUnchecked(in: arguments.store)
    try await report.finish(arguments, migrator, to: to, isPlan: false)
  }
}
