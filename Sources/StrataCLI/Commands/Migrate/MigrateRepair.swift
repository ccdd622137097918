import ArgumentParser
import StrataInspection
import StrataJournal
import StrataMigrating
import StrataSQL
import StrataScripts

/// `strata migrate repair STORE`.
struct MigrateRepair: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "repair",
    abstract: "Accepts migrations that have changed since they ran, after showing how.",
    discussion: """
      Notes the names and checksums of the folder in the ledger of the store. The data is not changed: both \
      forms of a script must do the same. Asks first, unless --yes is given.

      Example:
        strata migrate repair app.strata
      """
  )

  @OptionGroup var arguments: MigratedStore

  @Flag(help: "Do not ask.")
  var yes = false

  func run() async throws {
    let migrator = try await arguments.migrator()
    let repairs = try await migrator.repairs()
    guard !repairs.isEmpty else { return try print(repairs, of: migrator, "Nothing has changed.") }
    if !yes {
      try print(repairs, of: migrator, "Nothing was noted yet.")
      Output.printError("Note this in the ledger? [y/N]")
      guard let answer = readLine(), ["y", "yes"].contains(answer.lowercased()) else {
        throw ExitCode(ExitStatus.differences.rawValue)
      }
    }
    let noted = try await migrator.repair()
    try print(yes ? noted : [], of: migrator, "Noted.")
  }

  private func print(
    _ repairs: [MigrationRepair],
    of migrator: DataMigrator,
    _ summary: String
  ) throws(OutputError) {
    try Output.print { output throws(OutputError) in
      if arguments.form == .json {
        if yes || !repairs.isEmpty { try output.array(repairs.map { SummaryJSON.compact($0) }) }
        return
      }
      for repair in repairs {
        try output.line(repair.names.map(\.printable).joined(separator: " → "))
        let script = migrator.migrations.first { $0.number == repair.number }?.script
        if let before = repair.script, let after = script {
          for line in MigrationText.lines(ScriptDifference(from: before, to: after)) {
            try output.line(line)
          }
        }
      }
      try output.line(summary)
    }
  }
}
