package import StrataBase
package import StrataSQLite

/// The migrations of the schema that ran on a file: rows of its table `migration`.
///
/// The table has the migrations of the user's data too (``DataLedger``), so it is there before the first script.
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
      kind           INTEGER NOT NULL CHECK (kind IN (0, 1)),  -- 0 of the file's schema, 1 of the user's data
      version        INTEGER NOT NULL,          -- of its kind
      name           TEXT    NOT NULL,
      checksum       BLOB    NOT NULL CHECK (length(checksum) = 16),
      applied        INTEGER NOT NULL,          -- microseconds since 1970
      duration       INTEGER NOT NULL,          -- microseconds
      -- The rest is for the user's data; null for the file's schema.
      form           TEXT,                      -- how it is written: SQL, Swift, a declaration, a baseline
      reversible     INTEGER,                   -- 1 if it has a way back, else 0
      script         TEXT,                      -- what ran, where it is SQL
      revision       INTEGER NOT NULL,          -- since when it is in force: the last revision after it; 0 for the schema
      until          INTEGER,                   -- the revision that took it back; null while it is in force
      layout         INTEGER,                   -- the highest number of a layout after it
      replaces_first INTEGER,                   -- of a squashed one: the versions it stands for
      replaces_last  INTEGER,
      renames        TEXT,                      -- the names that it gave tables and fields, one on a line; null for none
      hash           BLOB    NOT NULL CHECK (length(hash) = 16),
      PRIMARY KEY (kind, version, revision)
    ) STRICT, WITHOUT ROWID
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
    let tables = "SELECT 1 FROM sqlite_schema WHERE name = 'migration'"
    guard try connection.first(tables, [], { _ throws(SQLiteError) in true }) != nil else {
      return []
    }
    return try HashedTable.migration.rows("WHERE kind = 0 ORDER BY version", on: connection) {
      row throws(SQLiteError) in
      Entry(
        version: Int(try row.int(1)),
        name: try row.text(2),
        checksum: try checksum(3, of: row),
        applied: try row.int(4),
        duration: try row.int(5)
      )
    }
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
    try HashedTable.migration.insert(
      [
        0, .integer(Int64(entry.version)), .text(entry.name), .blob(entry.checksum.bytes),
        .integer(entry.applied), .integer(entry.duration), .null, .null, .null, 0, .null, .null,
        .null, .null, .null,
      ],
      on: connection
    )
  }
}
