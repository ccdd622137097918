import Foundation
import StrataBase
import StrataColumns
import StrataJournal
package import StrataRecords
import StrataSQLite

/// The way back from tables of SQL to records.
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
    /// The names of columns that must have a value, and have no default.
    let notNull: Set<String>
    /// The table whose rows these are, or which had its name.
    let table: Table?
    /// Whether rows are those that were copied.
    let keepsRows: Bool
    /// SQLite's name for the number of a row.
    let row: String

    var columnList: String { columns.map { SQLName.quoted($0.name) }.joined(separator: ", ") }

    /// The declared columns, if a script has added or removed some; nil if they are unchanged.
    var declared: [Declaration]? {
      let before = table?.records.declared ?? []
      var isChanged = false
      var declared: [Declaration] = []
      for (number, column) in columns.enumerated() where number != id {
        let known = before.first { $0.field.name == column.origin?.field }
        if let known {
          let field = Layout.Field(column.field, known.field.kind, to: known.field.references)
          declared.append((field, known.isRequired))
          isChanged = isChanged || column.isRenamed
        } else if table == nil || column.origin == nil || column.references != nil {
          declared.append((column.newField, notNull.contains(column.name)))
          isChanged = true
        }
      }
      return isChanged || declared.count != before.count ? declared : nil
    }

    /// The fields whose columns are gone.
    var droppedFields: [String] {
      let kept = Set(columns.compactMap { $0.origin?.field }).union(columns.map(\.field))
      return table?.columns.fields.filter { !kept.contains($0) } ?? []
    }

    /// Whether these are the rows of a table of another name.
    var isRenamed: Bool { keepsRows && table?.name != name }
  }

  /// A declared column: its field, and whether it must have a value.
  package typealias Declaration = (field: Layout.Field, isRequired: Bool)

  /// The changes that scripts made to tables themselves.
  package struct Shape {
    /// Tables that have another name.
    ///
    /// If the name is one of another table of the store, the records are removed and put instead.
    package fileprivate(set) var renamed: [(from: String, to: String)] = []
    /// Tables that are new.
    package fileprivate(set) var created: [String] = []
    /// Tables that are gone, and whose names no other table has.
    package fileprivate(set) var dropped: [String] = []
    /// The layouts for further records of tables whose columns were renamed, dropped or changed.
    package fileprivate(set) var layouts: [(table: String, layout: Layout)] = []
    /// Fields whose columns have other names, by their former names.
    package fileprivate(set) var renamedFields: [(table: String, field: String, name: String)] = []
    /// Fields whose columns are gone.
    package fileprivate(set) var droppedFields: [(table: String, field: String)] = []
    /// The columns that scripts have declared in tables where that has changed, in the order of the table.
    package fileprivate(set) var declared: [(table: String, columns: [Declaration])] = []
    /// Columns that were added as NOT NULL without a default.
    package fileprivate(set) var required: [(table: String, column: String)] = []
  }

  /// The changes that scripts made to tables themselves; O(tables and columns).
  ///
  /// - Throws: `EntityTableError` for what cannot be stored.
  package func shape() throws -> Shape {
    var shape = Shape()
    let results = try results()
    for result in results.values.sorted(by: { $0.storedName < $1.storedName }) {
      for column in result.required { shape.required.append((result.storedName, column)) }
      if let layout = try RowWriter.newLayout(of: result.columns, from: result.table) {
        shape.layouts.append((result.storedName, layout))
      }
      if let columns = result.declared { shape.declared.append((result.storedName, columns)) }
      for column in result.columns where column.isRenamed {
        guard let field = column.origin?.field else { continue }
        shape.renamedFields.append((result.storedName, field, column.field))
      }
      for field in result.droppedFields { shape.droppedFields.append((result.storedName, field)) }
      if let origin = renamed(result) {
        shape.renamed.append((origin.records.table, result.storedName))
      } else if !tables.contains(where: { $0.records.table == result.storedName }) {
        shape.created.append(result.storedName)
      }
    }
    let renamed = Set(shape.renamed.map(\.from))
    shape.dropped = tables.filter { $0.use != nil }.map(\.records.table)
      .filter { results[$0] == nil && !renamed.contains($0) }
    return shape
  }

  /// The table whose rows these are under a new name that no other table had; nil otherwise.
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
  /// O(rows), and a comparison of each with its record. The closure may change the records that
  /// `EntityRecords` reads: an entity is not read again once it was passed.
  ///
  /// - Throws: `EntityTableError` for what cannot be stored, and the closure's error.
  package func forEachChange(_ body: (RecordChange) throws -> Void) throws {
    let results = try results()
    let cells = try StoredCells(
      tables,
      literals: ScriptLiterals(scripts.joined(separator: "\n")),
      in: side
    )
    let away = Set(results.values.compactMap { renamed($0)?.records.table })
    let names = Set(results.keys).union(tables.filter { $0.use != nil }.map(\.records.table))
    for name in names.sorted(by: { $0.utf8.lexicographicallyPrecedes($1.utf8) }) {
      let before = tables.first { $0.records.table == name && $0.use != nil }
      do {
        try compare(name, before, results[name], isAway: away.contains(name), cells, body)
      } catch let error as SQLiteError {
        throw notText(error, in: name)
      }
    }
  }

  /// The error for a row whose text SQLite has not checked; any other error unchanged.
  private func notText(_ error: SQLiteError, in table: String) -> any Error {
    error.code.primary == .mismatch && error.path == connection.path
      ? EntityTableError.invalidText(table: table) : error
  }

  private func result(_ name: String, _ root: Int64) throws -> Result {
    let owner = tables.first { $0.root == root && !$0.isDropped }
    let namesake = tables.first { $0.name == name }
    let table = owner ?? namesake
    let declared = try columns(of: name)
    var columns: [RowWriter.Column] = []
    var required: [String] = []
    let references = try references(of: name)
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
      } else if table == nil, let origin = try moved(column, of: name) {
        columns.append(.init(name: column.name, kind: origin.kind, origin: origin))
      } else if let kind = ColumnKind(declaration: column.type) {
        columns.append(.init(name: column.name, kind: kind, origin: origin))
      } else {
        throw EntityTableError.unknownType(table: name, column: column.name, type: column.type)
      }
      // A table that was created under the name of another one has rows that the script has given a value.
      if owner != nil, origin == nil, column.isRequired { required.append(column.name) }
    }
    for index in columns.indices {
      guard let target = references[columns[index].name.lowercased()] else { continue }
      let namesake = tables.first { $0.nameNow.lowercased() == target.lowercased() }
      let stored = namesake.flatMap { $0.nameNow == $0.name ? $0.records.table : nil }
      columns[index].references = .table(stored ?? target)
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
      notNull: Set(declared.filter(\.isRequired).map(\.name)),
      table: table,
      keepsRows: owner != nil,
      row: row
    )
  }

  /// The origin of a column of a new table whose type only says how SQLite stores it: a column of that name
  /// in a copied table, if all values are of its kind; nil if there is none.
  ///
  /// O(rows of the new table) for each such column.
  private func moved(_ column: Declared, of table: String) throws -> ColumnOrigin? {
    let declared = ColumnKind(declaration: column.type)
    for source in tables where source.use != nil {
      let number = source.columns.columns.firstIndex {
        $0.name.lowercased() == column.name.lowercased()
      }
      guard let number, source.isCopied(number) else { continue }
      let origin = ColumnOrigin(number, source.columns, source.records)
      guard origin.kind != declared, Self.isUnspecific(column.type, origin.kind),
        try holdsOnly(origin.kind, SQLName.quoted(column.name), of: SQLName.quoted(table))
      else { continue }
      return origin
    }
    return nil
  }

  /// Whether a column has values, and all of them are values of a kind as SQL shows it.
  private func holdsOnly(_ kind: ColumnKind, _ column: String, of table: String) throws -> Bool {
    let rows = try connection.cursor(
      "SELECT \(column) FROM \(table) WHERE \(column) IS NOT NULL"
    )
    var hasValue = false
    while try rows.next() {
      let value = try rows.withRow { row throws(SQLiteError) in try row.value(0) }
      guard kind.shows(value) else { return false }
      hasValue = true
    }
    return hasValue
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
    _ cells: StoredCells?,
    _ body: (RecordChange) throws -> Void
  ) throws {
    if let result, let before, result.keepsRows, result.table === before, !result.isRenamed,
      before.use?.keepsOrder ?? false
    {
      return try compareInPlace(before, result, cells, body)
    }
    if let result { try sortRows(of: result) }
    defer { do { try side.execute("DROP TABLE IF EXISTS row") } catch _ {} }
    let after = try result.map { _ in
      try side.cursor("SELECT id, number, layout, record, moved, copied FROM row ORDER BY id")
    }
    let moved = try result.map { _ in try side.cursor("SELECT 1 FROM row WHERE moved = ?") }
    let taken = try result.map { _ in
      try side.cursor("SELECT 1 FROM row WHERE id = ? AND moved IS NULL")
    }
    var writer = try result.map { try rowWriter(of: $0, cells) }
    defer { noteRounded(by: writer, in: name) }
    // The records of a table that has another name are under that one already.
    let source = result.flatMap { renamed($0) }
    let isRenamed = source != nil
    let next = try (before ?? source)?.records.start() ?? { nil }
    var old = try next()
    var new = try after.map(Self.row) ?? nil
    while old != nil || new != nil {
      if let found = old, new.map({ Self.precedes(found.id, $0.id[...]) }) ?? true {
        var change = RecordChange(table: name, id: Array(found.id), change: .remove)
        if try isAway || moved.map({ try Self.contains(change.id, $0) }) ?? false {
          change.movement = .away
        }
        // The closure may remove it, so the next one is read first.
        old = try next()
        try body(change)
        continue
      }
      guard let row = new, let after else { break }
      let isThere = old.map { $0.id == row.id[...] } ?? false
      if isThere, row.moved != nil, try moved.map({ try !Self.contains(row.id, $0) }) ?? false {
        // The record that had this ID is gone, and another one has it now.
        try body(RecordChange(table: name, id: row.id, change: .remove))
      }
      // A row whose ID or table has changed brings the record that it came from.
      let origin = row.origin ?? (isThere ? old.map { ($0.layout, $0.record) } : nil)
      let change = try writer?.change(
        toRow: row.number,
        isCopied: row.isCopied,
        id: row.id,
        formerID: row.moved,
        from: origin,
        isNew: row.origin != nil || !isThere
      )
      if isThere { old = try next() }
      new = try Self.row(after)
      guard let change else { continue }
      var entity = RecordChange(table: name, id: row.id, change: change)
      entity.movement = try movement(of: row, change, result, isRenamed: isRenamed, taken)
      try body(entity)
    }
  }

  /// Compares a table whose rows have the IDs and the order that they were copied with.
  private func compareInPlace(
    _ before: Table,
    _ result: Result,
    _ cells: StoredCells?,
    _ body: (RecordChange) throws -> Void
  ) throws {
    var writer = try rowWriter(of: result, cells)
    defer { noteRounded(by: writer, in: result.storedName) }
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
        try body(RecordChange(table: result.storedName, id: Array(removed.id), change: .remove))
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
      try body(RecordChange(table: result.storedName, id: Array(found.id), change: change))
    }
    try remove(before: .max)
  }

  /// The former place of a row's record, if only its place has changed.
  private func movement(
    of row: SortedRow,
    _ change: RecordChange.Change,
    _ result: Result?,
    isRenamed: Bool,
    _ taken: RowCursor?
  ) throws -> RecordChange.Movement {
    if let id = row.moved {
      let isTaken = try taken.map { try Self.contains(id, $0) } ?? false
      return isTaken ? .fromTaken(id) : .from(id)
    }
    guard isRenamed, let origin = row.origin, case .put(let layout, let record) = change,
      record[...] == origin.record, try result?.table?.records.layout(origin.layout) == layout
    else { return .none }
    return .renamed
  }

  private func noteRounded(by writer: RowWriter?, in table: String) {
    guard let writer, !writer.rounded.isEmpty else { return }
    rounded[table, default: [:]].merge(writer.rounded, uniquingKeysWith: +)
  }

  private func rowWriter(of result: Result, _ cells: StoredCells?) throws -> RowWriter {
    try RowWriter(
      result.storedName,
      result.columns,
      id: result.id,
      from: result.table,
      keepsRows: result.keepsRows,
      cells,
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
    let removed = try result.keepsRows ? result.table.flatMap { try removedRows(of: $0) } : nil
    var removedNumber = try removed?() ?? .max
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
      while removedNumber < row { removedNumber = try removed?() ?? .max }
      let origin = number == row && removedNumber != row ? entity : nil
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
        throw EntityTableError.sameID(
          table: result.storedName,
          id: EncodedID.text(of: encoded[...])
        )
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
