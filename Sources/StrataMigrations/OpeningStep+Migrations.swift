@_exported public import StrataMigrating
@_exported public import StrataPersistence
@_exported public import StrataRecords
@_exported public import StrataScripts
public import StrataStorage

extension OpeningStep where Self == MigrationPreparation {
  /// Runs the migrations of the data that have not run on the file, before it is read.
  ///
  /// ```swift
  /// let persistence = try await Persistence.open(
  ///   at: "app.strata", initialState: AppState(), database: \.db,
  ///   with: [.migrations([addTitle, splitNames])])
  /// ```
  ///
  /// They run after a verified backup and in one transaction, whose result is decoded before it takes effect: see
  /// <doc:EvolvingYourData>. What they did is in `RestoreReport.migrations`. A new file starts with all of them noted as
  /// applied. A file on which migrations ran that the list lacks is not opened for writing: the error has
  /// `error.olderBuild`.
  ///
  /// - Parameters:
  ///   - migrations: All migrations of the program, in order; also those that have run.
  ///   - configuration: How they run.
  public static func migrations(
    _ migrations: [DataMigration],
    _ configuration: MigrationConfiguration = MigrationConfiguration()
  ) -> MigrationPreparation {
    MigrationPreparation(migrations, configuration)
  }

  /// Opens a file whose migrations something else runs before the program starts, such as `strata migrate up`.
  ///
  /// ```swift
  /// with: [.migrations(.external)]
  /// ```
  ///
  /// Nothing compares the program with the migrations that ran on the file: that is up to what runs them.
  public static func migrations(_ source: MigrationSource) -> MigrationPreparation {
    switch source {
    case .external: .external
    }
  }
}

/// Where the migrations of a program are that passes no list.
public enum MigrationSource: Sendable {
  /// Something else runs them before the program starts.
  case external
}

extension RestoreReport {
  /// The migrations that the opening ran; nil if none was pending.
  ///
  /// O(1). Its description is in that of the report.
  public var migrations: MigrationReport? { parts[MigrationReport.self] }
}
