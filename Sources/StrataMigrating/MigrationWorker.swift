import StrataBase
import StrataJournal

/// Runs migrations on an executor of its own: they take long, and Swift's thread pool should not wait for them.
actor MigrationWorker {
  private let executor = FileExecutor(label: "strata.migrations")
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  func run<R: Sendable>(
    _ migrator: DataMigrator,
    _ work: @Sendable (DataMigrator) throws -> R
  ) throws(PersistenceError) -> R {
    do {
      return try work(migrator)
    } catch {
      throw PersistenceError(.migrating, path: migrator.path, wrapping: error)
    }
  }
}
