import StrataColumns
import StrataSQL
import StrataSQLite

/// Entity tables as ordinary tables of plain SQLite, which know nothing of Strata.
///
/// An ID of a signed kind, or of an unsigned one of up to 32 bits, is `INTEGER PRIMARY KEY AUTOINCREMENT`, so that the
/// IDs that SQLite gives are above all that tables of its name have had when a script ended. Any other ID is a unique, not
/// null key.
struct PlainTables {
  /// Why a script failed.
  struct Failure: Error, Equatable {
    let sql: String
    let message: String
  }

  private(set) var contents: PlainContents
  /// The tables before the first script, and what each of them is called now; nil for one that is gone.
  private(set) var names: [String: String?] = [:]
  /// The highest IDs that tables of a name, or of one that they had, have had when a script ended.
  private var highestIDs: [String: Int64] = [:]
  private var connection: Connection
  private var hasRun = false

  /// Fills tables from the export of a store.
  init(exported path: String) throws {
    let file = try Connection(path: path, mode: .readOnly)
    defer { do { try file.close() } catch _ {} }
    contents = try Self.contents(of: file)
    connection = try Connection.inMemory()
    try ColumnKind.addCollations(to: connection)
    for table in contents.tables { names[table.name] = table.name }
    noteIDs(names)
    try declare([:])
  }

  /// What a column keeps for the next script.
  private struct Kept {
    var isRequired = false
    var defaultValue: String?
  }

  /// Makes the tables anew, as the next script finds them: without checks, indexes, views and triggers.
  private mutating func declare(_ kept: [String: [String: Kept]]) throws {
    let new = try Connection.inMemory()
    try ColumnKind.addCollations(to: new)
    try new.takeQuotedWordsAsNames()
    try new.allowTriggersAndViews()
    for table in contents.tables {
      let columns = table.columns.indices.map { number in
        let column = table.columns[number]
        let name = SQLName.quoted(column.name)
        let type = ColumnKind(declaration: column.type)?.declaration ?? column.type
        if number == table.id {
          return isInteger(column.type)
            ? "\(name) INTEGER PRIMARY KEY AUTOINCREMENT" : "\(name) \(type) NOT NULL PRIMARY KEY"
        }
        let kept = kept[table.name]?[column.name]
        return "\(name) \(type)" + (kept?.isRequired == true ? " NOT NULL" : "")
          + (kept?.defaultValue.map { " DEFAULT \($0)" } ?? "")
      }
      let name = SQLName.quoted(table.name)
      try new.execute("CREATE TABLE \(name)(\(columns.joined(separator: ", ")))")
      let marks = table.columns.map { _ in "?" }.joined(separator: ", ")
      for row in table.rows { try new.run("INSERT INTO \(name) VALUES (\(marks))", row) }
    }
    for table in contents.tables {
      guard let number = highestIDs[table.name], number > 0, let id = table.id,
        isInteger(table.columns[id].type)
      else { continue }
      let table = table.name
      try new.run("DELETE FROM sqlite_sequence WHERE name = ?", .text(table))
      try new.run("INSERT INTO sqlite_sequence VALUES (?, ?)", .text(table), .integer(number))
    }
    connection = new
  }

  private func isInteger(_ type: String) -> Bool {
    switch ColumnKind(declaration: type) {
    case .int8, .int16, .int32, .int64, .uint8, .uint16, .uint32: true
    default: false
    }
  }

  /// Runs a script; after an error the tables are of no further use.
  mutating func run(_ script: [ScriptStatement]) throws {
    if hasRun { try declareAgain() }
    hasRun = true
    try connection.execute("BEGIN")
    var roots = try Self.roots(of: connection)
    var current: [String: String?] = Dictionary(uniqueKeysWithValues: roots.keys.map { ($0, $0) })
    for statement in script {
      do {
        try connection.forEachStatement(of: statement.sql) { cursor, _, _ in
          while try cursor.next() {}
          cursor.reset()
        }
      } catch let error as SQLiteError {
        throw Failure(sql: statement.sql, message: error.message)
      }
      let after = try Self.roots(of: connection)
      if after != roots {
        Self.follow(&names, from: roots, to: after)
        Self.follow(&current, from: roots, to: after)
        roots = after
      }
    }
    contents = try Self.contents(of: connection)
    noteIDs(current)
  }

  /// Notes what a statement has made of the names of tables.
  private static func follow(
    _ names: inout [String: String?],
    from before: [String: Int64],
    to after: [String: Int64]
  ) {
    for (table, name) in names {
      guard let name, let root = before[name] else { continue }
      names[table] = .some(after.first { $0.value == root }?.key)
    }
  }

  /// Makes the tables for the next script; the first one may have left two rows with one ID, which are no records.
  private mutating func declareAgain() throws {
    do {
      try declare(try kept())
    } catch let error as SQLiteError where error.code.primary == .constraint {
      throw Failure(sql: error.sql ?? "", message: error.message)
    }
  }

  /// DEFAULT and NOT NULL, which stay when a script ends.
  private func kept() throws -> [String: [String: Kept]] {
    var kept: [String: [String: Kept]] = [:]
    for table in contents.tables {
      let columns = try connection.all(
        #"SELECT name, "notnull", dflt_value FROM pragma_table_info(?, 'main')"#,
        [.text(table.name)]
      ) { row in (try row.text(0), try row.int(1) != 0, try row.optionalText(2)) }
      for (name, isRequired, value) in columns {
        kept[table.name, default: [:]][name] = Kept(isRequired: isRequired, defaultValue: value)
      }
    }
    return kept
  }

  /// Notes the IDs that there are when a script has ended, with the names that tables had when it started.
  private mutating func noteIDs(_ current: [String: String?]) {
    let before = highestIDs
    for table in contents.tables {
      let ids = table.rows.compactMap { row -> Int64? in
        if let id = table.id, case .integer(let number) = row[id] { number } else { nil }
      }
      let names = Set(current.filter { $0.value == table.name }.keys).union([table.name])
      highestIDs[table.name] = (ids + names.compactMap { before[$0] }).max()
    }
  }

  private static func roots(of connection: Connection) throws -> [String: Int64] {
    let tables = try connection.all(
      "SELECT name, rootpage FROM sqlite_schema WHERE type = 'table'"
    ) { row in (try row.text(0), try row.int(1)) }
    return Dictionary(tables) { first, _ in first }
  }

  private static func contents(of connection: Connection) throws -> PlainContents {
    let names = try connection.all(
      #"""
      SELECT name FROM main.sqlite_schema
        WHERE type = 'table' AND name NOT LIKE 'sqlite\_%' ESCAPE '\' ORDER BY name
      """#
    ) { row in try row.text(0) }
    return PlainContents(
      tables: try names.map { name in
        let columns = try connection.all(
          "SELECT name, type, pk FROM pragma_table_xinfo(?, 'main') ORDER BY cid",
          [.text(name)]
        ) { row in
          PlainContents.Column(
            name: try row.text(0),
            type: try row.text(1).replacing(" GENERATED ALWAYS", with: ""),
            isKey: try row.int(2) == 1
          )
        }
        let list = columns.map { SQLName.quoted($0.name) }.joined(separator: ", ")
        let rows = try connection.all("SELECT \(list) FROM main.\(SQLName.quoted(name))") { row in
          var values: [Value] = []
          for column in 0..<row.count { values.append(try row.value(column)) }
          return values
        }
        return PlainContents.Table(name: name, columns: columns, rows: rows)
      }
    )
  }
}
