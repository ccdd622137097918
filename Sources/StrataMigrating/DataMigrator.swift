import StrataBase
public import StrataJournal
import StrataSchema
public import StrataStorage

/// Runs the migrations of a store's data, while no program has it open.
///
/// ```swift
/// let migrator = DataMigrator(migrations, at: "app.strata")
/// print(try await migrator.plan())   // what would happen; changes nothing
/// print(try await migrator.up())
/// ```
///
/// `Persistence.open(…, with: [.migrations(migrations)])` does the same when a program starts.
///
/// A run takes the writer's lock, makes a verified backup, and runs the pending migrations in one transaction, in which the
/// ledger is read again. Each migration that changes something adds one delta. Then a verified snapshot is taken.
///
/// Where something fails before the end of the transaction, the file is as it was. What fails after it is in
/// `MigrationReport.notes`. Only after an error of the disk at the very end, when the result is written or synced, it is
/// not known whether it took effect: ``history()`` shows it.
///
/// All calls throw `PersistenceError`; `error.dataMigration` is what concerns migrations.
public struct DataMigrator: Sendable {
  /// The migrations, in order.
  public let migrations: [DataMigration]
  /// The path of the store.
  public let path: String
  /// How they run.
  public var configuration: MigrationConfiguration
  /// The configuration of the store: its application, clock and snapshots.
  public var persistence: PersistenceConfiguration

  /// Creates a runner; nothing is read yet.
  public init(
    _ migrations: [DataMigration],
    at path: String,
    configuration: MigrationConfiguration = MigrationConfiguration(),
    persistence: PersistenceConfiguration = PersistenceConfiguration()
  ) {
    self.migrations = migrations
    self.path = path
    self.configuration = configuration
    self.persistence = persistence
  }
}

extension DataMigrator {
  /// What ran and what is pending; changes nothing, and works beside a writer.
  ///
  /// O(migrations).
  public func status() async throws(PersistenceError) -> MigrationStatus {
    try await work { try $0.readStatus() }
  }

  /// The rows of the store's ledger, by their numbers; changes nothing, and works beside a writer.
  public func history() async throws(PersistenceError) -> [AppliedMigration] {
    try await work {
      try $0.withReader { try DataLedger.entries(on: $0).map { AppliedMigration($0) } }
    }
  }

  /// Does on a copy what ``up(to:)`` or ``down(to:)`` would do, with the same code, and reports it; changes nothing.
  ///
  /// Findings that would stop them do not stop it: they are in the report.
  ///
  /// - Parameters:
  ///   - direction: which of the two.
  ///   - number: what `up` or `down` would be given.
  public func plan(
    _ direction: MigrationReport.Direction = .up,
    to number: Int? = nil
  ) async throws(PersistenceError) -> MigrationReport {
    let (report, failure) = try await planUntilFailure(direction, to: number)
    if let failure { throw failure }
    return report
  }

  /// The same; where a migration fails, with what those before it would do and why it failed.
  package func planUntilFailure(
    _ direction: MigrationReport.Direction = .up,
    to number: Int? = nil
  ) async throws(PersistenceError) -> (report: MigrationReport, failure: PersistenceError?) {
    try await work { try $0.runPlan(direction, to: number) }
  }

  /// Runs the pending migrations; throws `error.olderBuild` for a list that lacks the last one that ran.
  ///
  /// - Parameter number: the last one to run; nil for all.
  @discardableResult
  public func up(to number: Int? = nil) async throws(PersistenceError) -> MigrationReport {
    try await work { try $0.run(.up, to: number) }
  }

  /// Takes migrations back, the last one first.
  ///
  /// All of them must be reversible, and allow what the way back loses: in the script for it, or in Swift with the same
  /// `allowing(_:)` that holds for the way there. Each that changes something adds one delta.
  ///
  /// - Parameter number: the last one that stays; 0 for none, nil for all but the last.
  @discardableResult
  public func down(to number: Int? = nil) async throws(PersistenceError) -> MigrationReport {
    try await work { try $0.run(.down, to: number) }
  }

  /// Resets the data and the ledger to their contents at a revision that is kept, as one delta.
  ///
  /// Migrations after that revision are pending again, and those that were taken back since have run.
  ///
  /// No history is lost, and no types are needed. O(entities).
  ///
  /// Throws `PersistenceError` of the kind `.notThere` for a revision that is not reached or was trimmed.
  @discardableResult
  public func revert(to revision: Revision) async throws(PersistenceError) -> MigrationReport {
    try await work { try $0.withLock { try $0.revert(to: revision) } }
  }

  /// Checks that the list fits the ledger; throws what ``MigrationStatus/problem`` would be.
  ///
  /// A migration that ran and that the list lacks at its end, as an older build does, is `DataMigrationError.missing`
  /// here too.
  @discardableResult
  public func verify() async throws(PersistenceError) -> MigrationStatus {
    try await work { migrator in
      let status = try migrator.readStatus()
      if let problem = status.problem { throw problem }
      if let entry = status.entries.first(where: { $0.state == .newer }) {
        throw DataMigrationError.missing(number: entry.number, name: entry.name)
      }
      return status
    }
  }

  /// Notes migrations as applied without running them, because the data has their shape already.
  ///
  /// - Parameter number: the last one; earlier ones that are pending are noted too.
  @discardableResult
  public func baseline(at number: Int) async throws(PersistenceError) -> [AppliedMigration] {
    try await work { try $0.noteBaseline(at: number) }
  }

  /// What ``repair()`` would change; changes nothing.
  public func repairs() async throws(PersistenceError) -> [MigrationRepair] {
    try await work { try $0.findRepairs() }
  }

  /// Notes the names and checksums of the list in the ledger, for migrations that have changed since they ran.
  ///
  /// How they are written, and their scripts, are noted too. The data is not touched: the caller says that both do the
  /// same.
  @discardableResult
  public func repair() async throws(PersistenceError) -> [MigrationRepair] {
    try await work { try $0.writeRepairs() }
  }

  /// Runs each migration on a copy of the store, takes it back where that is declared and runs it again, and verifies
  /// the copy after each; changes nothing.
  ///
  /// For a test suite with stores of older releases. Losses that are not allowed, on either way, do not stop it: when all
  /// have run, it throws them as `DataMigrationError.refused(_:)`.
  public func test() async throws(PersistenceError) -> MigrationReport {
    try await work { try $0.runOnCopy { try $0.runTest() } }
  }

  /// Does something on an executor of its own, and reports what it throws as an error of migrating.
  private func work<R: Sendable>(
    _ work: @Sendable (DataMigrator) throws -> R
  ) async throws(PersistenceError) -> R {
    do {
      return try await FileWorker(label: "strata.migrations").run { try work(self) }
    } catch {
      throw PersistenceError(.migrating, path: path, wrapping: error)
    }
  }
}
