import Foundation
import StrataBase
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
  fileprivate final class Table {
    let records: EntityRecords
    let columns: EntityColumns
    let root: Int64
    /// The columns as they are now, in order, and where each came from.
    var names: [String]
    var origins: [String: ColumnOrigin]

    init(_ records: EntityRecords, _ columns: EntityColumns, root: Int64) {
      self.records = records
      self.columns = columns
      self.root = root
      names = columns.columns.map(\.name)
      origins = [:]
      for (number, column) in columns.columns.enumerated() {
        origins[column.name] = ColumnOrigin(number, columns, records)
      }
    }
  }

  private let connection: Connection
  private let side: Connection
  private var tables: [Table] = []
  private let gate = Gate()

  /// What the authorizer looks at.
  private final class Gate {
    var isOpen = true
    var refused: String?
  }

  /// Copies tables; O(records).
  package init(_ sources: [EntityRecords]) throws {
    connection = try .temporary(cacheBytes: 16 << 20)
    side = try .temporary(cacheBytes: 8 << 20)
    try connection.setTemporaryFiles(cacheBytes: 16 << 20)
    let gate = gate
    try connection.setAuthorizer { action in
      if gate.isOpen { return true }
      switch action {
      case .function(let name) where name.lowercased() == "load_extension":
        gate.refused = "\(name)()"
      case .other(let name)
      where ["ATTACH", "DETACH", "PRAGMA", "CREATE VIRTUAL TABLE", "a transaction", "SAVEPOINT"]
        .contains(name):
        gate.refused = name
      default: return true
      }
      return false
    }
    for source in sources { tables.append(try copy(source)) }
  }

  private func copy(_ records: EntityRecords) throws -> Table {
    var names = UniqueNames()
    let columns = EntityColumns(records.ordered, names: &names)
    let name = SQLName.quoted(records.table)
    let declared = columns.columns.map(\.declaration).joined(separator: ", ")
    try connection.execute("CREATE TABLE \(name)(\(declared))")
    let marks = columns.columns.map { _ in "?" }.joined(separator: ", ")
    let insert = try connection.cursor("INSERT INTO \(name) VALUES (\(marks))")
    var reader = EntityReader(columns, used: columns.columns.indices) { try records.layout($0) }
    var values = [Value](repeating: .null, count: columns.columns.count)
    let next = try records.start()
    try connection.transaction {
      while let entity = try next() {
        reader.move(to: entity)
        for index in values.indices { values[index] = try reader.value(index) }
        try insert.start(values)
        _ = try insert.next()
      }
      insert.reset()
    }
    let root = try schema().first { $0.name == records.table }?.root ?? 0
    return Table(records, columns, root: root)
  }

  /// Runs the statements of a script.
  ///
  /// - Throws: `EntityTableError`. The tables are then of no further use.
  package func run(_ script: String, timeLimit: Duration = .seconds(600)) throws {
    let end = ContinuousClock.now + timeLimit
    try connection.setInterruption { ContinuousClock.now >= end }
    defer { gate.isOpen = true }
    gate.isOpen = false
    gate.refused = nil
    do {
      try connection.forEachStatement(of: script) { statement, _ in
        while try statement.next() {}
        statement.reset()
        guard !statement.isReadOnly else { return }
        gate.isOpen = true
        try followColumns()
        gate.isOpen = false
      }
      gate.isOpen = true
      try connection.setInterruption(nil)
    } catch let error as SQLiteError {
      if let refused = gate.refused { throw EntityTableError.refused(refused) }
      if error.code.primary == .interrupt { throw EntityTableError.timeLimit(timeLimit) }
      throw EntityTableError.statement(error.sql ?? script, message: error.message)
    }
  }

  private func schema() throws -> [(name: String, root: Int64)] {
    try connection.all(
      "SELECT name, rootpage FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
    ) { row in (try row.text(0), try row.int(1)) }
  }

  private func columns(of table: String) throws -> [(name: String, type: String)] {
    try connection.all("SELECT name, type FROM pragma_table_info(?) ORDER BY cid", [.text(table)]) {
      row in (try row.text(0), try row.text(1))
    }
  }

  /// Finds which columns a statement has renamed or dropped.
  ///
  /// SQLite keeps the order of columns, so a name that differs alone at its place is a new name.
  private func followColumns() throws {
    let schema = try schema()
    for table in tables {
      guard let name = schema.first(where: { $0.root == table.root })?.name else { continue }
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

extension EntityTables {
  /// A table as SQL has left it.
  private struct Result {
    let name: String
    let columns: [(name: String, kind: ColumnKind, origin: ColumnOrigin?)]
    let id: Int
    /// The table whose rows these are, or which had its name.
    let table: Table?
    /// Whether rows are those that were copied.
    let keepsRows: Bool
    /// The name by which SQLite knows the number of a row.
    let row: String
  }

  /// Calls a closure with each entity that differs from what was copied, in the order of tables and IDs.
  ///
  /// O(rows), and a comparison of each with its record.
  ///
  /// - Throws: `EntityTableError` for what cannot be stored, and the closure's error.
  package func forEachChange(_ body: (EntityChange) throws -> Void) throws {
    let schema = try schema()
    var results: [String: Result] = [:]
    for (name, root) in schema { results[name] = try result(name, root) }
    let names = Set(schema.map(\.name)).union(tables.map(\.records.table))
    for name in names.sorted(by: { $0.utf8.lexicographicallyPrecedes($1.utf8) }) {
      let before = tables.first { $0.records.table == name }
      try compare(name, before, results[name], body)
    }
  }

  private func result(_ name: String, _ root: Int64) throws -> Result {
    let owner = tables.first { $0.root == root }
    let table = owner ?? tables.first { $0.records.table == name }
    let declared = try columns(of: name)
    var columns: [(name: String, kind: ColumnKind, origin: ColumnOrigin?)] = []
    for (column, type) in declared {
      var origin = table?.origins[column]
      if owner == nil, let table {
        let original = table.columns.columns.firstIndex { $0.name == column }
        origin = original.map { ColumnOrigin($0, table.columns, table.records) }
      }
      let kind = ColumnKind(declaration: type)
      if let origin, owner != nil || Self.isUnspecific(type, origin.kind) {
        columns.append((column, origin.kind, origin))
      } else if let kind {
        columns.append((column, kind, origin))
      } else {
        throw EntityTableError.unknownType(table: name, column: column, type: type)
      }
    }
    guard
      let id = columns.firstIndex(where: { $0.origin.map { $0.number == 0 } ?? ($0.name == "id") })
    else { throw EntityTableError.noID(table: name) }
    let taken = Set(declared.map { $0.name.lowercased() })
    let row = ["rowid", "_rowid_", "oid"].first { !taken.contains($0) } ?? "rowid"
    do {
      _ = try connection.first("SELECT \(row) FROM \(SQLName.quoted(name))") { try $0.int(0) }
    } catch is SQLiteError {
      throw EntityTableError.withoutRowID(table: name)
    }
    return Result(
      name: name,
      columns: columns,
      id: id,
      table: table,
      keepsRows: owner != nil,
      row: row
    )
  }

  /// Whether a type says only how SQLite stores a column, as those of CREATE TABLE … AS do.
  private static func isUnspecific(_ type: String, _ kind: ColumnKind) -> Bool {
    ["", "INT", "TEXT", "NUM", "REAL", "BLOB"].contains(type.uppercased())
      || ColumnKind(declaration: type) == kind
  }

  /// Compares a table with the one that had its name, in the order of IDs.
  private func compare(
    _ name: String,
    _ before: Table?,
    _ result: Result?,
    _ body: (EntityChange) throws -> Void
  ) throws {
    if let result { try sortRows(of: result) }
    defer { do { try side.execute("DROP TABLE IF EXISTS row") } catch _ {} }
    let after = try result.map { _ in
      try side.cursor("SELECT id, number, layout, record FROM row ORDER BY id")
    }
    var writer = try result.map { result in
      try RowWriter(
        result.name,
        result.columns.map { RowWriter.Column(name: $0.name, kind: $0.kind, origin: $0.origin) },
        id: result.id,
        from: result.table.map { ($0.records, $0.columns) },
        try connection.cursor(
          """
          SELECT \(result.columns.map { SQLName.quoted($0.name) }.joined(separator: ", "))
            FROM \(SQLName.quoted(result.name)) WHERE \(result.row) = ?
          """
        )
      )
    }
    let next = try before?.records.start() ?? { nil }
    var old = try next()
    var new = try after.map(Self.row) ?? nil
    while old != nil || new != nil {
      if let found = old, new.map({ Self.precedes(found.id, $0.id[...]) }) ?? true {
        try body(EntityChange(table: name, id: Array(found.id), change: .remove))
        old = try next()
        continue
      }
      guard let row = new, let after else { break }
      let isThere = old.map { $0.id == row.id[...] } ?? false
      // A row whose ID has changed brings the record that it came from.
      let origin = row.origin ?? (isThere ? old.map { ($0.layout, Array($0.record)) } : nil)
      let change = try writer?.change(
        of: row.number,
        id: row.id,
        from: origin,
        hasMoved: row.origin != nil || !isThere
      )
      if let change { try body(EntityChange(table: name, id: row.id, change: change)) }
      if isThere { old = try next() }
      new = try Self.row(after)
    }
  }

  private typealias SortedRow = (
    id: [UInt8], number: Int64, origin: (layout: Int64, record: [UInt8])?
  )

  private static func row(_ cursor: RowCursor) throws -> SortedRow? {
    guard try cursor.next() else { return nil }
    return try cursor.withRow { row throws(SQLiteError) in
      let origin: (Int64, [UInt8])? =
        try row.isNull(2) ? nil : (try row.int(2), try row.blob(3))
      return (try row.blob(0), try row.int(1), origin)
    }
  }

  private static func precedes(_ a: ArraySlice<UInt8>, _ b: ArraySlice<UInt8>) -> Bool {
    a.lexicographicallyPrecedes(b)
  }

  /// Notes the encoded ID of each row, and the record that a row with a changed ID came from.
  private func sortRows(of result: Result) throws {
    try side.execute(
      """
      CREATE TABLE row(id BLOB PRIMARY KEY, number INTEGER, layout INTEGER, record BLOB) WITHOUT ROWID
      """
    )
    let insert = try side.cursor("INSERT INTO row VALUES (?, ?, ?, ?)")
    let id = SQLName.quoted(result.columns[result.id].name)
    let rows = try connection.cursor(
      "SELECT \(result.row), \(id) FROM \(SQLName.quoted(result.name)) ORDER BY \(result.row)"
    )
    let kind = result.columns[result.id].kind
    let next = result.keepsRows ? try result.table?.records.start() : nil
    var number: Int64 = 0
    var entity: StoredEntity?
    try side.execute("BEGIN")
    while try rows.next() {
      let (row, value) = try rows.withRow { row throws(SQLiteError) in
        (try row.int(0), try row.value(1))
      }
      // Rows were copied in this order, and those that SQL adds have higher numbers.
      while number < row, let next {
        entity = try next()
        number = entity == nil ? .max : number + 1
      }
      let origin = number == row ? entity : nil
      var values: [Value]
      if let origin, try ColumnValue.value(ofID: origin.id, of: kind) == value {
        values = [.blob(Array(origin.id)), .integer(row), .null, .null]
      } else {
        let encoded = try Self.encode(id: value, kind, result.name)
        values = [.blob(encoded), .integer(row), .null, .null]
        if let origin {
          values[2] = .integer(origin.layout)
          values[3] = .blob(Array(origin.record))
        }
      }
      guard try Self.isAdded(values, by: insert) else {
        throw EntityTableError.sameID(table: result.name, id: "\(value)")
      }
    }
    insert.reset()
    try side.execute("COMMIT")
  }

  /// Adds a row; false if there is one with its ID.
  private static func isAdded(
    _ values: [Value],
    by insert: RowCursor
  ) throws(SQLiteError) -> Bool {
    do throws(SQLiteError) {
      try insert.start(values)
      _ = try insert.next()
      return true
    } catch {
      guard error.code.primary == .constraint else { throw error }
      return false
    }
  }

  private static func encode(
    id value: Value,
    _ kind: ColumnKind,
    _ table: String
  ) throws -> [UInt8] {
    let natural: RecordValue
    switch value {
    case .null: throw EntityTableError.badID(table: table, value: "NULL")
    default: natural = RowWriter.natural(value)
    }
    guard let scalar = kind.scalar else {
      if kind == .any { return EncodedID.bytes(of: natural) }
      guard case .string(let text) = natural, let json = JSONReader.value(text) else {
        throw EntityTableError.badID(table: table, value: "\(value)")
      }
      return EncodedID.bytes(of: json)
    }
    guard let stored = scalar.stored(natural) else {
      throw EntityTableError.badID(table: table, value: "\(value)")
    }
    return EncodedID.bytes(of: stored)
  }
}
