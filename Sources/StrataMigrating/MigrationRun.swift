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
  typealias Ledger = (sequence: MigrationSequence, revision: Revision)
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
      try MigrationTrace.checkListed(entries, in: connection)
    }
    return (sequence, try ReadView(connection).last.revision)
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
