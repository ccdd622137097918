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
  /// A program whose scripts the command runs before it starts has no list, and says so:
  ///
  /// ```swift
  /// with: [.migrations([], MigrationConfiguration(policy: .external))]
  /// ```
  ///
  /// They run after a verified backup and in one transaction, whose result is decoded before it takes effect: see
  /// <doc:EvolvingYourData>. What they did is in `RestoreReport.migrations`. A new file starts with all of them noted as
  /// applied. A file on which migrations have run is opened for writing only with this step.
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
}

extension RestoreReport {
  /// The migrations that the opening ran; nil if none was pending.
  ///
  /// O(1). Its description is in that of the report.
  public var migrations: MigrationReport? { parts[MigrationReport.self] }
}
