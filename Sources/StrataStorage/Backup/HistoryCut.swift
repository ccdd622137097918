import Foundation
import StrataBase
package import StrataJournal
package import StrataSQLite

/// Takes a copy of a store back to an earlier revision.
package enum HistoryCut {
  /// Takes a copy that is complete back to a revision.
  ///
  /// - Throws: what `EarlierCatalog` throws.
  package static func cut(_ connection: Connection, after revision: Revision) throws {
    try connection.configureWriter(newFile: FileHeader(applicationID: StoreHeader.applicationID))
    let catalog = try EarlierCatalog(at: revision, of: connection)
    try connection.transaction {
      try removeAll(after: revision, leaving: catalog, from: connection)
    }
    _ = try connection.checkpoint(.truncate)
  }

  /// Removes what came after a revision: deltas, snapshots and their names, tables with their layouts, ends
  /// of tables, and the note on a leadership.
  ///
  /// Later layouts of tables that stay are kept: no remaining record uses them. The caller's transaction
  /// makes the whole atomic.
  ///
  /// - Parameter catalog: What the catalog said at the revision.
  package static func removeAll(
    after revision: Revision,
    leaving catalog: EarlierCatalog,
    from connection: Connection
  ) throws {
    let snapshots = SnapshotStore(connection: connection)
    for snapshot in try snapshots.all() where snapshot.header.revision > revision {
      try snapshots.remove(snapshot.header.revision)
    }
    for statement in [
      "DELETE FROM snapshot_name WHERE revision > ?",
      "DELETE FROM change_index WHERE revision > ?",
      "DELETE FROM delta_part WHERE revision > ?",
      "DELETE FROM delta WHERE revision > ?",
      "DELETE FROM layout WHERE entity_table IN (SELECT name FROM entity_table WHERE since > ?)",
      "DELETE FROM entity_table WHERE since > ?",
      "DELETE FROM feature WHERE since > ?",
      "DELETE FROM migration_trace WHERE revision > ?",
      "DELETE FROM leadership WHERE revision > ?",
    ] {
      try connection.run(statement, [.integer(revision.number)])
    }
    try catalog.write(to: connection)
    try ListedTable.removeEnds(after: revision, from: connection)
    while try !snapshots.removeOrphans(slice: 1_000) {}
  }
}
