/// The migrations that a build knows, in order.
package struct MigrationCatalog: Hashable, Sendable {
  /// The migrations; `MigrationPlan` refuses a list with duplicates or gaps.
  package let migrations: [Migration]

  /// Creates a catalog of migrations in the order in which they run.
  package init(_ migrations: [Migration]) {
    self.migrations = migrations
  }

  /// The version of a file after all migrations; 0 for an empty catalog.
  package var latest: Int { migrations.last?.version ?? 0 }
}

extension MigrationCatalog {
  /// The schema of a store's file: the scripts in `Migrations/Schema`, one entry each.
  package static let file = MigrationCatalog([
    Migration(
      version: 1,
      name: "create store",
      sql: String(decoding: PackageResources.V001_create_store_sql, as: UTF8.self)
    ),
    Migration(
      version: 2,
      name: "share chunks",
      sql: String(decoding: PackageResources.V002_share_chunks_sql, as: UTF8.self)
    ),
  ])
}
