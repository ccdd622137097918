import Foundation
import StrataBase
import StrataColumns
import StrataJournal
package import StrataMigrating
import StrataRecords
import StrataSQLite

/// The way back from tables of SQL to records.
extension EntityTables {
  /// A table as SQL has left it.
  struct Result {
    /// Its name in SQL, and the one to store it under.
    let name: String
    let storedName: String
    let columns: [RowWriter.Column]
    let id: Int
    /// The table whose records its rows are compared with; nil for one whose rows are new.
    let table: Table?
    let kind: TableChange.Kind
    /// SQLite's name for the number of a row.
    let row: String

    var columnList: String { columns.map { SQLName.quoted($0.name) }.joined(separator: ", ") }
    var idColumn: String { SQLName.quoted(columns[id].name) }
    /// Columns that were added, must have a value, and have no default.
    ///
    /// A table that was created under the name of another one has rows that the script has given a value.
    var required: [String] {
      if !kind.keepsRows { return [] }
      return columns.filter { $0.origin == nil && $0.declared.isRequired }
        .filter { $0.declared.defaultValue == nil }.map(\.name)
    }
    /// Its place in the database.
    var place: String { "main.\(SQLName.quoted(name))" }

    /// The declared columns, if a script has added or removed some; nil if they are unchanged.
    var declaredNow: [DeclaredColumn]? {
      let before = table?.records.declared ?? []
      var isChanged = false
      var now: [DeclaredColumn] = []
      for (number, column) in columns.enumerated() where number != id {
        let rules = column.declared
        if kind.keepsRows,
          let known = before.first(where: { $0.name == column.origin?.field })
        {
          now.append(
            known.with(.init(column.field, known.field.kind, to: known.field.references))
          )
          isChanged = isChanged || column.isRenamed
        } else if table == nil || column.origin == nil || column.references != nil
          || kind == .replaced && (rules.isRequired || rules.defaultValue != nil)
        {
          now.append(
            DeclaredColumn(
              table: storedName,
              field: column.declaredField,
              isRequired: rules.isRequired,
              defaultValue: rules.defaultValue
            )
          )
          isChanged = true
        }
      }
      return isChanged || now.count != before.count ? now : nil
    }

    /// What became of the table besides its rows.
    var change: TableChange {
      get throws {
        var change = TableChange(storedName, kind)
        for column in columns where column.isRenamed {
          guard let field = column.origin?.field else { continue }
          change.renamedFields.append((field, column.field))
        }
        let kept = Set(columns.compactMap { $0.origin?.field })
        change.droppedFields = table?.columns.fields.filter { !kept.contains($0) } ?? []
        change.fields = Set(columns.map(\.field))
        change.layout = try RowWriter.newLayout(of: columns, from: table)
        change.declared = declaredNow
        change.required = required
        return change
      }
    }
  }

