import Foundation
import StrataBase
import StrataColumns
import StrataJournal
package import StrataMigrating
package import StrataRecords
import StrataSQLite

/// The way back from tables of SQL to records.
extension EntityTables {
  /// A table as SQL has left it.
  struct Result {
    /// What its rows are.
    enum Rows {
      /// Those of the table that was copied.
      case copied
      /// Those of a table that was created under the name of a dropped one.
      case madeAgain
      /// Those of a table whose name was free.
      case new
    }

    /// Its name in SQL, and the one to store it under.
    let name: String
    let storedName: String
    let columns: [RowWriter.Column]
    /// Columns that were added, must have a value, and have no default.
    let required: [String]
    let id: Int
    /// The columns as SQLite describes them.
    let declared: [Declared]
    /// The table whose records its rows are compared with; nil for one whose rows are new.
    let table: Table?
    let rows: Rows
    /// SQLite's name for the number of a row.
    let row: String

    var columnList: String { columns.map { SQLName.quoted($0.name) }.joined(separator: ", ") }
    var idColumn: String { SQLName.quoted(columns[id].name) }
    /// Its place in the database.
    var place: String { "main.\(SQLName.quoted(name))" }

    /// The declared columns, if a script has added or removed some; nil if they are unchanged.
    var declaredNow: [ColumnDeclaration]? {
      let before = table?.records.declared ?? []
      var isChanged = false
      var now: [ColumnDeclaration] = []
      for (number, column) in columns.enumerated() where number != id {
        let rules = declared[number]
        if rows == .copied,
          let known = before.first(where: { $0.field.name == column.origin?.field })
        {
          let field = Layout.Field(column.field, known.field.kind, to: known.field.references)
          now.append(.init(field, isRequired: known.isRequired, defaultValue: known.defaultValue))
          isChanged = isChanged || column.isRenamed
        } else if table == nil || column.origin == nil || column.references != nil
          || rows == .madeAgain && (rules.isRequired || rules.defaultValue != nil)
        {
          now.append(
            .init(
              column.declaredField,
              isRequired: rules.isRequired,
              defaultValue: rules.defaultValue
            )
          )
          isChanged = true
        }
      }
      return isChanged || now.count != before.count ? now : nil
    }

    /// The fields whose columns are gone, also where a column of the same name was added.
    var droppedFields: [String] {
      let kept = Set(columns.compactMap { $0.origin?.field })
      return table?.columns.fields.filter { !kept.contains($0) } ?? []
    }

    /// Whether these are the rows of a table of another name.
    var isRenamed: Bool { rows == .copied && table?.records.table != storedName }
  }

  /// The changes that scripts made to tables themselves.
  package struct Shape {
    /// The names of tables that have another one, and that one; two may have changed places.
    package fileprivate(set) var renamed: [String: String] = [:]
    /// Tables that are new.
    package fileprivate(set) var created: [String] = []
    /// Tables that were dropped, and not created again: their records are removed.
    package fileprivate(set) var dropped: [String] = []
    /// Names that no table has any more.
    package fileprivate(set) var ended: [String] = []
    /// The layouts for further records of tables whose columns were renamed, dropped or changed.
    package fileprivate(set) var layouts: [(table: String, layout: Layout)] = []
    /// Fields whose columns have other names, by their former names.
    package fileprivate(set) var renamedFields: [(table: String, field: String, name: String)] = []
    /// Fields whose columns are gone.
    package fileprivate(set) var droppedFields: [(table: String, field: String)] = []
    /// The fields that each table has now.
    package fileprivate(set) var fields: [String: Set<String>] = [:]
    /// The tables whose name another one may have had.
    package fileprivate(set) var hasOtherRecords: Set<String> = []
    /// The columns that scripts have declared in tables where that has changed, in the order of the table.
    package fileprivate(set) var declared: [(table: String, columns: [ColumnDeclaration])] = []
    /// Columns that were added as NOT NULL without a default.
    package fileprivate(set) var required: [(table: String, column: String)] = []
  }

