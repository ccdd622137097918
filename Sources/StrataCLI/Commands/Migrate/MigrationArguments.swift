import ArgumentParser
import StrataInspection
import StrataJournal
import StrataMigrating
import StrataSQL
import StrataSQLite
import StrataScripts
import StrataStorage

/// The folder of migrations and the form of the output.
struct FolderOption: ParsableArguments {
  @Option(help: "The folder of the migrations.", completion: .directory)
  var dir: String = "Migrations"

  @Flag(name: .customLong("json"), help: "Print JSON instead of text.")
  private var isJSON = false

  var form: StoreArguments.Form { isJSON ? .json : .text }
}

/// What bounds the scripts of a folder.
struct ScriptLimits: ParsableArguments {
  @Option(help: "The seconds after which a script is given up.")
  var timeout: Double = 600

  @Option(help: "The megabytes of memory that SQLite may use. (default: 512)")
  var memory: Int?

  func validate() throws {
    guard timeout > 0, timeout <= 86_400 else {
      throw ValidationError("--timeout must be more than 0 and at most 86400.")
    }
    try MemoryLimit.check(memory)
  }

  /// The migrations of a folder, with those in Swift as markers.
  ///
  /// - Parameter applied: The names of those that ran on the store at hand.
  func migrations(
    of folder: FolderOption,
    applied: [String] = []
  ) throws(SQLMigrationError) -> [DataMigration] {
    MemoryLimit.apply(memory, default: 512)
    return try SQLMigrations.read(
      folder.dir,
      timeLimit: .milliseconds(Int64(timeout * 1_000)),
      applied: applied
    )
  }
}

/// The store of a subcommand of `strata migrate`.
struct MigratedStore: ParsableArguments {
  @Argument(help: "The file of the store.", completion: .file())
  var store: String

  @OptionGroup var folder: FolderOption

  @OptionGroup var limits: ScriptLimits

  @OptionGroup var color: ColorArguments

  var form: StoreArguments.Form { folder.form }

  func migrator(
    backups: MigrationConfiguration.Backups = .keep(3)
  ) async throws -> DataMigrator {
    var configuration = MigrationConfiguration()
    configuration.backups = backups
    configuration.progress = { progress in
      let place = "\(progress.migration), \(progress.index) of \(progress.count)"
      ProgressLine.current.note(
        "\(place), \(Measures.count(progress.records, "record", "records"))"
      )
    }
    return DataMigrator(try await migrations(), at: store, configuration: configuration)
  }

  /// The migrations of the folder.
  ///
  /// Where two have one number, the error does not move one that ran on the store.
  private func migrations() async throws -> [DataMigration] {
    do throws(SQLMigrationError) {
      return try limits.migrations(of: folder)
    } catch {
      guard case .duplicate = error else { throw error }
      let applied = try await DataMigrator([], at: store).history().map(\.name)
      return try limits.migrations(of: folder, applied: applied)
    }
  }
}

extension MigrationReport {
  /// Says which rules were not checked for the records that the steps have written.
  func printUnchecked(in store: String) throws {
    let written = steps.flatMap(\.tables).filter { $0.inserted + $0.updated > 0 }
    try Inspector(path: store).printUnchecked(Set(written.map(\.table)))
  }

  /// Prints what ran, or would run, and ends the command with its exit code if something is left to do.
  ///
  /// - Parameter failure: Why the migration after these did not run.
  func finish(
    _ arguments: MigratedStore,
    _ migrator: DataMigrator,
    to number: Int?,
    isPlan: Bool,
    _ failure: PersistenceError? = nil
  ) async throws {
    let summary =
      if failure != nil { "" } else if steps.isEmpty {
        MigrationText.nothing(direction, to: number, try await migrator.status())
      } else {
        MigrationText.summary(self, isPlan: isPlan)
      }
    do {
      try Output.print { output throws(OutputError) in
        switch arguments.form {
        case .json:
          let report = MigrationJSON.Report(self, failure: failure.map { "\($0)" })
          try output.line(SummaryJSON.indented(report))
        case .text:
          for line in MigrationText.report(self, arguments.color.highlighting) {
            try output.line(line)
          }
          if !summary.isEmpty { try output.line(summary) }
        }
      }
    } catch OutputError.closed {
      // The exit code is set even if the output is not read.
    }
    if let failure {
      Output.printError("strata: \(failure.description.printable)")
      throw ExitCode(ExitStatus(failure).rawValue)
    }
    if let name = stoppedBefore {
      Output.printError(
        """
        strata: stopped before \(name.printable), which is written in Swift. Run the program, and then this \
        command again.
        """
      )
      throw ExitCode(ExitStatus.differences.rawValue)
    }
    if !refusals.isEmpty { throw ExitCode(ExitStatus.differences.rawValue) }
  }
}
