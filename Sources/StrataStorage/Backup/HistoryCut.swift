import StrataBase
package import StrataJournal
package import StrataSQLite
import StrataSchema

/// Takes a copy of a store back to an earlier revision.
///
/// Rows that are in force for a time say themselves what they were there (`HashedTable.takeBack(to:on:)`): tables, declared
/// columns, migrations. Deltas, snapshots, their names and features have one revision, and go if it is later.
///
/// The copy keeps later layouts of tables that stay, as no remaining record uses them.
package enum HistoryCut {
  /// Removes what came after a revision; what ended later is there again.
  ///
  /// O(what is removed). The caller's transaction makes the whole atomic.
  package static func removeAll(after revision: Revision, from connection: Connection) throws {
    let snapshots = SnapshotStore(connection: connection)
    for snapshot in try snapshots.all() where snapshot.header.revision > revision {
      try snapshots.remove(snapshot.header.revision)
    }
    for statement in statements {
      try connection.run(statement, [.integer(revision.number)])
    }
    for table in [HashedTable.entityTable, .declaredColumn, .migration] {
      try table.takeBack(to: revision.number, on: connection)
    }
    while try !snapshots.removeOrphans(slice: 1_000) {}
  }

  /// Remove the rows that have one revision.
  private static let statements = [
    "DELETE FROM snapshot_name WHERE revision > ?",
    "DELETE FROM change_index WHERE revision > ?",
    "DELETE FROM delta_part WHERE revision > ?",
    "DELETE FROM delta WHERE revision > ?",
    "DELETE FROM layout WHERE entity_table IN (SELECT name FROM entity_table WHERE since > ?)",
    "DELETE FROM feature WHERE since > ?",
    "DELETE FROM leadership WHERE revision > ?",
  ]
}
