package import StrataSQLite

/// A file of format 1 or 2: where it has what the tables of the newest format have.
///
/// It is the one place that knows. A file that is only read gets views of the schema `temp`, so that every query finds
/// the newest tables in it; a file that is brought up gets the rows of the same queries.
package struct OlderFormat {
  private let format: Int
  /// What stands for the name of one of its tables.
  private let source: @Sendable (String) -> String

  /// Lets every query find the tables of the newest format in a file of an older one; does nothing where the file
  /// has the newest.
  ///
  /// The views are of this connection alone. They go once the file is brought up.
  package static func present(on connection: Connection) throws(SQLiteError) {
    let format = Int(try connection.userVersion())
    let isOlder = (1..<hashed).contains(format)
    if isOlder == (try !presented(on: connection).isEmpty) { return }
    let older = OlderFormat(format: format) { "main.\($0)" }
    guard isOlder else { return try removeViews(from: connection) }
    try connection.withTemporarySchema { () throws(SQLiteError) in
      for (name, columns, query) in older.views {
        try connection.execute(
          "CREATE TEMP VIEW \(name) (\(columns.joined(separator: ", "))) AS \(query)"
        )
      }
    }
  }

  /// Removes the views, before the tables of the file are changed.
  package static func removeViews(from connection: Connection) throws(SQLiteError) {
    let names = try presented(on: connection)
    if names.isEmpty { return }
    try connection.withTemporarySchema { () throws(SQLiteError) in
      for name in names { try connection.execute("DROP VIEW temp.\(name)") }
    }
  }

  private static func presented(on connection: Connection) throws(SQLiteError) -> [String] {
    try connection.all("SELECT name FROM temp.sqlite_schema WHERE type = 'view'") {
      row throws(SQLiteError) in try row.text(0)
    }
  }

  /// The first format with hashes of rows.
  static let hashed = 3

  /// Writes the rows of the tables of format 2, which the script has put aside, into those of format 3.
  static func convertToFormat3(_ connection: Connection) throws(SQLiteError) {
    let older = OlderFormat(format: 2) { $0 == "consumer" ? $0 : "\($0)_of_format_2" }
    for table in HashedTable.all {
      guard let query = older.query(of: table) else { continue }
      let rows = try connection.all(query) { row throws(SQLiteError) in
        var values: [Value] = []
        for column in table.columns.indices { values.append(try row.value(column)) }
        return values
      }
      for row in rows { try table.insert(row, on: connection, .replace) }
    }
  }
}

extension OlderFormat {
  /// The views of a file that is read: their names, columns and queries.
  private var views: [(name: String, columns: [String], query: String)] {
    var views = HashedTable.all.map { table in
      let nothing = repeatElement("NULL", count: table.columns.count).joined(separator: ", ")
      return (
        table.name, table.columns + ["hash"],
        "SELECT *, NULL FROM (\(query(of: table) ?? "SELECT \(nothing) WHERE 0"))"
      )
    }
    let delta = [
      "revision", "first", "epoch", "time", "origin", "key", "name", "place", "entities", "parts",
      "bytes", "body", "hash",
    ]
    views.append(
      (
        "delta", delta.map { $0 == "key" ? "trace" : $0 } + ["context"],
        """
        SELECT \(delta.joined(separator: ", ")), \(format == 1 ? "NULL" : "context")
          FROM \(source("delta"))
        """
      )
    )
    let parts = source("delta_part")
    views.append(
      (
        "delta_part", ["revision", "part", "body"],
        "SELECT revision, part, body FROM \(parts) WHERE part > 0"
      )
    )
    views.append(
      ("change_index", ["revision", "body"], "SELECT revision, body FROM \(parts) WHERE part = 0")
    )
    return views
  }

  /// The rows of a table without their hash; nil for a table that an older format has nothing of.
  private func query(of table: HashedTable) -> String? {
    switch table.name {
    case "store":
      """
      SELECT one, id, epoch, algorithm, created, \(format == 1 ? "NULL" : "application")
        FROM \(source("store"))
      """
    case "entity_table": "SELECT name, since, NULL FROM \(source("entity_table"))"
    case "origin", "snapshot_name":
      "SELECT \(table.columns.joined(separator: ", ")) FROM \(source(table.name))"
    case "leadership": leadership
    case "older_build": olderBuilds
    case "erasure": erasures
    case "migration": migrations
    default: nil
    }
  }

  private var migrations: String {
    format == 1
      ? """
      SELECT 0, version, name, checksum, applied, duration, NULL, NULL, NULL, NULL, NULL, NULL
        FROM \(source("migration"))
      """
      : """
      SELECT \(HashedTable.migration.columns.joined(separator: ", ")) FROM \(source("migration"))
        WHERE kind < 2
      """
  }

  /// Rows of a kind of their own in the ledger of migrations.
  private var erasures: String? {
    format == 1
      ? nil
      : """
      SELECT version, name, checksum, applied, coalesce(revision, 0),
          CASE WHEN replaces_first <= replaces_last THEN replaces_first END,
          CASE WHEN replaces_first <= replaces_last THEN replaces_last END
        FROM \(source("migration")) WHERE kind = 2
      """
  }

  /// The epoch was a part of the name.
  private var leadership: String {
    """
    SELECT 1, CAST(substr(name, length('strata.archive.') + 1) AS INTEGER) AS epoch, revision, chain
      FROM \(source("consumer")) WHERE name LIKE 'strata.archive.%' ORDER BY epoch DESC LIMIT 1
    """
  }

  /// Both numbers were parts of the name.
  ///
  /// A name without a second one is of earlier versions, which noted each build
  /// once, so which of them wrote a record is not known: it may be the oldest, from the first of their revisions on.
  private var olderBuilds: String {
    """
    WITH mark (rest, revision, chain) AS (
        SELECT substr(name, length('strata.older-build.') + 1), revision, chain
          FROM \(source("consumer")) WHERE name LIKE 'strata.older-build.%'
      ), single (writer, revision, chain) AS (
        SELECT substr(rest, 1, instr(rest, '.') - 1), revision, chain FROM mark
          WHERE instr(rest, '.') > 1
      )
      SELECT revision, chain, CASE writer WHEN 'current' THEN 1 WHEN 'undone' THEN 2 ELSE 0 END,
          CASE WHEN writer GLOB '[0-9]*' THEN CAST(writer AS INTEGER) END
        FROM single WHERE writer IN ('current', 'undone') OR writer GLOB '[0-9]*'
      UNION ALL
      SELECT * FROM (
        SELECT revision, chain, 0, (
            SELECT min(CAST(rest AS INTEGER)) FROM mark WHERE rest GLOB '[0-9]*' AND instr(rest, '.') = 0
          )
          FROM mark WHERE rest GLOB '[0-9]*' AND instr(rest, '.') = 0 ORDER BY revision LIMIT 1
      )
    """
  }
}
