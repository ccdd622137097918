package import StrataBase

/// One step of the schema: a numbered SQL script that is never changed after its release.
///
/// Its number is the format that a file has after it. The first script makes format 3: the scripts of formats 1 and 2 are
/// gone.
package struct Migration: Hashable, Sendable {
  /// Its number, one more than that of the script before it.
  package let version: Int
  /// What it does, for people who read a list of migrations.
  package let name: String
  /// The script: any number of statements, but no `BEGIN`, `COMMIT` or `ROLLBACK`.
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
}

/// The migrations that a build knows, in order.
package struct MigrationCatalog: Hashable, Sendable {
  /// The migrations; `MigrationPlan` refuses a list with duplicates or gaps.
  package let migrations: [Migration]

  /// Creates a catalog of migrations in the order in which they run.
  package init(_ migrations: [Migration]) {
    self.migrations = migrations
  }

  /// The number of the first migration; 1 for an empty catalog.
  var first: Int { migrations.first?.version ?? 1 }

  /// The version of a file after all migrations; 0 for an empty catalog.
  package var latest: Int { migrations.last?.version ?? 0 }
}

extension MigrationCatalog {
  /// The schema of a store's file: the scripts in `Migrations/Schema`, one entry each.
  package static let file = MigrationCatalog([
    Migration(
      version: 3,
      name: "create store",
      sql: String(decoding: PackageResources.V003_create_store_sql, as: UTF8.self)
    )
  ])
}
