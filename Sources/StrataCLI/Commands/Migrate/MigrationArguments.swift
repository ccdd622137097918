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
  func migrations(of folder: FolderOption) throws(SQLMigrationError) -> [DataMigration] {
    MemoryLimit.apply(memory, default: 512)
    return try SQLMigrations.read(folder.dir, timeLimit: .milliseconds(Int64(timeout * 1_000)))
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
  ) throws(SQLMigrationError) -> DataMigrator {
    var configuration = MigrationConfiguration()
    configuration.backups = backups
    configuration.progress = { progress in
      let place = "\(progress.migration), \(progress.index) of \(progress.count)"
      ProgressLine.current.note(
        "\(place), \(Measures.count(progress.records, "record", "records"))"
      )
    }
    return DataMigrator(
      try limits.migrations(of: folder),
      at: store,
      configuration: configuration
    )
  }
}

extension MigrationReport {
  /// Prints what ran, or would run, and ends the command with its exit code if something is left to do.
  func finish(_ arguments: MigratedStore, isPlan: Bool) throws {
    do {
      try Output.print { output throws(OutputError) in
        switch arguments.form {
        case .json: try output.line(SummaryJSON.indented(MigrationJSON.Report(self)))
        case .text:
          for line in MigrationText.report(self, arguments.color.highlighting) {
            try output.line(line)
          }
          try output.line(MigrationText.summary(self, isPlan: isPlan))
        }
      }
    } catch OutputError.closed {
      // The exit code is set even if the output is not read.
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
