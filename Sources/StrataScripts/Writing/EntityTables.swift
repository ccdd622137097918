import Foundation
import StrataBase
import StrataColumns
import StrataJournal
import StrataRecords
package import StrataSQLite
import StrataStorage

/// Entity tables as ordinary tables of SQL, which a script may change, and the way back to records.
///
/// ```swift
/// let tables = try EntityTables([users])
/// try tables.run("ALTER TABLE users RENAME COLUMN name TO title; UPDATE users SET age = age + 1")
/// try tables.forEachChange { change in … }
/// ```
///
/// Each table is copied into a private database, with its columns as ``EntityColumns`` has them. A script may do
/// what SQLite can do with tables: change rows and IDs, add, rename and drop columns, create and drop tables, and
/// rebuild one under its name.
///
/// On the way back, a row is compared with the record it came from. A field whose value is the one that was put
/// there keeps its stored value, and a record without a changed field keeps its bytes. So what SQL cannot hold
/// (absent or null, NaN, -0.0, fractions of a millisecond, the order of JSON, members beside the layout) survives
/// unless SQL changes that very field.
///
/// A table that keeps its rows is compared row by row, whatever its name or its IDs have become. A table that was
/// created under the name of one that was dropped is compared by IDs.
package final class EntityTables {
  final class Table {
    let records: EntityRecords
    let columns: EntityColumns
    /// Its name in SQL, which compares names without case.
    let name: String
    let root: Int64
    /// The parts that were copied; nil for none.
    let use: ScriptUse.Table?
    /// The number of rows that were copied.
    var count: Int64 = 0
    /// Whether the rows that scripts remove are noted.
    var notesRemovedRows = false
    /// Whether it is gone; its root may belong to another table then.
    var isDropped = false
    /// Its name in SQL now.
    var nameNow: String
    /// The columns as they are now, in order, and where each came from.
    var names: [String]
    var origins: [String: ColumnOrigin]

    init(
      _ records: EntityRecords,
      _ columns: EntityColumns,
      name: String,
      root: Int64,
      use: ScriptUse.Table?
    ) {
      self.records = records
      self.columns = columns
      self.name = name
      self.root = root
      self.use = use
      nameNow = name
      names = columns.columns.map(\.name)
      origins = [:]
      for (number, column) in columns.columns.enumerated() {
        origins[column.name] = ColumnOrigin(number, columns, records)
      }
    }

    /// Whether the values of a column were copied; those of the ID always are.
    func isCopied(_ column: Int) -> Bool {
      guard let use else { return false }
      return column == 0 || use.needsAll || use.columns.contains(column)
    }
  }

  let database: ScriptDatabase
  let side: Connection
  private(set) var tables: [Table] = []
  /// The scripts that have run.
  private(set) var scripts: [String] = []
  /// How many values were stored that SQL has rounded, by table and field.
  var rounded: [String: [String: Int]] = [:]
  var connection: Connection { database.connection }

  /// Copies tables; O(records).
  ///
  /// - Parameters:
  ///   - use: What the script uses: only that is copied. Other tables are there, without rows, and do not
  ///     change. Nil copies all.
  ///   - growth: How many bytes scripts may add.
  package init(
    _ sources: [EntityRecords],
    copying use: ScriptUse? = nil,
    growth: Int = 4 << 30
  ) throws {
    database = try ScriptDatabase()
    side = try .temporary(cacheBytes: 4 << 20)
    var names = UniqueNames()
    for source in sources {
      let isReserved = source.table.lowercased().hasPrefix("sqlite_")
      let name = names.add(isReserved ? "\(source.table):2" : source.table)
      let used = use.map { $0.tables[source.table] } ?? .everything
      tables.append(try declare(source, name, used))
    }
    for table in tables { try copy(table) }
    try database.limitGrowth(to: growth)
  }

  private func declare(
    _ records: EntityRecords,
    _ name: String,
    _ use: ScriptUse.Table?
  ) throws -> Table {
    var names = UniqueNames()
    let columns = EntityColumns(
      try records.ofColumns,
      names: &names,
      hiding: records.hidden
    )
    // Records that a build has written since may lack a value.
    var required = Set(records.declared.filter(\.isRequired).map(\.field.name))
    if !required.isEmpty, try !records.isEmpty { required = [] }
    let declared = columns.columns.enumerated().map { number, column in
      let isRequired = number > 0 && required.contains(columns.fields[number - 1])
      return column.declaration + (isRequired ? " NOT NULL" : "")
    }.joined(separator: ", ")
    try connection.execute("CREATE TABLE \(SQLName.quoted(name))(\(declared))")
    let root = try schema().first { $0.name == name }?.root ?? 0
    return Table(records, columns, name: name, root: root, use: use)
  }

  private func copy(_ table: Table) throws {
    guard let use = table.use else { return }
    let columns = table.columns
    let used = columns.columns.indices.filter { table.isCopied($0) }
    let names = used.map { SQLName.quoted(columns.columns[$0].name) }.joined(separator: ", ")
    let marks = used.map { _ in "?" }.joined(separator: ", ")
    let name = SQLName.quoted(table.name)
    let insert = try connection.cursor("INSERT INTO \(name)(\(names)) VALUES (\(marks))")
    var reader = EntityReader(columns, used: used) { try table.records.layout($0) }
    var values = [Value](repeating: .null, count: used.count)
    let next = try table.records.start()
    do {
      try connection.transaction {
        while let entity = try next() {
          reader.move(to: entity)
          for (index, column) in used.enumerated() { values[index] = try reader.value(column) }
          try insert.start(values)
          _ = try insert.next()
          table.count += 1
        }
        insert.reset()
      }
      if use.addsRows, use.removesRows { try noteRemovedRows(of: table) }
      // Without them, a subquery that looks up a row by its ID, or the rows that refer to one, goes through all of them.
      if use.columns.contains(0) || use.needsAll { try createIndex(of: 0, in: table) }
      for (number, field) in columns.fields.enumerated()
      where use.searched.contains(number + 1) && table.records.refers(field) {
        try createIndex(of: number + 1, in: table)
      }
    } catch let error as SQLiteError where error.path == connection.path {
      throw error.code.primary == .full
        ? EntityTableError.temporaryDiskFull : .temporaryFile("\(error)")
    }
  }

  private func createIndex(of column: Int, in table: Table) throws(SQLiteError) {
    let index = SQLName.quoted("index of column \(column) of \(table.name)")
    let column = SQLName.quoted(table.columns.columns[column].name)
    try connection.execute("CREATE INDEX \(index) ON \(SQLName.quoted(table.name))(\(column))")
  }

  /// Notes which rows are removed, because SQLite gives their numbers to other rows.
  private func noteRemovedRows(of table: Table) throws(SQLiteError) {
    let row = Self.rowNumber(besides: table.names)
    let origin = "\(table.root)"
    try connection.execute(
      """
      CREATE TEMP TABLE IF NOT EXISTS "removed rows"(root INTEGER, number INTEGER);
      CREATE INDEX IF NOT EXISTS temp."index of removed rows" ON "removed rows"(root, number);
      CREATE TEMP TRIGGER \(SQLName.quoted("removal from \(table.name)"))
        AFTER DELETE ON main.\(SQLName.quoted(table.name)) WHEN old.\(row) <= \(table.count)
        BEGIN INSERT INTO "removed rows" VALUES (\(origin), old.\(row)); END
      """
    )
    table.notesRemovedRows = true
  }

  /// Starts to read the numbers of the removed rows of a table; nil if they were not noted.
  ///
  /// Each call of the result gives the next one in their order, some of them several times.
  func removedRows(of table: Table) throws -> (() throws -> Int64?)? {
    guard table.notesRemovedRows else { return nil }
    let rows = try connection.cursor(
      #"SELECT number FROM temp."removed rows" WHERE root = ? ORDER BY number"#
    )
    try rows.start([.integer(table.root)])
    return {
      guard try rows.next() else { return nil }
      return try rows.withRow { row throws(SQLiteError) in try row.int(0) }
    }
  }

  /// SQLite's name for the number of a row, in a table with these columns.
  static func rowNumber(besides columns: [String]) -> String {
    let taken = Set(columns.map { $0.lowercased() })
    return ["rowid", "_rowid_", "oid"].first { !taken.contains($0) } ?? "rowid"
  }

  /// Runs the statements of a script.
  ///
  /// - Throws: `EntityTableError`. The tables are then of no further use.
  package func run(_ script: String, timeLimit: Duration = .seconds(600)) throws {
    scripts.append(script)
    try database.run(script, within: timeLimit) { _ in try followColumns() }
  }

  /// The first value that a SELECT gives; nil without a row.
  ///
  /// - Throws: `EntityTableError`. The tables are then of no further use.
  package func value(of check: String, timeLimit: Duration = .seconds(600)) throws -> Value? {
    try database.value(of: check, within: timeLimit)
  }

  func schema() throws -> [(name: String, root: Int64)] {
    try connection.all(
      "SELECT name, rootpage FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
    ) { row in (try row.text(0), try row.int(1)) }
  }

  /// A column as SQLite describes it.
  struct Declared {
    let name: String
    let type: String
    /// Whether it is NOT NULL and has no default.
    let isRequired: Bool
  }

  /// The tables to whose IDs columns of a table refer, by the names of the columns.
  func references(of table: String) throws -> [String: String] {
    let keys = try connection.all(
      """
      SELECT min("from"), min("table"), min("to") FROM pragma_foreign_key_list(?)
        GROUP BY id HAVING count(*) = 1
      """,
      [.text(table)]
    ) { row in (try row.text(0), try row.text(1), try row.optionalText(2)) }
    var references: [String: String] = [:]
    for (column, target, key) in keys {
      // The ID of a table that does not exist yet has the name that all IDs have.
      let id = tables.first { $0.nameNow.lowercased() == target.lowercased() }?.names.first ?? "id"
      guard key.map({ $0.lowercased() == id.lowercased() }) ?? true else { continue }
      references[column.lowercased()] = target
    }
    return references
  }

  func columns(of table: String) throws -> [Declared] {
    try connection.all(
      """
      SELECT name, type, "notnull" AND dflt_value IS NULL FROM pragma_table_info(?) ORDER BY cid
      """,
      [.text(table)]
    ) { row in
      Declared(name: try row.text(0), type: try row.text(1), isRequired: try row.int(2) != 0)
    }
  }

  /// Finds which columns a statement has renamed or dropped.
  ///
  /// SQLite keeps the order of columns, so if one name alone differs at its place, it is a new name.
  func followColumns() throws {
    let schema = try schema()
    for table in tables where !table.isDropped {
      guard let name = schema.first(where: { $0.root == table.root })?.name else {
        table.isDropped = true
        continue
      }
      table.nameNow = name
      let names = try columns(of: name).map(\.name)
      if names == table.names { continue }
      let differing = names.indices.filter {
        names.count == table.names.count && names[$0] != table.names[$0]
      }
      if differing.count == 1, let index = differing.first {
        table.origins[names[index]] = table.origins.removeValue(forKey: table.names[index])
      } else {
        table.origins = table.origins.filter { names.contains($0.key) }
      }
      table.names = names
    }
  }
}
