import ArgumentParser
import StrataInspection
import StrataJournal
import StrataMigrating

/// `strata migrate baseline STORE N`.
struct MigrateBaseline: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "baseline",
    abstract: "Notes migrations as applied without running them.",
    discussion: """
      For a store whose data has their shape already.

      Example:
        strata migrate baseline app.strata 4
      """
  )

  @OptionGroup var arguments: MigratedStore

  @Argument(help: "The last of them; earlier ones that are pending are noted too.")
  var number: Int

  func run() async throws {
    let noted = try await arguments.migrator().baseline(at: number)
    try Output.print { output throws(OutputError) in
      switch arguments.form {
      case .json: try output.array(noted.map { SummaryJSON.compact(MigrationJSON.Applied($0)) })
      case .text:
        for row in noted { try output.line("Noted \(row.name.printable) without running it.") }
        if noted.isEmpty { try output.line("All of them were applied already.") }
      }
    }
  }
}
