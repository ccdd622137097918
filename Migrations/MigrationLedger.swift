package import StrataBase
package import StrataSQLite

/// The migrations of the schema that ran on a file: rows of its table `migration`.
///
/// The table is created with the columns of format 1, the migration to format 2 adds those of migrations of the user's
/// data, and that to format 3 a hash of each row.
package enum MigrationLedger {
  /// A row of the table: a migration of the schema that ran.
  package struct Entry: Hashable, Sendable {
    /// The migration's version.
    package let version: Int
    /// The name it had when it ran.
    package let name: String
    /// The checksum of the script that ran.
    package let checksum: Checksum
    /// When it started, in microseconds since 1970.
    package let applied: Int64
    /// How long it took, in microseconds.
    package let duration: Int64

    /// Creates a row.
    package init(version: Int, name: String, checksum: Checksum, applied: Int64, duration: Int64) {
      self.version = version
      self.name = name
      self.checksum = checksum
      self.applied = applied
      self.duration = duration
    }
  }

  static let creation = """
    CREATE TABLE IF NOT EXISTS migration (
      version    INTEGER PRIMARY KEY,
      name       TEXT    NOT NULL,
      checksum   BLOB    NOT NULL CHECK (length(checksum) = 16),
      applied    INTEGER NOT NULL,            -- microseconds since 1970
      duration   INTEGER NOT NULL             -- microseconds
    ) STRICT
    """

  /// Creates the table unless it exists.
  package static func create(on connection: Connection) throws(SQLiteError) {
    try connection.execute(creation)
  }

  /// The rows, ordered by version; none when the table does not exist.
  ///
  /// O(rows). Writes nothing.
  ///
  /// - Throws: `.mismatch` for a checksum of the wrong length, and errors of SQLite.
  package static func entries(on connection: Connection) throws(SQLiteError) -> [Entry] {
    let columns = try columns(on: connection)
    guard !columns.isEmpty else { return [] }
    if columns.contains("hash") {
      return try HashedTable.migration.rows("WHERE kind = 0 ORDER BY version", on: connection) {
        row throws(SQLiteError) in try entry(row, from: 1)
      }
    }
    let select = """
      SELECT version, name, checksum, applied, duration FROM migration
        \(columns.contains("kind") ? "WHERE kind = 0" : "") ORDER BY version
      """
    return try connection.all(select) { row throws(SQLiteError) in try entry(row, from: 0) }
  }

  private static func columns(on connection: Connection) throws(SQLiteError) -> [String] {
    try connection.all("PRAGMA table_info(migration)") { row throws(SQLiteError) in
      try row.text(1)
    }
  }

  private static func entry(_ row: borrowing Row, from column: Int) throws(SQLiteError) -> Entry {
    Entry(
      version: Int(try row.int(column)),
      name: try row.text(column + 1),
      checksum: try checksum(column + 2, of: row),
      applied: try row.int(column + 3),
      duration: try row.int(column + 4)
    )
  }

  /// The checksum in a column of a ledger.
  ///
  /// - Throws: `.mismatch` for one of the wrong length.
  static func checksum(_ column: Int, of row: borrowing Row) throws(SQLiteError) -> Checksum {
    guard let checksum = Checksum(bytes: try row.blob(column)) else {
      throw SQLiteError(
        code: .mismatch,
        operation: .read,
        message: "a checksum in the ledger is not 16 bytes long",
        path: row.path
      )
    }
    return checksum
  }

  /// Appends a row.
  package static func append(_ entry: Entry, on connection: Connection) throws(SQLiteError) {
    let values: [Value] = [
      .integer(Int64(entry.version)), .text(entry.name), .blob(entry.checksum.bytes),
      .integer(entry.applied), .integer(entry.duration),
    ]
    if try columns(on: connection).contains("hash") {
      let others = repeatElement(Value.null, count: HashedTable.migration.columns.count - 6)
      return try HashedTable.migration.insert([0] + values + others, on: connection)
    }
    try connection.run(
      "INSERT INTO migration (version, name, checksum, applied, duration) VALUES (?, ?, ?, ?, ?)",
      values
    )
  }
}
