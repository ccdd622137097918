import ArgumentParser
import StrataMigrating
import StrataStorage

/// `strata migrate plan STORE`.
struct MigratePlan: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "plan",
    abstract: "Runs the pending migrations on a copy, and shows what they do.",
    discussion: """
      It is the run of `up`, with its counts, and changes nothing. If a script fails, it shows what those before it do. Exits with 2 if a migration may lose data and its script does not \
      say that this is intended, as in

        -- strata:allow destructive(users.bio)

      Examples:
        strata migrate plan app.strata
        strata migrate plan app.strata --to 7 --json
      """
  )

  @OptionGroup var arguments: MigratedStore

  @Option(help: "The last migration to run. (default: all)")
  var to: Int?

  func run() async throws { try await Self.run(arguments, .up, to: to) }

  /// Also `strata migrate up --dry-run`, and `down --dry-run`.
  static func run(
    _ arguments: MigratedStore,
    _ direction: MigrationReport.Direction,
    to last: Int?
  ) async throws {
    let migrator = try await arguments.migrator()
    let (report, failure) = try await migrator.planUntilFailure(direction, to: last)
    if let failure, report.steps.isEmpty { throw failure }
    try await report.finish(arguments, migrator, to: last, isPlan: true, failure)
  }
}