  /// The changes that scripts made to tables themselves.
  ///
  /// O(tables and columns), and O(records) for the columns whose values SQL may round.
  ///
  /// - Throws: `EntityTableError` for what cannot be stored.
  package func tableChanges() throws -> [TableChange] {
    _ = try storedCells()
    let results = try results()
    let changes = try results.values.map { try $0.change }.sorted { $0.table < $1.table }
    let dropped = tables.filter { table in
      table.use != nil && table.isDropped && results[table.records.table]?.kind != .replaced
    }
    return changes + dropped.map { TableChange($0.records.table, .dropped) }
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

  /// Calls a closure with each entity whose record is another one than before, or that is gone; the tables in the order
  /// of their names.
  ///
  /// O(rows), and a comparison of each with its record.
  ///
  /// - Throws: `EntityTableError` for what cannot be stored, and the closure's error.
  package func forEachChange(_ body: (RecordChange) throws -> Void) throws {
    let cells = try storedCells()
    let results = try results().values.sorted {
      $0.storedName.utf8.lexicographicallyPrecedes($1.storedName.utf8)
    }
    for result in results {
      do {
        var writer = try RowWriter(of: result, cells, in: connection)
        if result.kind.keepsRows {
          var rows = try CopiedRows(of: result, in: connection, writer)
          try rows?.forEachChange(body)
          writer = rows?.writer ?? writer
        } else {
          try forEachChange(ofCreated: result, &writer, body)
        }
        if !writer.rounded.isEmpty {
          rounded[result.storedName, default: [:]].merge(writer.rounded, uniquingKeysWith: +)
        }
      } catch let error as SQLiteError {
        throw notText(error, in: result.storedName)
      }
    }
  }

  /// The values that SQL shows rounded, read once, before a record is changed.
  private func storedCells() throws -> StoredCells? {
    if let cells { return cells }
    let made = try StoredCells(
      tables,
      literals: ScriptLiterals(scripts.joined(separator: "\n")),
      in: connection
    )
    cells = .some(made)
    return made
  }

  /// The error for a row whose text SQLite has not checked; any other error unchanged.
  private func notText(_ error: SQLiteError, in table: String) -> any Error {
    error.code.primary == .mismatch && error.path == connection.path
      ? EntityTableError.invalidText(table: table) : error
  }

  private func result(_ name: String, _ root: Int64) throws -> Result {
    let owner = tables.first { $0.root == root && !$0.isDropped }
    let namesake = tables.first { $0 !== owner && $0.name.lowercased() == name.lowercased() }
    let table = owner ?? (namesake?.isDropped ?? false ? namesake : nil)
    let declared = try columns(of: name)
    var columns: [RowWriter.Column] = []
    let references = try references(of: name)
    for column in declared {
      if column.name.isEmpty { throw EntityTableError.noName(table: name) }
      var origin =
        owner == nil
        ? table.flatMap { copiedOrigin(of: column.name, among: declared, in: $0) }
        : table?.origins[column.name]
      let kind: ColumnKind
      var isLoose = false
      if let origin, try owner != nil || takesKind(of: origin, column, in: name) {
        kind = origin.kind
        isLoose = owner == nil && column.type.isEmpty
      } else if table == nil, let moved = try moved(column, of: name) {
        (kind, origin) = (moved.kind, moved)
      } else if let known = ColumnKind(declaration: column.type) {
        kind = known
      } else {
        throw EntityTableError.unknownType(table: name, column: column.name, type: column.type)
      }
      let target = references[column.name.lowercased()].map { target in
        let namesake = tables.first { $0.nameNow.lowercased() == target.lowercased() }
        let stored = namesake.flatMap { $0.nameNow == $0.name ? $0.records.table : nil }
        return ReferencedTables.table(stored ?? target)
      }
      columns.append(
        .init(declared: column, kind: kind, origin: origin, isLoose: isLoose, references: target)
      )
    }
    let id = columns.firstIndex { column in
      column.origin.map { $0.number == 0 } ?? (column.name.lowercased() == "id")
    }
    guard let id else { throw EntityTableError.noID(table: name) }
    if let owner, columns[id].name.lowercased() != owner.columns.columns[0].name.lowercased() {
      throw EntityTableError.renamedID(table: name, name: columns[id].name)
    }
    let row = Self.rowNumber(besides: declared.map(\.name))
    do {
      _ = try connection.first("SELECT \(row) FROM main.\(SQLName.quoted(name))") { try $0.int(0) }
    } catch is SQLiteError {
      throw EntityTableError.withoutRowID(table: name)
    }
    let ownName = owner.flatMap { $0.nameNow == $0.name ? $0.records.table : nil }
    let storedName = ownName ?? namesake?.records.table ?? name
    let kind: TableChange.Kind
    if let owner {
      let former = owner.records.table
      kind = former == storedName ? .kept : .renamed(from: former)
    } else {
      kind = table == nil ? .created : .replaced
    }
    return Result(
      name: name,
      storedName: storedName,
      columns: columns,
      id: id,
      table: table,
      kind: kind,
      row: row
    )
  }

  /// The column of a dropped table that a column of the table made again under its name has its values from: the one of
  /// its name, if a statement has copied that one; nil otherwise.
  private func copiedOrigin(
    of name: String,
    among columns: [Declared],
    in table: Table
  ) -> ColumnOrigin? {
    let number = table.numbers(named: name, besides: columns.map(\.name)).first { number in
      guard number > 0, let use else { return true }
      return use.copied[table.records.table]?.contains(number) ?? false
    }
    return number.map { ColumnOrigin($0, table.columns, table.records) }
  }

  /// The origin of a column of a new table whose type only says how SQLite stores it: a column of that name
  /// in a copied table, if all values are of its kind; nil if there is none.
  ///
  /// O(rows of the new table) for each such column.
  private func moved(_ column: Declared, of table: String) throws -> ColumnOrigin? {
    let declared = ColumnKind(declaration: column.type)
    for source in tables where source.use != nil {
      let number = source.numbers(named: column.name).first { number in
        source.isCopied(number) && use?.copied[source.records.table]?.contains(number) ?? true
      }
      guard let number else { continue }
      let origin = ColumnOrigin(number, source.columns, source.records)
      guard origin.kind != declared, Self.isUnspecific(column.type, origin.kind),
        try holdsOnly(origin.kind, column.name, of: table) ?? false
      else { continue }
      return origin
    }
    return nil
  }

  /// Whether all values of a column are values of a kind as SQL shows it; nil if it has none.
  private func holdsOnly(_ kind: ColumnKind, _ name: String, of table: String) throws -> Bool? {
    let column = SQLName.quoted(name)
    let rows = try connection.cursor(
      "SELECT \(column) FROM main.\(SQLName.quoted(table)) WHERE \(column) IS NOT NULL"
    )
    var result: Bool?
    while result ?? true, try rows.next() {
      result = kind.shows(try rows.withRow { row throws(SQLiteError) in try row.value(0) })
    }
    return result
  }

  /// Whether a column of a table that was created again holds what its origin holds: its type does not say anything
  /// else, and neither does a value.
  private func takesKind(
    of origin: ColumnOrigin,
    _ column: Declared,
    in table: String
  ) throws -> Bool {
    guard Self.isUnspecific(column.type, origin.kind) else { return false }
    return try column.type.isEmpty || ColumnKind(declaration: column.type) == origin.kind
      || holdsOnly(origin.kind, column.name, of: table) ?? true
  }

  /// Whether a type says only how SQLite stores a column, as those of CREATE TABLE … AS do.
  private static func isUnspecific(_ type: String, _ kind: ColumnKind) -> Bool {
    switch type.uppercased() {
    // An expression, or a column without an affinity.
    case "": true
    case "INT": kind.isRowNumber
    case "NUM": kind.affinity == .integer && !kind.isRowNumber
    case "REAL": kind.affinity == .real
    case "TEXT": kind.affinity == .text
    default: ColumnKind(declaration: type) == kind
    }
  }

  /// Goes through a table that a script has created; it is compared by IDs with the one whose name it has.
  private func forEachChange(
    ofCreated result: Result,
    _ writer: inout RowWriter,
    _ body: (RecordChange) throws -> Void
  ) throws {
    let sorted = try sortRows(of: result)
    let rows = try connection.cursor("SELECT id, number FROM \(sorted) ORDER BY id")
    var new = Peekable<(id: [UInt8], number: Int64)> {
      guard try rows.next() else { return nil }
      return try rows.withRow { row throws(SQLiteError) in (try row.blob(0), try row.int(1)) }
    }
    var old = Peekable(try result.table?.records.start() ?? { nil })
    while let id = (try old.peek()?.id).orEarlier(try new.peek()?.id[...]) {
      let record = try old.next { $0.id == id }
      var put: RowWriter.Record?
      if let row = try new.next(if: { $0.id[...] == id }) {
        let origin = record.map { ($0.layout, $0.record) }
        put = try writer.record(ofRow: row.number, isCopied: false, id: row.id, from: origin)
        if put == nil { continue }
      }
      let former = record.map { Array($0.id) }
      try body(RecordChange(table: result.storedName, id: Array(id), record: put, former: former))
    }
  }

  /// Sorts the rows of a table by their encoded IDs; returns the table with them.
  private func sortRows(of result: Result) throws -> String {
    let sorted = "temp.\(SQLName.quoted("strata:rows of \(result.storedName)"))"
    try connection.execute(
      "CREATE TABLE \(sorted)(id BLOB PRIMARY KEY, number INTEGER) WITHOUT ROWID"
    )
    let insert = try connection.cursor("INSERT INTO \(sorted) VALUES (?, ?)")
    let rows = try connection.cursor(
      "SELECT \(result.row), \(result.idColumn) FROM \(result.place)"
    )
    try connection.execute("BEGIN")
    while try rows.next() {
      let (row, value) = try rows.withRow { row throws(SQLiteError) in
        (try row.int(0), try row.value(1))
      }
      let id = try Self.encode(value, result.columns[result.id], result.name)
      do throws(SQLiteError) {
        try insert.start([.blob(id), .integer(row)])
        _ = try insert.next()
      } catch {
        guard error.code.primary == .constraint else { throw error }
        throw EntityTableError.sameID(table: result.storedName, id: EncodedID.text(of: id[...]))
      }
    }
    insert.reset()
    try connection.execute("COMMIT")
    return sorted
  }

  static func encode(
    _ value: Value,
    _ column: RowWriter.Column,
    _ table: String
  ) throws -> [UInt8] {
    let natural: RecordValue
    switch value {
    case .null: throw EntityTableError.badID(table: table, value: "NULL")
    default: natural = RecordValue(value)
    }
    guard let scalar = column.kind.scalar else {
      if column.kind == .any { return EncodedID.bytes(of: natural) }
      guard case .string(let text) = natural, let json = JSONReader.value(text) else {
        throw EntityTableError.badID(table: table, value: value.json)
      }
      return EncodedID.bytes(of: json)
    }
    guard let stored = scalar.stored(natural) ?? (column.isLoose ? natural : nil) else {
      throw EntityTableError.badID(table: table, value: value.json)
    }
    return EncodedID.bytes(of: stored)
  }
}
