import StrataColumns
package import StrataInspection
import StrataJournal
import StrataMaintaining
import StrataRecords
import StrataSQLite
import StrataStorage

/// Writes the entities of a store in forms that other programs read.
///
/// Every field of every record is written, also one that no layout lists. All tables are read at the revision of the
/// first one, also while a program writes. The store is closed while the rows of a table are handed on.
package struct StoreExport {
  private let path: String
  private let expression: RevisionExpression
  private let table: String?

  /// - Parameter table: One table; nil for all.
  package init(path: String, at expression: RevisionExpression, table: String? = nil) {
    self.path = path
    self.expression = expression
    self.table = table
  }

  /// The lines of a text.
  package enum Form: Sendable {
    /// `{"table":…,"id":…,"value":…}` for each entity.
    case ndjson
    /// A line of titles, `id` and the names of the fields, then one for each entity.
    case csv
  }

  /// What was written.
  package struct Counts: Sendable, Equatable {
    package var tables = 0
    package var rows = 0
    package var revision: Int64 = 0
    /// What the file does not hold as it is stored.
    package var notes: [String] = []
  }

  /// Hands on the lines of a text; values as ``ScalarText`` and JSON have them.
  ///
  /// - Returns: What the text does not say of the values; empty if an import gives them all back.
  /// - Throws: `QueryError` for a table that the store does not have, and what reading the store throws.
  package func forEachLine(
    _ form: Form,
    _ body: (String) throws -> Void
  ) throws -> [String] {
    var notes: [String] = []
    try forEach { source, context in
      let lines = try QueryResult(
        columns: ["line"],
        revision: context.revision.number,
        isStreamed: true
      )
      var used = FieldsInUse(context.view.catalog.lastLayout(of: source.table))
      switch form {
      case .ndjson: try writeJSON(of: source, context, &used, lines)
      case .csv: try writeCSV(of: source, context, &used, lines)
      }
      try lines.finish()
      return (lines, used)
    } body: { source, lines, used in
      if StoredValues.name(ofTable: source.table) == nil { notes += Self.notes(source.table, used) }
      try lines.forEach { row in if case .text(let line) = row[0] { try body(line) } }
    }
    return notes
  }

  private static func notes(_ table: String, _ used: FieldsInUse) -> [String] {
    used.untold.sorted { $0.key < $1.key }.map { field, count in
      """
      \(table).\(field): \(Measures.count(count, "value has", "values have")) kinds that only a store keeps, and not its \
      text. An import leaves them as they are in records that are there. In others, and in another store, the values of a \
      dictionary take the kind of the dictionaries there, if they have one; all else becomes texts and numbers. \
      `strata backup` keeps the kinds.
      """
    }
  }

  private func writeJSON(
    of source: EntitySource,
    _ context: QueryContext,
    _ used: inout FieldsInUse,
    _ lines: QueryResult
  ) throws {
    let name = RecordValue.string(source.table).json()
    let isValue = StoredValues.name(ofTable: source.table) != nil
    var scan = try context.scan(source.table, .all, at: context.revision)
    while let entity = try scan.next() {
      try context.checkTime()
      let catalog = context.view.catalog
      try used.note(entity, catalog)
      let layout = try catalog.layout(entity.layout)
      let record = try RecordValue(record: entity.record, layout: layout)
      // The record of a persisted value has it as its one member.
      let value = StoredValues.value(in: record, of: source.table) ?? record
      let id = isValue ? .null : try EncodedID.value(of: Array(entity.id))
      try lines.append([
        .text("{\"table\":\(name),\"id\":\(id.json()),\"value\":\(value.json())}")
      ])
    }
  }

  private func writeCSV(
    of source: EntitySource,
    _ context: QueryContext,
    _ used: inout FieldsInUse,
    _ lines: QueryResult
  ) throws {
    let catalog = context.view.catalog
    var first = try context.scan(source.table, .all, at: context.revision)
    while let entity = try first.next() {
      try context.checkTime()
      try used.note(entity, catalog)
    }
    used.drop(source.hidden)
    // The field `id` is the ID, unless a record has another one there.
    let fields = used.fields.filter { $0.name != "id" || used.hasOtherIDs }
    let field = used.hasOtherIDs ? nil : used.fields.first { $0.name == "id" }
    let idKind = field?.kind ?? used.idKind
    let titles = ["id"] + fields.map { $0.name == "id" ? ImportedTable.otherID : $0.name }
    try lines.append([.text(titles.map(CSVText.field).joined(separator: ","))])
    var scan = try context.scan(source.table, .all, at: context.revision)
    while let entity = try scan.next() {
      try context.checkTime()
      let members = try FieldsInUse.members(of: entity, catalog).members
      let values = Dictionary(members.map { ($0.name, $0.value) }) { first, _ in first }
      let own = used.hasOtherIDs ? nil : values["id"]
      let id = try own ?? EncodedID.value(of: Array(entity.id))
      let cells = fields.map { CSVText.cell(values[$0.name], of: $0.kind) }
      try lines.append([.text(([CSVText.cell(id, of: idKind)] + cells).joined(separator: ","))])
    }
  }
}

extension StoreExport {
  /// Hands on each table with columns as queries have, but with every field.
  ///
  /// - Throws: `QueryError` for a table that the store does not have or SQLite cannot have, and what reading the store
  ///   throws.
  package func forEachTable(_ body: (String, QueryResult) throws -> Void) throws {
    try forEachRows { source, table in try body(source.table, table.rows) }
  }

