import StrataMigrations

/// The version of the file's schema: the number of its last migration.
package enum StoreFormat {
  /// The newest this build can read and write.
  package static var known: Int { MigrationCatalog.file.latest }
}
