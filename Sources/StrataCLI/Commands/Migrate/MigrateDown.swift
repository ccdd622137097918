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
      is taken back.

      Examples:
        strata migrate down app.strata
        strata migrate down app.strata --to 2
      """
  )

  @OptionGroup var arguments: MigratedStore

  @Option(help: "The last migration that stays; 0 for none.")
  var to: Int?

  @Flag(help: "Make no copy of the store first.")
  var noBackup = false

  func run() async throws {
    let migrator = try arguments.migrator(backups: noBackup ? .none : .keep(3))
    try await migrator.down(to: to).finish(arguments.form, isPlan: false)
  }
}
