import ArgumentParser
import StrataInspection
import StrataJournal
import StrataMigrating
import StrataStorage

/// `strata migrate stragglers STORE`.
struct MigrateStragglers: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "stragglers",
    abstract: "Lists the records that older builds have written since migrations ran.",
    discussion: """
      Such a record does not have the new shape. `up` runs steps that work record by record on just these. For \
      another step it runs the later ones that say -- strata:brings-up with its name, and refuses where there is none. --keep leaves them as they are, and says that they have the new shape; --remove takes them out \
      of the data, as one delta. Both make a copy of the store first, and ask. Exits with 2 while there are some.

      Examples:
        strata migrate stragglers app.strata
        strata migrate stragglers app.strata --remove
      """
  )

  @OptionGroup var arguments: MigratedStore

  @Flag(help: "Leave them as they are: they have the new shape.")
  var keep = false

  @Flag(help: "Remove them.")
  var remove = false

  @Flag(help: "Do not ask.")
  var yes = false

  func validate() throws {
    if keep, remove { throw ValidationError("--keep and --remove exclude each other.") }
  }

  func run() async throws {
    let migrator = try await arguments.migrator()
    let stragglers = try await migrator.stragglers()
    let count = Measures.count(stragglers.count, "record", "records")
    guard keep || remove else { return try list(stragglers) }
    if !yes {
      try Output.confirm(
        "\(keep ? "Keep" : "Remove") \(count) of older builds in \(arguments.store.printable)?",
        otherwise: "Nothing was changed."
      )
    }
    let report = try await migrator.resolveStragglers(keep ? .keep : .remove)
    try Output.print { output throws(OutputError) in
      switch arguments.form {
      case .json: try output.line(SummaryJSON.indented(MigrationJSON.Report(report)))
      case .text:
        let backup = report.backup.map { " The backup is \($0.printable)." } ?? ""
        let revision = "The store is at revision \(report.after)."
        try output.line(
          "\(keep ? "Kept" : "Removed") \(count) of older builds. \(revision)\(backup)"
        )
      }
    }
  }

  private func list(_ stragglers: [MigrationStraggler]) throws {
    do {
      try Output.print { output throws(OutputError) in
        switch arguments.form {
        case .json: try output.array(stragglers.map { SummaryJSON.compact($0) })
        case .text:
          if stragglers.isEmpty {
            return try output.line("No older build has written a record since the migrations ran.")
          }
          try output.table(
            MigrationText.stragglers(stragglers, within: Terminal.standard.columns),
            arguments.color.highlighting
          )
        }
      }
    } catch OutputError.closed {
      // The exit code is set even if the output is not read.
    }
    if !stragglers.isEmpty { throw ExitCode(ExitStatus.differences.rawValue) }
  }
}
