import Foundation
import StrataBase
import StrataColumns
import StrataJournal
import StrataRecords
import StrataSQLite
import StrataStorage

/// Entity tables as ordinary tables of SQL, which a script may change, and the way back to records.
///
/// ```swift
/// let tables = try EntityTables([users])
/// try tables.run("ALTER TABLE users RENAME COLUMN name TO title; UPDATE users SET age = age + 1")
/// try tables.forEachChange { change in … }
/// ```
///
/// Each table is copied into a private database, where it is an ordinary table: its columns are those that
/// ``EntityColumns`` has, and its ID is the key, as `INTEGER PRIMARY KEY` where it is an integer of SQLite. A script may
/// do what SQLite can do with tables: change rows and IDs, add, rename and drop columns, create and drop tables, and
/// rebuild one under its name.
///
/// On the way back, a row is compared with the record it came from, which ``RowOrigins`` knows. A field whose value is
/// the one that was put there keeps its stored value, and a record without a changed field keeps its bytes. So what SQL
/// cannot hold (absent or null, NaN, -0.0, fractions of a millisecond, the order of JSON, members beside the layout)
/// survives unless SQL changes that very field.
///
/// The rows of a table that was created under the name of a dropped one are those of the records with the same IDs, and
/// a column has the values of the one that had its name if a statement has copied that one.
package final class EntityTables {
  final class Table {
    let records: EntityRecords
    let columns: EntityColumns
    /// Its name in SQL, which compares names without case.
    let name: String
    let root: Int64
    /// The statement that has created it.
    let declaration: String
    /// The parts that were copied; nil for none.
    let use: ScriptUse.Table?
    /// Where its rows came from; nil if scripts neither add rows nor set IDs.
    var rowOrigins: RowOrigins?
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
      declaration: String,
      use: ScriptUse.Table?
    ) {
      self.records = records
      self.columns = columns
      self.name = name
      self.root = root
      self.declaration = declaration
      self.use = use
      nameNow = name
      names = columns.columns.map(\.name)
      origins = [:]
      for (number, column) in columns.columns.enumerated() {
        origins[column.name] = ColumnOrigin(number, columns, records)
      }
    }

    /// Whether its IDs are the numbers of its rows.
    var hasRowNumbers: Bool { columns.columns[0].kind.isRowNumber }

    /// The columns that have had a name, without regard to case: after what has run, then before all scripts.
    ///
    /// - Parameter others: The names of the columns beside it: one that has such a name now is theirs.
    func numbers(named name: String, besides others: [String] = []) -> [Int] {
      let names = origins.map { (name: $0.key.lowercased(), number: $0.value.number) }
      let name = name.lowercased()
      let now = names.first { $0.name == name }?.number
      let first = columns.columns.firstIndex { $0.name.lowercased() == name }
      let isTaken = names.contains { names in
        names.number == first && others.contains { $0.lowercased() == names.name }
      }
      return [now, isTaken ? nil : first].compactMap(\.self)
    }

    /// Whether the values of a column were copied; those of the ID always are.
    func isCopied(_ column: Int) -> Bool {
      guard let use else { return false }
      return column == 0 || use.needsAll || use.columns.contains(column)
    }
  }

  let database: ScriptDatabase
  /// Where ``RowOrigins`` are noted.
  private let side: Connection
  let use: ScriptUse?
  private(set) var tables: [Table] = []
  /// The indexes that scripts have not created.
  private(set) var ownIndexes: Set<String> = []
  /// The scripts that have run.
  private(set) var scripts: [String] = []
  /// What ``shape()`` has read of values that SQL may round; nil before that.
  var cells: StoredCells??
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
    self.use = use
    var names = UniqueNames()
    for source in sources {
      let name = names.add(table: source.table)
      let used = use.map { $0.tables[source.table] } ?? .everything
      tables.append(try declare(source, name, used))
    }
    try RowOrigins.prepare(side)
    for (number, table) in tables.enumerated() {
      try copy(table)
      guard let use = table.use, !use.keepsOrigins else { continue }
      let row = Self.rowNumber(besides: table.names)
      let last = try connection.first(
        "SELECT max(\(row)) FROM main.\(SQLName.quoted(table.name))"
      ) { row throws(SQLiteError) in try row.optionalInt(0) }
      table.rowOrigins = try RowOrigins(ofTable: number, upTo: (last ?? nil) ?? .min, in: side)
    }
    try RowOrigins.report(
      from: connection,
      ofName: { [unowned self] name in
        tables.first {
          $0.rowOrigins != nil && !$0.isDropped && $0.nameNow == String(cString: name)
        }?
        .rowOrigins
      },
      ofNumber: { [unowned self] number in tables[number].rowOrigins }
    )
    try startReports()
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
    let rules = Dictionary(records.declared.map { ($0.field.name, $0) }) { first, _ in first }
    let declared = columns.columns.enumerated().map { number, column in
      if number == 0 { return Self.declaration(ofID: column, use) }
      guard let rule = rules[columns.fields[number - 1]] else { return column.declaration }
      // A column that is not copied is empty.
      let isCopied = use.map { $0.needsAll || $0.columns.contains(number) } ?? false
      return column.declaration + (rule.isRequired && isCopied ? " NOT NULL" : "")
        + (rule.defaultValue.map { " DEFAULT (\($0)\n)" } ?? "")
    }.joined(separator: ", ")
    let declaration = "CREATE TABLE \(SQLName.quoted(name))(\(declared))"
    try database.declare(declaration)
    let root = try schema().first { $0.name == name }?.root ?? 0
    return Table(records, columns, name: name, root: root, declaration: declaration, use: use)
  }

  /// The declaration of the key.
  ///
  /// With `AUTOINCREMENT`, an ID that SQLite gives is above those of the rows that a script has removed.
  private static func declaration(ofID column: Column, _ use: ScriptUse.Table?) -> String {
    guard column.kind.isRowNumber else { return "\(column.declaration) PRIMARY KEY NOT NULL" }
    return
      "\(SQLName.quoted(column.name)) INTEGER PRIMARY KEY\(use?.addsRows ?? false ? " AUTOINCREMENT" : "")"
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
    let required = try used.enumerated().compactMap { index, column in
      try RequiredColumn(column, of: table, in: database).map { (index, $0) }
    }
    let next = try table.records.start()
    do {
      try connection.transaction {
        while let entity = try next() {
          reader.move(to: entity)
          for (index, column) in used.enumerated() { values[index] = try reader.value(column) }
          for (index, column) in required where values[index] == .null {
            values[index] = try column.value(for: entity)
          }
          try insert.start(values)
          _ = try insert.next()
        }
        insert.reset()
        if use.addsRows, table.hasRowNumbers { try startNumbers(of: table) }
      }
      // Without it, a subquery that looks up the rows that refer to one goes through all of them.
      for (number, field) in columns.fields.enumerated()
      where use.searched.contains(number + 1) && table.records.refers(field) {
        try createIndex(of: number + 1, in: table)
      }
    } catch let error as SQLiteError where error.path == connection.path {
      if error.code.primary == .constraint, case .some(let id) = values.first {
        throw EntityTableError.sameID(table: table.records.table, id: id.json)
      }
      throw error.code.primary == .full
        ? EntityTableError.temporaryDiskFull : .temporaryFile("\(error)")
    }
  }

  /// Lets SQLite give IDs above all that the table has had.
  private func startNumbers(of table: Table) throws {
    guard let highest = try table.records.highestNumber(), highest > 0 else { return }
    let name = Value.text(table.name)
    try connection.run("DELETE FROM main.sqlite_sequence WHERE name = ?", [name])
    try connection.run("INSERT INTO main.sqlite_sequence VALUES (?, ?)", [name, .integer(highest)])
  }

  /// A copied column that a script has declared NOT NULL.
  private struct RequiredColumn {
    private let name: String
    private let defaultValue: RowCursor?

    /// Nil for one that may be empty.
    init?(_ column: Int, of table: Table, in database: ScriptDatabase) throws {
      guard column > 0, case let field = table.columns.fields[column - 1],
        let rule = table.records.declared.first(where: { $0.field.name == field }), rule.isRequired
      else { return nil }
      name = field
      defaultValue = try rule.defaultValue.map { try database.expression($0) }
    }

    /// The value for an entity that has none, as a program has written it: the DEFAULT.
    func value(for entity: StoredEntity) throws -> Value {
      guard let defaultValue else {
        throw EntityTableError.emptyRequired(
          table: entity.table,
          id: EncodedID.text(of: entity.id),
          column: name
        )
      }
      try defaultValue.start()
      defer { defaultValue.reset() }
      guard try defaultValue.next() else { return .null }
      return try defaultValue.withRow { row throws(SQLiteError) in try row.value(0) }
    }
  }

  private func createIndex(of column: Int, in table: Table) throws(SQLiteError) {
    let name = "index of column \(column) of \(table.name)"
    ownIndexes.insert(name)
    let index = SQLName.quoted(name)
    let column = SQLName.quoted(table.columns.columns[column].name)
    try connection.execute("CREATE INDEX \(index) ON \(SQLName.quoted(table.name))(\(column))")
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
    try run(script, .running, within: timeLimit) { _ in
      for table in tables {
        if let failure = table.rowOrigins?.failure { throw failure }
      }
    }
  }

  /// Runs them for a purpose, with a closure after each statement, when its changes to columns are known.
  func run(
    _ script: String,
    _ purpose: ScriptDatabase.Purpose,
    within limit: Duration,
    _ body: ([StatementAction]) throws -> Void
  ) throws {
    var isSuspended = false
    try database.run(
      script,
      purpose,
      within: limit,
      before: { actions in
        // SQLite takes the table of a trigger for a temporary one of its name, which it renames.
        guard actions.contains(.alterTemporary) else { return }
        isSuspended = true
        for table in tables { try table.rowOrigins?.stop(in: connection) }
      }
    ) { actions in
      try body(actions)
      try followColumns()
      if isSuspended { try startReports() }
      isSuspended = false
    }
  }

  /// Lets SQLite report the rows that get other numbers.
  private func startReports() throws(SQLiteError) {
    for table in tables where !table.isDropped && table.hasRowNumbers {
      guard table.use?.setsIDs ?? false else { continue }
      let id = table.names.first { table.origins[$0]?.number == 0 }
      if let id { try table.rowOrigins?.start(on: table.nameNow, id: id, in: connection) }
    }
  }

  func schema() throws -> [(name: String, root: Int64)] {
    try connection.all(
      "SELECT name, rootpage FROM main.sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
    ) { row in (try row.text(0), try row.int(1)) }
  }

  /// A column as SQLite describes it.
  struct Declared {
    let name: String
    let type: String
    /// Whether it is NOT NULL.
    let isRequired: Bool
    /// Its DEFAULT, as it is written; nil for none.
    let defaultValue: String?
  }

  /// The tables to whose IDs columns of a table refer, by the names of the columns.
  func references(of table: String) throws -> [String: String] {
    let keys = try connection.all(
      """
      SELECT min("from"), min("table"), min("to") FROM pragma_foreign_key_list(?, 'main')
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
      SELECT name, type, "notnull", dflt_value FROM pragma_table_xinfo(?, 'main')
        WHERE hidden <> 1 ORDER BY cid
      """,
      [.text(table)]
    ) { row in
      Declared(
        name: try row.text(0),
        type: try row.text(1),
        isRequired: try row.int(2) != 0,
        defaultValue: try row.optionalText(3).map(Self.quotedDefault)
      )
    }
  }

  /// A DEFAULT that may stand in parentheses: SQLite takes a name there for a text, as in `DEFAULT active`.
  private static func quotedDefault(_ text: String) -> String {
    let isName =
      text.utf8.allSatisfy { (48...57).contains($0) || (65...90).contains($0 & 0xDF) || $0 == 95 }
      && !(48...57).contains(text.utf8.first ?? 48)
    let isValue = ["NULL", "TRUE", "FALSE"].contains(text.uppercased())
    return isName && !isValue && !text.uppercased().hasPrefix("CURRENT_") ? "'\(text)'" : text
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
