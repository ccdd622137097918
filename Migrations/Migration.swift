package import StrataBase

/// One step of the schema: a numbered SQL script that is never changed after its release.
package struct Migration: Hashable, Sendable {
  /// Its position: 1, 2, 3 … without gaps.
  package let version: Int
  /// What it does, for people who read a list of migrations.
  package let name: String
  /// The script: any number of statements, but no `BEGIN`, `COMMIT` or `ROLLBACK`.
  ///
  /// Where one line is `-- strata:convert`, the migrator runs the conversion of this version.
  package let sql: String
  /// The checksum of the script without comments and spacing, so that a formatter or a licence header is
  /// not a change.
  package let checksum: Checksum

  /// Creates a migration.
  ///
  /// O(script), for the checksum.
  package init(version: Int, name: String, sql: String) {
    self.version = version
    self.name = name
    self.sql = sql
    checksum = Checksum(of: NormalizedSQL(sql).bytes)
  }

  /// The script before its conversion and after it; one part where there is none.
  var parts: [Substring] { sql.split(separator: "\n-- strata:convert\n") }
}
