import Foundation
import StrataBase
package import StrataRecords
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
    /// What of it was copied; nil for nothing.
    let use: ScriptUse.Table?
    /// The number of rows that were copied.
    var count: Int64 = 0
    /// Whether the rows are noted that scripts remove.
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

  private let database: ScriptDatabase
  private let side: Connection
  private var tables: [Table] = []
  private var connection: Connection { database.connection }

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
    let columns = EntityColumns(records.ordered, names: &names, hiding: records.hidden)
    let declared = columns.columns.map(\.declaration).joined(separator: ", ")
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
      // Without it, a subquery that looks a row up by its ID goes through all of them.
      if use.columns.contains(0) || use.needsAll {
        let index = SQLName.quoted("index of IDs of \(table.name)")
        try connection.execute(
          "CREATE INDEX \(index) ON \(name)(\(SQLName.quoted(columns.columns[0].name)))"
        )
      }
    } catch let error as SQLiteError where error.path == connection.path {
      throw error.code.primary == .full
        ? EntityTableError.temporaryDiskFull : .temporaryFile("\(error)")
    }
  }

  /// Notes which rows are removed, as SQLite gives their numbers to other rows.
  private func noteRemovedRows(of table: Table) throws(SQLiteError) {
    let row = Self.rowNumber(besides: table.names)
    let origin = "\(table.root)"
    try connection.execute(
      """
      CREATE TEMP TABLE IF NOT EXISTS "removed rows"(root INTEGER, number INTEGER);
      CREATE TEMP TRIGGER \(SQLName.quoted("removal from \(table.name)"))
        AFTER DELETE ON main.\(SQLName.quoted(table.name)) WHEN old.\(row) <= \(table.count)
        BEGIN INSERT INTO "removed rows" VALUES (\(origin), old.\(row)); END
      """
    )
    table.notesRemovedRows = true
  }

  private func removedRows(of table: Table) throws -> Set<Int64> {
    guard table.notesRemovedRows else { return [] }
    return Set(
      try connection.all(
        #"SELECT number FROM temp."removed rows" WHERE root = ?"#,
        [.integer(table.root)]
      ) { try $0.int(0) }
    )
  }

  /// The name by which SQLite knows the number of a row, in a table with these columns.
  private static func rowNumber(besides columns: [String]) -> String {
    let taken = Set(columns.map { $0.lowercased() })
    return ["rowid", "_rowid_", "oid"].first { !taken.contains($0) } ?? "rowid"
  }

  /// What a script and its checks use, and the sources for it; O(statements).
  ///
  /// They are compiled over empty tables. Only statements that change the schema run there. A table without records,
  /// or a field without values, is left out of the sources if the script gives its name to a new one.
  ///
  /// - Throws: `EntityTableError` for a text that SQLite does not compile.
  package static func use(
    checkedBefore before: [String],
    of script: String,
    checkedAfter after: [String],
    on sources: [EntityRecords],
    within limit: Duration
  ) throws -> (use: ScriptUse, sources: [EntityRecords]) {
    var sources = sources
    while true {
      do {
        let use = try use(before, script, after, sources, within: limit)
        return (use, sources)
      } catch let error as EntityTableError {
        guard try leaveOut(error, of: &sources) else { throw error }
      }
    }
  }

  /// Leaves out what an error says is there already, if nothing would be lost; false if there is no such thing.
  private static func leaveOut(
    _ error: EntityTableError,
    of sources: inout [EntityRecords]
  ) throws -> Bool {
    guard case .statement(let sql, _, let message) = error else { return false }
    if let range = message.range(of: "duplicate column name: ") {
      let column = message[range.upperBound...].lowercased()
      let words = sql.replacing("\"", with: " ").split { $0.isWhitespace || $0 == "(" }
      guard let index = words.firstIndex(where: { $0.uppercased() == "TABLE" }),
        words.indices.contains(index + 1),
        let place = sources.firstIndex(where: {
          $0.table.lowercased() == words[index + 1].lowercased()
        })
      else { return false }
      let names = Set(sources[place].ordered.flatMap { $0.fields.map(\.name) })
        .filter { $0.lowercased() == column }.subtracting(sources[place].hidden)
      let unused = try sources[place].fields(withoutValues: names)
      sources[place].hidden.formUnion(unused)
      return !unused.isEmpty
    }
    let place = try sources.firstIndex { source in
      let name = source.table
      return try [
        "table \(name) already exists", "table \"\(name)\" already exists",
        "there is already another table or index with this name: \(name)",
      ].contains { message.lowercased() == $0.lowercased() } && source.isEmpty
    }
    guard let place else { return false }
    sources.remove(at: place)
    return true
  }

  private static func use(
    _ before: [String],
    _ script: String,
    _ after: [String],
    _ sources: [EntityRecords],
    within limit: Duration
  ) throws -> ScriptUse {
    let empty = sources.map { source in
      EntityRecords(source.table, layouts: source.layouts, hiding: source.hidden) { { nil } }
    }
    let tables = try EntityTables(empty)
    var use = ScriptUse()
    for check in before {
      _ = try tables.database.value(of: check, within: limit) { tables.add($0, to: &use) }
    }
    try tables.database.run(script, .learning, within: limit) { actions in
      tables.add(actions, to: &use)
      try tables.followColumns()
    }
    for check in after {
      _ = try tables.database.value(of: check, within: limit) { tables.add($0, to: &use) }
    }
    for table in tables.tables where use.tables[table.records.table] != nil {
      if try tables.hasComputedColumns(table) {
        use.tables[table.records.table]?.needsAll = true
      }
    }
    return use
  }

  /// Adds what one statement uses, by the names that tables and columns have before it has run.
  private func add(_ actions: [StatementAction], to use: inout ScriptUse) {
    func update(_ name: String, _ body: (Table, inout ScriptUse.Table) -> Void) {
      let table = tables.first { !$0.isDropped && $0.nameNow.lowercased() == name.lowercased() }
      guard let table else { return }
      body(table, &use.tables[table.records.table, default: ScriptUse.Table()])
    }
    for action in actions {
      switch action {
      case .function(let name): use.functions.insert(name.lowercased())
      case .read(let name, let column):
        update(name) { table, use in
          if let number = table.origins[column]?.number { use.columns.insert(number) }
        }
      case .update(let name, let column):
        update(name) { table, use in
          let number = table.origins[column]?.number
          if let number { use.columns.insert(number) }
          if number == 0 { use.setsIDs = true }
          if number == nil, !table.names.contains(column) { use.setsNumbers = true }
        }
      case .change(let kind, let name):
        update(name) { _, use in
          if kind == "INSERT" { use.addsRows = true } else { use.removesRows = true }
        }
      case .alter(let name): update(name) { _, _ in }
      case .index(let name): update(name) { _, use in use.needsAll = true }
      case .select, .recursion, .other: break
      }
    }
  }

  /// Whether a table has columns that are computed from others, which SQLite does not report.
  private func hasComputedColumns(_ table: Table) throws -> Bool {
    guard !table.isDropped else { return false }
    let hidden = try connection.first(
      "SELECT max(hidden) FROM pragma_table_xinfo(?)",
      [.text(table.nameNow)]
    ) { try $0.int(0) }
    return hidden ?? 0 > 0
  }

  /// Runs the statements of a script.
  ///
  /// - Throws: `EntityTableError`. The tables are then of no further use.
  package func run(_ script: String, timeLimit: Duration = .seconds(600)) throws {
    try database.run(script, within: timeLimit) { _ in try followColumns() }
  }

  /// The first value that a SELECT gives; nil without a row.
  ///
  /// - Throws: `EntityTableError`. The tables are then of no further use.
  package func value(of check: String, timeLimit: Duration = .seconds(600)) throws -> Value? {
    try database.value(of: check, within: timeLimit)
  }

  private func schema() throws -> [(name: String, root: Int64)] {
    try connection.all(
      "SELECT name, rootpage FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
    ) { row in (try row.text(0), try row.int(1)) }
  }

  /// A column as SQLite describes it.
  private struct Declared {
    let name: String
    let type: String
    /// Whether it is NOT NULL and has no default.
    let isRequired: Bool
  }

  private func columns(of table: String) throws -> [Declared] {
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
  /// SQLite keeps the order of columns, so a name that differs alone at its place is a new name.
  private func followColumns() throws {
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

extension EntityTables {
  /// A table as SQL has left it.
  private struct Result {
    /// Its name in SQL, and the one to store it under.
    let name: String
    let storedName: String
    let columns: [RowWriter.Column]
    /// Columns that were added, must have a value, and have no default.
    let required: [String]
    let id: Int
    /// The table whose rows these are, or which had its name.
    let table: Table?
    /// Whether rows are those that were copied.
    let keepsRows: Bool
    /// The name by which SQLite knows the number of a row.
    let row: String

    var columnList: String { columns.map { SQLName.quoted($0.name) }.joined(separator: ", ") }

    /// Whether these are the rows of a table of another name.
    var isRenamed: Bool { keepsRows && table?.name != name }
  }

  /// What scripts have done to tables as such.
  package struct Shape {
    /// Tables that have another name.
    ///
    /// Where the name is one of another table of the store, the records are removed and put instead.
    package fileprivate(set) var renamed: [(from: String, to: String)] = []
    /// Tables that are new.
    package fileprivate(set) var created: [String] = []
    /// The layouts for further records of tables whose columns were renamed, dropped or changed.
    package fileprivate(set) var layouts: [(table: String, layout: Layout)] = []
    /// Fields whose columns have other names, by the names before.
    package fileprivate(set) var renamedFields: [(table: String, field: String)] = []
    /// Columns that were added as NOT NULL without a default.
    package fileprivate(set) var required: [(table: String, column: String)] = []
  }

  /// What scripts have done to tables as such; O(tables and columns).
  ///
  /// - Throws: `EntityTableError` for what cannot be stored.
  package func shape() throws -> Shape {
    var shape = Shape()
    for result in try results().values.sorted(by: { $0.storedName < $1.storedName }) {
      for column in result.required { shape.required.append((result.storedName, column)) }
      if let layout = try RowWriter.newLayout(of: result.columns, from: result.table) {
        shape.layouts.append((result.storedName, layout))
      }
      for column in result.columns where column.isRenamed {
        guard let field = column.origin?.field else { continue }
        shape.renamedFields.append((result.storedName, field))
      }
      if let origin = renamed(result) {
        shape.renamed.append((origin.records.table, result.storedName))
      } else if !tables.contains(where: { $0.records.table == result.storedName }) {
        shape.created.append(result.storedName)
      }
    }
    return shape
  }

  /// The table of which a table is all there is, under another name.
  private func renamed(_ result: Result) -> Table? {
    guard result.isRenamed, !tables.contains(where: { $0.records.table == result.storedName })
    else { return nil }
    return result.table
  }

  /// The tables that scripts may have changed, by the names to store them under.
  private func results() throws -> [String: Result] {
    var results: [String: Result] = [:]
    for (name, root) in try schema() {
      let isUnused = tables.contains { $0.root == root && !$0.isDropped && $0.use == nil }
      guard !isUnused else { continue }
      let result = try result(name, root)
      results[result.storedName] = result
    }
    return results
  }

  /// Calls a closure with each entity that differs from what was copied, in the order of tables and IDs.
  ///
  /// O(rows), and a comparison of each with its record. What the closure does to the records of a table may
  /// show in what `EntityRecords` gives: an entity is not asked for again once it was passed.
  ///
  /// - Throws: `EntityTableError` for what cannot be stored, and the closure's error.
  package func forEachChange(_ body: (EntityChange) throws -> Void) throws {
    let results = try results()
    let away = Set(results.values.compactMap { renamed($0)?.records.table })
    let names = Set(results.keys).union(tables.filter { $0.use != nil }.map(\.records.table))
    for name in names.sorted(by: { $0.utf8.lexicographicallyPrecedes($1.utf8) }) {
      let before = tables.first { $0.records.table == name && $0.use != nil }
      try compare(name, before, results[name], isAway: away.contains(name), body)
    }
  }

  private func result(_ name: String, _ root: Int64) throws -> Result {
    let owner = tables.first { $0.root == root && !$0.isDropped }
    let namesake = tables.first { $0.name == name }
    let table = owner ?? namesake
    let declared = try columns(of: name)
    var columns: [RowWriter.Column] = []
    var required: [String] = []
    for column in declared {
      var origin = table?.origins[column.name]
      if owner == nil, let table {
        let original = table.columns.columns.firstIndex { $0.name == column.name }
        origin = original.map { ColumnOrigin($0, table.columns, table.records) }
      }
      if let origin, owner != nil || Self.isUnspecific(column.type, origin.kind) {
        columns.append(
          .init(
            name: column.name,
            kind: origin.kind,
            origin: origin,
            isLoose: owner == nil && column.type.isEmpty
          )
        )
      } else if let kind = ColumnKind(declaration: column.type) {
        columns.append(.init(name: column.name, kind: kind, origin: origin))
      } else {
        throw EntityTableError.unknownType(table: name, column: column.name, type: column.type)
      }
      if table != nil, origin == nil, column.isRequired { required.append(column.name) }
    }
    let id = columns.firstIndex { column in
      column.origin.map { $0.number == 0 } ?? (column.name.lowercased() == "id")
    }
    guard let id else { throw EntityTableError.noID(table: name) }
    let row = Self.rowNumber(besides: declared.map(\.name))
    do {
      _ = try connection.first("SELECT \(row) FROM \(SQLName.quoted(name))") { try $0.int(0) }
    } catch is SQLiteError {
      throw EntityTableError.withoutRowID(table: name)
    }
    return Result(
      name: name,
      storedName: namesake?.records.table ?? name,
      columns: columns,
      required: required,
      id: id,
      table: table,
      keepsRows: owner != nil,
      row: row
    )
  }

  /// Whether a type says only how SQLite stores a column, as those of CREATE TABLE … AS do.
  private static func isUnspecific(_ type: String, _ kind: ColumnKind) -> Bool {
    switch type.uppercased() {
    // An expression, or a column without an affinity.
    case "": true
    case "INT", "NUM": kind.affinity == .integer
    case "REAL": kind.affinity == .real
    case "TEXT": kind.affinity == .text
    default: ColumnKind(declaration: type) == kind
    }
  }

  /// Compares a table with the one that had its name, in the order of IDs.
  ///
  /// - Parameter isAway: Whether the records of the one that had its name are under another name now.
  private func compare(
    _ name: String,
    _ before: Table?,
    _ result: Result?,
    isAway: Bool,
    _ body: (EntityChange) throws -> Void
  ) throws {
    if let result, let before, result.keepsRows, result.table === before, !result.isRenamed,
      before.use?.keepsOrder ?? false
    {
      return try compareInPlace(before, result, body)
    }
    if let result { try sortRows(of: result) }
    defer { do { try side.execute("DROP TABLE IF EXISTS row") } catch _ {} }
    let after = try result.map { _ in
      try side.cursor("SELECT id, number, layout, record, moved, copied FROM row ORDER BY id")
    }
    let moved = try result.map { _ in try side.cursor("SELECT 1 FROM row WHERE moved = ?") }
    var writer = try result.map { try rowWriter(of: $0) }
    let isRenamed = result.map { renamed($0) != nil } ?? false
    let next = try before?.records.start() ?? { nil }
    var old = try next()
    var new = try after.map(Self.row) ?? nil
    while old != nil || new != nil {
      if let found = old, new.map({ Self.precedes(found.id, $0.id[...]) }) ?? true {
        var change = EntityChange(table: name, id: Array(found.id), change: .remove)
        if try isAway || moved.map({ try Self.contains(change.id, $0) }) ?? false {
          change.movement = .away
        }
        // The closure may remove it, so the next one is asked for first.
        old = try next()
        try body(change)
        continue
      }
      guard let row = new, let after else { break }
      let isThere = old.map { $0.id == row.id[...] } ?? false
      // A row whose ID or table has changed brings the record that it came from.
      let origin = row.origin ?? (isThere ? old.map { ($0.layout, $0.record) } : nil)
      let change = try writer?.change(
        toRow: row.number,
        isCopied: row.isCopied,
        id: row.id,
        from: origin,
        hasMoved: row.moved != nil,
        isNew: row.origin != nil || !isThere
      )
      if isThere { old = try next() }
      new = try Self.row(after)
      guard let change else { continue }
      var entity = EntityChange(table: name, id: row.id, change: change)
      if let id = row.moved {
        entity.movement = .from(id)
      } else if isRenamed, let origin = row.origin, case .put(let layout, let record) = change,
        record[...] == origin.record, try result?.table?.records.layout(origin.layout) == layout
      {
        entity.movement = .renamed
      }
      try body(entity)
    }
  }

  /// Compares a table whose rows have the IDs and the order that they were copied with.
  private func compareInPlace(
    _ before: Table,
    _ result: Result,
    _ body: (EntityChange) throws -> Void
  ) throws {
    var writer = try rowWriter(of: result)
    let rows = try connection.cursor(
      """
      SELECT \(result.row), \(result.columnList) FROM \(SQLName.quoted(result.name))
        ORDER BY \(result.row)
      """
    )
    let next = try before.records.start()
    var entity = try next()
    var number: Int64 = 1
    func remove(before row: Int64) throws {
      while number < row, let removed = entity {
        entity = try next()
        number += 1
        try body(EntityChange(table: result.storedName, id: Array(removed.id), change: .remove))
      }
    }
    while try rows.next() {
      let row = try rows.withRow { row throws(SQLiteError) in try row.int(0) }
      try remove(before: row)
      guard let found = entity else { break }
      let change = try writer.change(in: rows, from: 1, of: found)
      entity = try next()
      number += 1
      guard let change else { continue }
      try body(EntityChange(table: result.storedName, id: Array(found.id), change: change))
    }
    try remove(before: .max)
  }

  private func rowWriter(of result: Result) throws -> RowWriter {
    try RowWriter(
      result.storedName,
      result.columns,
      id: result.id,
      from: result.table,
      keepsRows: result.keepsRows,
      try connection.cursor(
        """
        SELECT \(result.columnList) FROM \(SQLName.quoted(result.name)) WHERE \(result.row) = ?
        """
      )
    )
  }

  private static func contains(_ id: [UInt8], _ cursor: RowCursor) throws(SQLiteError) -> Bool {
    try cursor.start([.blob(id)])
    defer { cursor.reset() }
    return try cursor.next()
  }

  /// A row by its encoded ID, with the record that it came from if that was not under this table and ID.
  private struct SortedRow {
    let id: [UInt8]
    let number: Int64
    let isCopied: Bool
    let origin: (layout: Int64, record: ArraySlice<UInt8>)?
    /// The encoded ID that it had, if it has another one now.
    let moved: [UInt8]?
  }

  private static func row(_ cursor: RowCursor) throws -> SortedRow? {
    guard try cursor.next() else { return nil }
    return try cursor.withRow { row throws(SQLiteError) in
      let hasOrigin = try !row.isNull(2)
      return SortedRow(
        id: try row.blob(0),
        number: try row.int(1),
        isCopied: try row.int(5) != 0,
        origin: hasOrigin ? (try row.int(2), try row.blob(3)[...]) : nil,
        moved: try row.optionalBlob(4)
      )
    }
  }

  private static func precedes(_ a: ArraySlice<UInt8>, _ b: ArraySlice<UInt8>) -> Bool {
    a.lexicographicallyPrecedes(b)
  }

  /// Notes the encoded ID of each row, and the record that a row with a changed ID came from.
  private func sortRows(of result: Result) throws {
    try side.execute(
      """
      CREATE TABLE row(
        id BLOB PRIMARY KEY, number INTEGER, layout INTEGER, record BLOB, moved BLOB,
        copied INTEGER
      ) WITHOUT ROWID;
      CREATE INDEX row_moved ON row(moved) WHERE moved IS NOT NULL
      """
    )
    let insert = try side.cursor("INSERT INTO row VALUES (?, ?, ?, ?, ?, ?)")
    let id = SQLName.quoted(result.columns[result.id].name)
    let rows = try connection.cursor(
      "SELECT \(result.row), \(id) FROM \(SQLName.quoted(result.name)) ORDER BY \(result.row)"
    )
    let kind = result.columns[result.id].kind
    let isRenamed = result.isRenamed
    let next = result.keepsRows ? try result.table?.records.start() : nil
    let removed = try result.keepsRows ? result.table.map { try removedRows(of: $0) } ?? [] : []
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
      let origin = number == row && !removed.contains(row) ? entity : nil
      let isSame = try origin.map { try ColumnValue.value(ofID: $0.id, of: kind) == value } ?? false
      let before = origin.map { Array($0.id) }
      let encoded =
        try (isSame ? before : nil) ?? Self.encode(value, result.columns[result.id], result.name)
      var values: [Value] = [
        .blob(encoded), .integer(row), .null, .null, .null, .integer(origin == nil ? 0 : 1),
      ]
      if let origin, let before, encoded != before || isRenamed {
        values[2] = .integer(origin.layout)
        values[3] = .blob(Array(origin.record))
        if encoded != before { values[4] = .blob(before) }
      }
      guard try Self.isAdded(values, by: insert) else {
        throw EntityTableError.sameID(table: result.storedName, id: "\(value)")
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
    _ value: Value,
    _ column: RowWriter.Column,
    _ table: String
  ) throws -> [UInt8] {
    let natural: RecordValue
    switch value {
    case .null: throw EntityTableError.badID(table: table, value: "NULL")
    default: natural = RowWriter.natural(value)
    }
    guard let scalar = column.kind.scalar else {
      if column.kind == .any { return EncodedID.bytes(of: natural) }
      guard case .string(let text) = natural, let json = JSONReader.value(text) else {
        throw EntityTableError.badID(table: table, value: "\(value)")
      }
      return EncodedID.bytes(of: json)
    }
    guard let stored = scalar.stored(natural) ?? (column.isLoose ? natural : nil) else {
      throw EntityTableError.badID(table: table, value: "\(value)")
    }
    return EncodedID.bytes(of: stored)
  }
}
