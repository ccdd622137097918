import ArgumentParser
import StrataInspection
import StrataJournal
import StrataMigrating
import StrataStorage

/// `strata migrate test --on STORE …`.
struct MigrateTest: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "test",
    abstract: "Runs each migration on copies of stores, and takes it back where it can.",
    discussion: """
      For a build server, with stores of older releases. No store is changed. Exits with 2 if a script, or one for \
      the way back, may lose data and does not say that this is intended.

      Example:
        strata migrate test --on stores/1.0.strata stores/1.1.strata --dir Migrations
      """
  )

  @OptionGroup var folder: FolderOption

  @OptionGroup var limits: ScriptLimits

  @Option(parsing: .upToNextOption, help: "The stores.", completion: .file())
  var on: [String]

  func validate() throws {
    if on.isEmpty { throw ValidationError("Name a store: --on app.strata.") }
  }

  func run() async throws {
    let migrations = try limits.migrations(of: folder)
    var reports: [(store: String, report: MigrationReport)] = []
    for store in on {
      reports.append((store, try await DataMigrator(migrations, at: store).test()))
    }
    try Output.print { output throws(OutputError) in
      switch folder.form {
      case .json:
        try output.array(reports.map { SummaryJSON.compact(MigrationJSON.Report($0.report)) })
      case .text:
        for (store, report) in reports {
          let steps = Measures.count(report.steps.count, "step", "steps")
          try output.line("\(store.printable): \(steps) passed.")
        }
      }
    }
  }
}
