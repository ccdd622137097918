import StrataMigrations
import StrataSQLite

/// The version of the file's schema: the number of its last migration.
package enum StoreFormat {
  /// The newest this build can read and write.
  package static var known: Int { MigrationCatalog.file.latest }

  /// Whether a file has the first format, which is read and not written.
  static func isFirst(_ connection: Connection) throws(SQLiteError) -> Bool {
    try connection.userVersion() == 1
  }

  /// Brings a file up to the newest format, in one transaction; does nothing where it has it.
  ///
  /// O(snapshots) for a file of format 1, whose chunks are written again.
  static func migrate(_ connection: Connection, now: Int64) throws(MigrationError) {
    try Migrator(catalog: .file, now: { now }) { version, connection throws(SQLiteError) in
      guard version == 2 else { return }
      do {
        try SnapshotStore.convertFromFormat1(in: connection)
      } catch let error as SQLiteError {
        throw error
      } catch {
        throw SQLiteError(
          code: .corrupt,
          operation: .read,
          message: "\(error)",
          path: connection.path
        )
      }
    }.migrate(connection)
  }

  /// The tables and indexes of a file of a format.
  ///
  /// O(1) for the newest; O(migrations) for an older one.
  static func schema(of format: Int) throws(MigrationError) -> FileSchema {
    format == known ? .newest : try FileSchema(madeBy: .file, version: format)
  }
}
