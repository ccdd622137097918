package import StrataBase
package import StrataSQLite

/// The tables and indexes of a file, as migrations make them: what a file is compared with before any of
/// its own schema is used.
package struct FileSchema: Sendable {
  /// A table, index, view or trigger: a row of `sqlite_schema`.
  struct Object: Equatable, Sendable, CustomStringConvertible {
    /// `table`, `index`, `view` or `trigger`.
    let type: String
    let name: String
    /// The table it belongs to.
    let table: String
    /// The statement that creates it, as SQLite keeps it; empty for an index that SQLite creates by itself.
    let sql: String

    static let query = "SELECT type, name, tbl_name, sql FROM sqlite_schema"

    init(_ type: String, _ name: String, of table: String, _ sql: String) {
      (self.type, self.name, self.table, self.sql) = (type, name, table, sql)
    }

    init(_ row: borrowing Row) throws(SQLiteError) {
      self.init(
        try row.optionalText(0) ?? "",
        try row.optionalText(1) ?? "",
        of: try row.optionalText(2) ?? "",
        try row.optionalText(3) ?? ""
      )
    }

    /// Whether it is the same but for comments and spacing of the statement.
    func isEquivalent(to other: Object) -> Bool {
      type == other.type && name == other.name && table == other.table
        && NormalizedSQL(sql).bytes == NormalizedSQL(other.sql).bytes
    }

    /// `table delta`.
    var description: String { "\(type) \(name)" }
  }

  private let objects: [Object]

  /// The schema of a file after all migrations.
  ///
  /// O(scripts): they run on a database in memory, which takes milliseconds. See ``isNewest(in:)``.
  package init(madeBy catalog: MigrationCatalog) throws(MigrationError) {
    let connection: Connection
    do {
      connection = try Connection.inMemory()
    } catch {
      throw .database(error)
    }
    try Migrator(catalog: catalog, now: { 0 }).migrate(connection)
    do {
      objects = try connection.all(Object.query, []) { row throws(SQLiteError) in try Object(row) }
    } catch {
      throw .database(error)
    }
  }

  /// The checksum of the newest schema with the texts that the migrations leave.
  ///
  /// It is written down, because running the migrations takes a tenth of the time of a short command.
  package static let newestChecksum = "2ead6dd3fb6dc4402637032c5d45a7df"

  /// Whether a file has the newest schema with these very texts.
  ///
  /// O(its schema). If not, ``difference(of:)`` tells whether anything but comments and spacing differs.
  ///
  /// - Throws: `.corrupt` and other errors of loading the schema.
  package static func isNewest(in connection: Connection) throws(SQLiteError) -> Bool {
    var found: [Object] = []
    do {
      try connection.withSchemaLimits { () throws(SQLiteError) in
        try connection.forEach(Object.query) { row throws(SQLiteError) in
          found.append(try Object(row))
          return found.count < mostObjects ? .continue : .stop
        }
      }
    } catch  where error.code.primary == .interrupt {
      return false
    }
    return checksum(of: found).description == newestChecksum
  }

  /// More than any schema of ours has.
  private static let mostObjects = 64

  /// A checksum of its tables and indexes with their texts, in whatever order a file has them.
  package var checksum: Checksum { Self.checksum(of: objects) }

  private static func checksum(of objects: [Object]) -> Checksum {
    var builder = ChecksumBuilder(reservingCapacity: 1 << 13)
    for object in objects.inOrder(by: { ($0.type, $0.name) < ($1.type, $1.name) }) {
      for text in [object.type, object.name, object.table, object.sql] { builder.append(text) }
    }
    return builder.finalize()
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
          let object = try Object(row)
          // Mostly the texts are the same, and nothing has to be normalised.
          let same =
            missing.firstIndex(of: object) ?? missing.firstIndex { $0.isEquivalent(to: object) }
          if let same {
            missing.remove(at: same)
            return .continue
          }
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
  /// Triggers do not run when a table is read, and views are switched off. O(tables): they are made in memory.
  ///
  /// - Throws: `.corrupt` and other errors of loading the schema.
  package func canBeRead(in connection: Connection) throws(SQLiteError) -> Bool {
    let expected = try columns()
    let found = try connection.withSchemaLimits { () throws(SQLiteError) in
      var found: [String: [[Value]]] = [:]
      let tables = "SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 1"
      for name in try connection.all(tables, [], { row throws(SQLiteError) in try row.text(0) })
      where expected[name] != nil { found[name] = try Self.columns(of: name, in: connection) }
      return found
    }
    return found == expected
  }

  /// The columns of each table, as SQLite understands them.
  private func columns() throws(SQLiteError) -> [String: [[Value]]] {
    let connection = try Connection.inMemory()
    var columns: [String: [[Value]]] = [:]
    for table in objects where table.type == "table" {
      try connection.execute(table.sql)
      columns[table.name] = try Self.columns(of: table.name, in: connection)
    }
    return columns
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
