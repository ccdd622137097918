import StrataJournal
import StrataSchema
import StrataStorage

/// A state from before migrations of the data, as they bring it up: the migrations that have run since run on a copy of
/// the store that ends there.
///
/// They run as they ran on the store, so what any kind of step makes of the old state is what a launch from that state
/// would have made of it.
struct EarlierState {
  private let revision: Revision
  /// What the ledger says of the migrations that the state lacks, in their order.
  private let rows: [DataLedger.Entry]
  private let migrations: [DataMigration]
  private let path: StorePath
  private let configuration: PersistenceConfiguration

  /// Nil if the state lacks no migration that has changed data.
  ///
  /// O(deltas since the revision, without their contents).
  ///
  /// - Parameter migrations: The list of the build, which has run.
  /// - Throws: `.beforeMigration`, with the first migration that cannot run on the state again: the list lacks it or has
  ///   another one in its place, it is squashed, or trimmed deltas would have to say whether it had run by then.
  ///   `DataMigrationError.takenBack` for a state with a migration that was taken back since and that the store has no
  ///   longer; what `EarlierCatalog` throws for one whose migrations are not known.
  init?(
    at revision: Revision,
    of view: ReadView,
    _ migrations: [DataMigration],
    at path: StorePath,
    _ configuration: PersistenceConfiguration
  ) throws {
    let ledger = try DataLedger.entries(on: view.journal.connection)
    let then = try view.earlierCatalog(at: revision).ledger
    for row in then where !ledger.contains(where: { $0.isSame(as: row) }) {
      throw DataMigrationError.takenBack(row.name, at: revision)
    }
    rows = ledger.filter { row in !then.contains { $0.number == row.number } }
    guard let first = rows.first(where: { !$0.isBaseline }) else { return nil }
    self.revision = revision
    self.migrations = migrations
    self.path = path
    self.configuration = configuration
    // A migration that was taken back since has no row any more, and the deltas that said so may have been trimmed.
    guard revision.next >= view.first ?? view.last.revision.next else {
      throw PersistenceError.Reason.beforeMigration(first.name)
    }
    let sequence = try MigrationSequence(migrations, ledger)
    for row in rows {
      let state = sequence.entries.first { $0.number == row.number }?.state
      let migration = sequence.migration(row.number)
      let canRun = row.isBaseline || !row.isSquashed && migration?.up != nil
      guard state == .applied, migration != nil, canRun else {
        throw PersistenceError.Reason.beforeMigration(row.name)
      }
    }
  }

  /// Calls a closure with the state, as the last one of the copy; the copy is removed then.
  ///
  /// O(file), and what the migrations cost.
  ///
  /// - Throws: `.trimmed` and `.merged`; `.dataMigration` where a migration does not run on that state; what the closure
  ///   throws.
  func read<R>(from view: ReadView, _ body: (ReadView) throws -> R) throws -> R {
    try view.checkIsKept(revision)
    return try ScratchStore.with(copyOf: path, view.journal.connection, endingAt: revision) {
      scratch in
      let migrator = migrator(for: scratch)
      for (index, row) in rows.enumerated() {
        if row.isBaseline {
          // The data had its shape already.
          _ = try migrator.noteBaseline(at: row.number)
        } else if index + 1 == rows.count || rows[index + 1].isBaseline {
          _ = try migrator.run(.up, to: row.number)
        }
      }
      let access = try ReadAccess(scratch.path, for: .inspecting, on: .system)
      defer { withExtendedLifetime(access) {} }
      return try body(ReadView(access.connection))
    }
  }

  private func migrator(for scratch: ScratchStore) -> DataMigrator {
    var configuration = configuration
    configuration.progress = nil
    configuration.restore = .strict
    var migrator = DataMigrator(migrations, at: scratch.path.file, persistence: configuration)
    migrator.useScratch()
    return migrator
  }
}

extension DataLedger.Entry {
  /// Whether it was only noted that the data had the shape of the migration.
  fileprivate var isBaseline: Bool { form == DataMigration.Form.baseline.rawValue }

  /// Whether it is a row of the same migration.
  fileprivate func isSame(as other: DataLedger.Entry) -> Bool {
    (number, name, checksum) == (other.number, other.name, other.checksum)
  }
}