  /// The changes that scripts made to tables themselves.
  ///
  /// O(tables and columns), and O(records) for the columns whose values SQL may round: they are read before the caller
  /// carries out what this returns.
  ///
  /// - Throws: `EntityTableError` for what cannot be stored.
  package func shape() throws -> Shape {
    _ = try storedCells()
    var shape = Shape()
    let results = try results()
    for result in results.values.sorted(by: { $0.storedName < $1.storedName }) {
      for column in result.required { shape.required.append((result.storedName, column)) }
      if let layout = try RowWriter.newLayout(of: result.columns, from: result.table) {
        shape.layouts.append((result.storedName, layout))
      }
      if let columns = result.declaredNow { shape.declared.append((result.storedName, columns)) }
      for column in result.columns where column.isRenamed {
        guard let field = column.origin?.field else { continue }
        shape.renamedFields.append((result.storedName, field, column.field))
      }
      shape.fields[result.storedName] = Set(result.columns.map(\.field))
      if result.rows != .copied || result.isRenamed {
        shape.hasOtherRecords.insert(result.storedName)
      }
      for field in result.droppedFields { shape.droppedFields.append((result.storedName, field)) }
      if result.isRenamed, let table = result.table {
        shape.renamed[table.records.table] = result.storedName
      } else if result.rows == .new {
        shape.created.append(result.storedName)
      }
    }
    for table in tables where table.use != nil {
      let name = table.records.table
      if table.isDropped, results[name]?.rows != .madeAgain { shape.dropped.append(name) }
      if results[name] == nil { shape.ended.append(name) }
    }
    return shape
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
  /// of their names, and in each what is new or has another ID last.
  ///
  /// The records that `EntityRecords` reads are those after the changes of ``shape()``: under the new names of tables, and
  /// without those of dropped ones. O(rows), and a comparison of each with its record. The closure may change the
  /// records meanwhile.
  ///
  /// - Throws: `EntityTableError` for what cannot be stored, and the closure's error.
  package func forEachChange(_ body: (RecordChange) throws -> Void) throws {
    let cells = try storedCells()
    let results = try results().values.sorted {
      $0.storedName.utf8.lexicographicallyPrecedes($1.storedName.utf8)
    }
    for result in results {
      do {
        var writer = try rowWriter(of: result, cells)
        switch result.rows {
        case .copied:
          var rows = try CopiedRows(of: result, in: connection, writer)
          try rows?.forEachChange(body)
          writer = rows?.writer ?? writer
        case .madeAgain, .new: try forEachChange(ofCreated: result, &writer, body)
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
    var required: [String] = []
    let references = try references(of: name)
    for column in declared {
      if column.name.isEmpty { throw EntityTableError.noName(table: name) }
      let origin =
        owner == nil
        ? table.flatMap { copiedOrigin(of: column.name, in: $0) } : table?.origins[column.name]
      if let origin,
        try owner != nil || takesKind(of: origin, column, in: name)
      {
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
      if owner != nil, origin == nil, column.isRequired, column.defaultValue == nil {
        required.append(column.name)
      }
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
    if let owner, columns[id].name.lowercased() != owner.columns.columns[0].name.lowercased() {
      throw EntityTableError.renamedID(table: name, name: columns[id].name)
    }
    let row = Self.rowNumber(besides: declared.map(\.name))
    do {
      _ = try connection.first("SELECT \(row) FROM main.\(SQLName.quoted(name))") { try $0.int(0) }
    } catch is SQLiteError {
      throw EntityTableError.withoutRowID(table: name)
    }
    let storedName = owner.flatMap { $0.nameNow == $0.name ? $0.records.table : nil }
    return Result(
      name: name,
      storedName: storedName ?? namesake?.records.table ?? name,
      columns: columns,
      required: required,
      id: id,
      declared: declared,
      table: table,
      rows: owner != nil ? .copied : table != nil ? .madeAgain : .new,
      row: row
    )
  }

  /// The column of a dropped table that a column of the table made again under its name has its values from: the one of
  /// its name, if a statement has copied that one; nil otherwise.
  private func copiedOrigin(of name: String, in table: Table) -> ColumnOrigin? {
    let number = table.columns.columns.firstIndex { $0.name.lowercased() == name.lowercased() }
    guard let number else { return nil }
    if number > 0, let use, !(use.copied[table.records.table]?.contains(number) ?? false) {
      return nil
    }
    return ColumnOrigin(number, table.columns, table.records)
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
      guard let number, source.isCopied(number),
        use?.copied[source.records.table]?.contains(number) ?? true
      else { continue }
      let origin = ColumnOrigin(number, source.columns, source.records)
      guard origin.kind != declared, Self.isUnspecific(column.type, origin.kind),
        try holdsOnly(
          origin.kind,
          SQLName.quoted(column.name),
          of: "main.\(SQLName.quoted(table))"
        )
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

  /// Whether a column of a table that was created again holds what its origin holds: its type does not say anything
  /// else, and neither does a value.
  private func takesKind(
    of origin: ColumnOrigin,
    _ column: Declared,
    in table: String
  ) throws -> Bool {
    guard Self.isUnspecific(column.type, origin.kind) else { return false }
    if column.type.isEmpty || ColumnKind(declaration: column.type) == origin.kind { return true }
    let place = "main.\(SQLName.quoted(table))"
    let isEmpty =
      try connection.first(
        "SELECT 1 FROM \(place) WHERE \(SQLName.quoted(column.name)) IS NOT NULL"
      ) { _ throws(SQLiteError) in true } == nil
    return try isEmpty || holdsOnly(origin.kind, SQLName.quoted(column.name), of: place)
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

  /// Goes through a table that a script has created; it is compared by IDs with the one whose name it has.
  private func forEachChange(
    ofCreated result: Result,
    _ writer: inout RowWriter,
    _ body: (RecordChange) throws -> Void
  ) throws {
    let sorted = try sortRows(of: result)
    let rows = try connection.cursor("SELECT id, number FROM \(sorted) ORDER BY id")
    func nextRow() throws -> (id: [UInt8], number: Int64)? {
      guard try rows.next() else { return nil }
      return try rows.withRow { row throws(SQLiteError) in (try row.blob(0), try row.int(1)) }
    }
    let next = try result.table?.records.start() ?? { nil }
    var old = try next()
    var new = try nextRow()
    while old != nil || new != nil {
      if let found = old, new.map({ found.id.lexicographicallyPrecedes($0.id) }) ?? true {
        let id = Array(found.id)
        old = try next()
        try body(RecordChange(table: result.storedName, id: id, change: .remove))
        continue
      }
      guard let row = new else { break }
      let origin = old.flatMap { $0.id == row.id[...] ? ($0.layout, $0.record) : nil }
      let change = try writer.change(toRow: row.number, isCopied: false, id: row.id, from: origin)
      if origin != nil { old = try next() }
      new = try nextRow()
      guard let change else { continue }
      try body(RecordChange(table: result.storedName, id: row.id, change: change))
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
      guard try Self.isAdded([.blob(id), .integer(row)], by: insert) else {
        throw EntityTableError.sameID(table: result.storedName, id: EncodedID.text(of: id[...]))
      }
    }
    insert.reset()
    try connection.execute("COMMIT")
    return sorted
  }

  private func rowWriter(of result: Result, _ cells: StoredCells?) throws -> RowWriter {
    try RowWriter(
      result.storedName,
      result.columns,
      id: result.id,
      from: result.table,
      keepsRows: result.rows == .copied,
      cells,
      try connection.cursor(
        "SELECT \(result.columnList) FROM \(result.place) WHERE \(result.row) = ?"
      )
    )
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
