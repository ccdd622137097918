package import StrataSQLite

/// The tables and indexes of a file, as migrations make them: what a file is compared with before any of
/// its own schema is used.
package struct FileSchema: Sendable {
  /// A table, index, view or trigger: a row of `sqlite_schema`.
  struct Object: Hashable, Sendable, CustomStringConvertible {
    /// `table`, `index`, `view` or `trigger`.
    let type: String
    let name: String
    /// The table it belongs to.
    let table: String
    /// The statement that creates it, normalised; empty for an index that SQLite creates by itself.
    let sql: String

    static let query = "SELECT type, name, tbl_name, sql FROM sqlite_schema"

    /// - Parameter normalized: statements that were normalised before.
    init(_ row: borrowing Row, _ normalized: [String: String] = [:]) throws(SQLiteError) {
      type = try row.optionalText(0) ?? ""
      name = try row.optionalText(1) ?? ""
      table = try row.optionalText(2) ?? ""
      let statement = try row.optionalText(3) ?? ""
      sql = normalized[statement] ?? Self.normalized(statement)
    }

    static func normalized(_ statement: String) -> String {
      String(decoding: NormalizedSQL(statement).bytes, as: UTF8.self)
    }

    /// `table delta`.
    var description: String { "\(type) \(name)" }
  }

  private let objects: Set<Object>
  /// The statements as the migrations write them, normalised: a file mostly has just these.
  private let normalized: [String: String]
  /// The columns of each table, as SQLite understands them.
  private let columns: [String: [[Value]]]

  /// The schema of a file of a version.
  ///
  /// O(scripts): they run on a database in memory.
  package init(madeBy catalog: MigrationCatalog, version: Int) throws(MigrationError) {
    let scripts = catalog.migrations.filter { $0.version <= version }
    let connection: Connection
    do {
      connection = try Connection.inMemory()
    } catch {
      throw .database(error)
    }
    if !scripts.isEmpty {
      try Migrator(catalog: MigrationCatalog(scripts), now: { 0 }).migrate(connection)
    }
    do {
      var normalized: [String: String] = [:]
      let statements = try connection.all("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL", [])
      {
        row throws(SQLiteError) in try row.text(0)
      }
      for statement in statements { normalized[statement] = Object.normalized(statement) }
      self.normalized = normalized
      objects = Set(
        try connection.all(Object.query, []) { row throws(SQLiteError) in
          try Object(row, normalized)
        }
      )
      var columns: [String: [[Value]]] = [:]
      for object in objects where object.type == "table" {
        columns[object.name] = try Self.columns(of: object.name, in: connection)
      }
      self.columns = columns
    } catch {
      throw .database(error)
    }
  }

  /// What a file has more, less or other: the first difference found; nil if there is none.
  ///
  /// Reads at most one row more than expected, under `withSchemaLimits`.
  ///
  /// - Throws: `.corrupt` and other errors of loading the schema.
  package func difference(of connection: Connection) throws(SQLiteError) -> String? {
    var missing = objects
    var difference: String?
    do {
      try connection.withSchemaLimits { () throws(SQLiteError) in
        try connection.forEach(Object.query) { row throws(SQLiteError) in
          let object = try Object(row, normalized)
          if missing.remove(object) != nil { return .continue }
          let isKnown = objects.contains { $0.type == object.type && $0.name == object.name }
          difference =
            isKnown ? "the \(object) is not as Strata makes it" : "it has a foreign \(object)"
          return .stop
        }
      }
    } catch  where error.code.primary == .interrupt {
      return "it takes too long to load"
    }
    return difference ?? missing.map { "the \($0) is missing" }.min()
  }

  /// Whether the tables can be read without running an expression of the file, although something in the
  /// schema differs: each of them is a table whose columns are those expected, none of them computed.
  ///
  /// Triggers do not run when a table is read, and views are switched off.
  ///
  /// - Throws: `.corrupt` and other errors of loading the schema.
  package func canBeRead(in connection: Connection) throws(SQLiteError) -> Bool {
    let found = try connection.withSchemaLimits { () throws(SQLiteError) in
      var found: [String: [[Value]]] = [:]
      let tables = "SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 1"
      for name in try connection.all(tables, [], { row throws(SQLiteError) in try row.text(0) })
      where columns[name] != nil { found[name] = try Self.columns(of: name, in: connection) }
      return found
    }
    return found == columns
  }

  /// Position, name, type, whether it must have a value, default, place in the key, and whether it is
  /// computed.
  ///
  /// - Parameter table: a table of the migrations.
  private static func columns(
    of table: String,
    in connection: Connection
  ) throws(SQLiteError) -> [[Value]] {
    try connection.all("PRAGMA table_xinfo(\(table))") { row throws(SQLiteError) in
      var values: [Value] = []
      for column in 0..<row.count { values.append(try row.value(column)) }
      return values
    }
  }
}
