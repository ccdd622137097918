/// SQL that damages snapshots of a file.
package enum SnapshotDamage {
  /// The chunks that a snapshot lists and no other one does.
  ///
  /// - Parameter revision: its revision, as SQL.
  package static func ownChunks(of revision: String) -> String {
    """
    id IN (SELECT chunk FROM listing WHERE revision = \(revision))
      AND id NOT IN (SELECT chunk FROM listing WHERE revision <> \(revision))
    """
  }

  /// Replaces these chunks by zeros of the same length.
  package static func clearing(ownChunksOf revision: String) -> String {
    "UPDATE chunk SET body = zeroblob(length(body)) WHERE \(ownChunks(of: revision))"
  }

  /// The revision of the newest snapshot, as SQL.
  package static let newest = "(SELECT max(revision) FROM snapshot)"
}
