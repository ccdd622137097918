package import StrataSQLite

/// Brings a file's schema up to date: runs all pending migrations in one transaction, or none.
///
/// The write lock is taken first and the ledger is read under it, so two processes that start at the same
/// time run each migration once.
///
/// ```swift
/// let migrator = Migrator(catalog: .file, now: clock)
/// let applied = try migrator.migrate(connection)
/// ```
package struct Migrator {
  private let catalog: MigrationCatalog
  private let now: () -> Int64

  /// Creates a migrator.
  ///
  /// - Parameter now: The current time in microseconds since 1970.
  package init(catalog: MigrationCatalog, now: @escaping () -> Int64) {
    self.catalog = catalog
    self.now = now
  }

  /// Computes what `migrate` would run on the file now; writes nothing.
  ///
  /// - Throws: The errors of `MigrationPlan.init`, and `.database`.
  package func plan(for connection: Connection) throws(MigrationError) -> MigrationPlan {
    let ledger: [MigrationLedger.Entry]
    do {
      ledger = try MigrationLedger.entries(on: connection)
    } catch {
      throw .database(error)
    }
    return try MigrationPlan(catalog: catalog, ledger: ledger)
  }

  /// Runs the pending migrations and returns them.
  ///
  /// If the file is up to date, it is only read and not locked. Otherwise the ledger, the scripts'
  /// changes and `user_version` are written in one `BEGIN IMMEDIATE` transaction, which the scripts cannot
  /// end.
  ///
  /// - Throws: The errors of `MigrationPlan.init`; `.failed` for a script, `.database` for the rest. The
  ///   file is then unchanged, unless the cause's operation is `.commit`.
  @discardableResult
  package func migrate(_ connection: Connection) throws(MigrationError) -> [Migration] {
    guard try !plan(for: connection).pending.isEmpty else { return [] }
    let result: Result<[Migration], MigrationError>
    do {
      result = try connection.transactionResult { () throws(MigrationError) in
        try migrateInTransaction(connection)
      }
    } catch {
      throw .database(error)
    }
    return try result.get()
  }

  private func migrateInTransaction(_ connection: Connection) throws(MigrationError) -> [Migration]
  {
    let pending = try plan(for: connection).pending
    do {
      try MigrationLedger.create(on: connection)
    } catch {
      throw .database(error)
    }
    for migration in pending {
      do {
        try run(migration, on: connection)
      } catch {
        throw .failed(version: migration.version, name: migration.name, cause: error)
      }
    }
    return pending
  }

  private func run(_ migration: Migration, on connection: Connection) throws(SQLiteError) {
    let start = now()
    try connection.withoutTransactionControl { () throws(SQLiteError) in
      try connection.execute(migration.sql)
    }
    try MigrationLedger.append(
      MigrationLedger.Entry(
        version: migration.version,
        name: migration.name,
        checksum: migration.checksum,
        applied: start,
        duration: max(0, now() - start)
      ),
      on: connection
    )
    try connection.setUserVersion(Int32(migration.version))
  }
}