  /// The rows of a table in SQL.
  fileprivate struct Table {
    let columns: [Column]
    let rows: QueryResult
    /// How many values SQL shows rounded, by column.
    var rounded: [String: Int] = [:]
  }

  private func forEachRows(_ body: (EntitySource, Table) throws -> Void) throws {
    try forEach { source, context in
      let catalog = context.view.catalog
      var used = FieldsInUse(catalog.lastLayout(of: source.table))
      var first = try context.scan(source.table, .all, at: context.revision)
      while let entity = try first.next() {
        try context.checkTime()
        try used.note(entity, catalog)
      }
      let entity = try source.columns(with: used)
      guard entity.columns.count <= EntityColumns.mostOfFiles else {
        throw QueryError.tooManyColumns(source.table, count: entity.columns.count)
      }
      let rows = try QueryResult(
        columns: entity.columns.map(\.name),
        revision: context.revision.number,
        isStreamed: true
      )
      var table = Table(columns: entity.columns, rows: rows)
      var scan = try context.scan(source.table, .all, at: context.revision)
      while let record = try scan.next() {
        try context.checkTime()
        let members = try FieldsInUse.members(of: record, catalog).members
        try table.append(record.id, members, entity.fields)
      }
      try rows.finish()
      return (table, used)
    } body: { source, table, _ in
      try body(source, table)
    }
  }

  /// Creates an SQLite file with a table for each entity table, and returns what is in it.
  ///
  /// The file gets its name when it is complete and on disk; beside the store it has its owner and mode. O(entities).
  ///
  /// - Throws: `.fileExists` if there is a file at the path; `.notWritable` for the name of a file of the
  ///   store; `QueryError` for a table that SQLite cannot have; what reading the store and writing the file throw.
  package func write(toDatabase file: String) throws -> Counts {
    let target = try StorePath(file, for: .exporting)
    let store = try StorePath(path, for: .exporting)
    try target.checkIsNotBeside(store, .exporting)
    let new = try NewFile(at: target, from: store, for: .exporting, on: .system)
    defer { new.removeLeftovers() }
    do {
      try new.create()
      let counts = try fill(new)
      try new.giveName()
      return counts
    } catch  where error is SystemError || error is SQLiteError {
      throw PersistenceError(.exporting, path: new.path.file, wrapping: error)
    }
  }

  private func fill(_ file: NewFile) throws -> Counts {
    let connection = try file.connect()
    var counts = Counts()
    try forEachRows { source, table in
      try connection.transaction { try table.copy(as: source.name, to: connection) }
      counts.tables += 1
      counts.rows += table.rows.count
      counts.revision = table.rows.revision
      counts.notes += table.rounded.sorted { $0.key < $1.key }.map { column, count in
        """
        \(source.table).\(column): SQLite holds \(Measures.count(count, "value", "values")) rounded. --ndjson and --csv have \
        all digits.
        """
      }
    }
    try connection.close()
    return counts
  }

  /// Reads each table, and hands on what was made of it when the store is closed.
  private func forEach<Made>(
    _ make: (EntitySource, QueryContext) throws -> (Made, FieldsInUse),
    body: (EntitySource, Made, FieldsInUse) throws -> Void
  ) throws {
    var query = StoreQuery(path: path)
    query.at = expression
    query.timeLimit = .seconds(86_400)
    func sources(_ all: [any TableSource]) -> [EntitySource] {
      all.compactMap { $0 as? EntitySource }.filter { $0.arguments.isEmpty }
    }
    let (all, revision) = try query.read { (sources($1), $0.revision) }
    let tables = all.filter { source in table.map { $0 == source.table } ?? true }
    if let table, tables.isEmpty { throw QueryError.noTable(table, known: all.map(\.table)) }
    query.at = .point(.revision(revision))
    for table in tables {
      let (made, used) = try query.read { context, _ in try make(table, context) }
      try body(table, made, used)
    }
  }
}

extension StoreExport.Table {
  /// Appends an entity as a row.
  fileprivate mutating func append(
    _ id: ArraySlice<UInt8>,
    _ members: [RecordValue.Member],
    _ fields: [String]
  ) throws {
    let values = Dictionary(members.map { ($0.name, $0.value) }) { first, _ in first }
    var row = [try ColumnValue.value(ofID: id, of: columns[0].kind)]
    for (column, field) in zip(columns.dropFirst(), fields) {
      guard let value = values[field], value != .null else {
        row.append(.null)
        continue
      }
      let shown = ColumnValue.value(value, of: column.kind)
      if !value.isExact(in: shown) { rounded[column.name, default: 0] += 1 }
      row.append(shown)
    }
    try rows.append(row)
  }

  fileprivate func copy(as name: String, to connection: Connection) throws {
    let quoted = SQLName.quoted(name)
    let declared = columns.map(\.declarationInFiles).joined(separator: ", ")
    try connection.execute("CREATE TABLE \(quoted)(\(declared))")
    let marks = columns.map { _ in "?" }.joined(separator: ", ")
    let insert = try connection.cursor("INSERT INTO \(quoted) VALUES (\(marks))")
    try rows.forEach { row in
      try insert.start(row)
      _ = try insert.next()
    }
    insert.reset()
    try connection.execute("CREATE INDEX \(SQLName.quoted("\(name):id")) ON \(quoted)(id)")
  }
}
