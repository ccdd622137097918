import ArgumentParser
import StrataInspection
import StrataMigrating

/// `strata migrate history STORE`.
struct MigrateHistory: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "history",
    abstract: "Lists the migrations that ran on a store, with their times and revisions.",
    discussion: """
      Example:
        strata migrate history app.strata --json
      """
  )

  @OptionGroup var arguments: StoreArguments

  @OptionGroup var color: ColorArguments

  func run() async throws {
    let applied = try await DataMigrator([], at: arguments.store).history()
    try Output.print { output throws(OutputError) in
      switch arguments.form {
      case .json: try output.array(applied.map { SummaryJSON.compact(MigrationJSON.Applied($0)) })
      case .text:
        if applied.isEmpty { return try output.line("No migration has run on this store.") }
        try output.table(
          MigrationText.history(applied, within: Terminal.standard.columns),
          color.highlighting
        )
      }
    }
  }
}
