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

  /// The tables and indexes of a file of a format.
  ///
  /// O(1) for the newest after the first call; O(migrations) for an older one.
  static func schema(of format: Int) throws -> FileSchema {
    format == known ? try newest.get() : try FileSchema(madeBy: .file, version: format)
  }

  private static let newest = Result { () throws(MigrationError) in
    try FileSchema(madeBy: .file, version: known)
  }
}
