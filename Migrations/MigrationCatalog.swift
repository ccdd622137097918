/// The migrations a build knows, in order.
package struct MigrationCatalog: Hashable, Sendable {
  /// The migrations as listed; `MigrationPlan` refuses a list with duplicates or gaps.
  package let migrations: [Migration]

  /// A catalogue of the given migrations, in the order they are to run.
  package init(_ migrations: [Migration]) {
    self.migrations = migrations
  }

  /// The version a file has once everything has run; 0 for an empty catalogue.
  package var latest: Int { migrations.last?.version ?? 0 }
}

extension MigrationCatalog {
  /// The schema of a store's file: `Migrations/Schema`, one line for each script.
  package static let file = MigrationCatalog([
    Migration(
      version: 1,
      name: "create store",
      sql: String(decoding: PackageResources.V001_create_store_sql, as: UTF8.self)
    )
  ])
}
