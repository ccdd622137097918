package import StrataSQLite

/// Brings a file's schema to a catalogue: every pending migration in one transaction, or none.
///
/// SQLite gives no lock to runners, and most of them take none; here the write lock is taken first and the
/// ledger read under it, so two that start at once run each migration once.
///
/// ```swift
/// let migrator = Migrator(catalog: .file, now: clock)
/// let applied = try migrator.migrate(connection)
/// ```
package struct Migrator {
  private let catalog: MigrationCatalog
  private let now: () -> Int64

  /// A runner.
  ///
  /// - Parameter now: the time in microseconds since 1970.
  package init(catalog: MigrationCatalog, now: @escaping () -> Int64) {
    self.catalog = catalog
    self.now = now
  }

  /// What `migrate` would do to the file as it is now; writes nothing.
  ///
  /// - Throws: as `MigrationPlan.init`, and `.database`.
  package func plan(for connection: Connection) throws(MigrationError) -> MigrationPlan {
    let ledger: [MigrationLedger.Entry]
    do {
      ledger = try MigrationLedger.entries(on: connection)
    } catch {
      throw .database(error)
    }
    return try MigrationPlan(catalog: catalog, ledger: ledger)
  }

  /// Runs what is pending and says what it ran.
  ///
  /// An up-to-date file is read only and not locked. Otherwise ledger, scripts and `user_version` change in
  /// one `BEGIN IMMEDIATE`, in which the scripts may not end the transaction.
  ///
  /// - Throws: as `MigrationPlan.init`; `.failed` for a script, `.database` for the rest. The file is then
  ///   as it was, unless the cause's operation is `.commit`.
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
