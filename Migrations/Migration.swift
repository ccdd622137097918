package import StrataBase

/// One step of a schema: a script with a number, never changed once it has been released.
package struct Migration: Hashable, Sendable {
  /// Its place in the order: 1, 2, 3 … without gaps.
  package let version: Int
  /// What it does, in words a person reads in a list.
  package let name: String
  /// The script; any number of statements, none of them `BEGIN`, `COMMIT` or `ROLLBACK`.
  package let sql: String
  /// The checksum of the script without comments and spacing, so that a formatter or a licence header
  /// does not count as a change.
  package let checksum: Checksum

  /// A migration of the given script.
  ///
  /// O(script), for the checksum.
  package init(version: Int, name: String, sql: String) {
    self.version = version
    self.name = name
    self.sql = sql
    checksum = Checksum(of: NormalizedSQL(sql).bytes)
  }
}
