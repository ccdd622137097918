import Foundation
import StrataBase
import StrataJournal
import StrataRecords
import StrataSQLite
import StrataSchema
import StrataStorage

/// One run of migrations on a store: reading, then backup, one transaction, and a
/// snapshot.
struct MigrationRun {
  let migrations: [DataMigration]
  let store: OwnedStore
  let configuration: MigrationConfiguration

  var path: StorePath { store.path }
  var persistence: PersistenceConfiguration { store.configuration }

  /// What the ledger of the file says.
  struct Ledger {
    let sequence: MigrationSequence
    let revision: Revision
  }

  /// A migration to run, in one of the directions.
  struct Task {
    let number: Int
    let migration: DataMigration
    let step: DataMigration.Step
    /// The row of the ledger that goes, where it is taken back.
    var row: DataLedger.Entry?

    /// What runs: a script for the way back has a name of its own.
    var script: String {
      guard row != nil else { return migration.name }
      return migration.form == .sql
        ? "\(migration.name).down" : "\(migration.name) (its way back)"
    }

    /// - Parameter declared: The declared columns that it has changed, as they were before.
    func trace(declared: [String: [DeclaredColumn]]) -> MigrationTrace {
      if let row { return .down(number, .init(removed: [row], declared: declared)) }
      return .up(number, declared.isEmpty ? nil : .init(declared: declared))
    }
  }
}

/// Reading.
extension MigrationRun {
  /// Reads the ledger; changes nothing.
  func readLedger() throws -> Ledger { try Self.ledger(of: store.connect(), migrations) }

  static func ledger(
    of connection: Connection,
    _ migrations: [DataMigration]
  ) throws -> Ledger {
    let entries = try DataLedger.entries(on: connection)
    let sequence = try MigrationSequence(migrations, entries)
    // A migration that ran, and whose row a disk has lost, would run again on what it has made.
    if !sequence.pending.isEmpty {
      try TracedRun.checkListed(entries, in: connection)
    }
    return Ledger(sequence: sequence, revision: try ReadView(connection).last.revision)
  }

  /// Refuses a list that ends before the last migration that ran.
  static func checkIsNotOlder(
    _ migrations: [DataMigration],
    than connection: Connection,
    at path: StorePath,
    on disk: Disk
  ) throws {
    let known = MigrationPreparation(migrations).known
    let older = try ReadView(connection).olderBuild(knowing: known, at: path, on: disk)
    if let older { throw older }
  }
}
