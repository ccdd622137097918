import StrataColumns
import StrataSQLite

/// Copies of tables, for queries that read more than one table or one more than once.
///
/// They are in a private database that the query cannot name, in memory up to 16 MB and beyond that in a
/// temporary file without a name.
final class RowCache {
  private let connection: Connection
  private var tables: [Key: CopiedTable] = [:]

  private struct Key: Hashable {
    let table: ObjectIdentifier
    let arguments: [Value]
  }

  init() throws(SQLiteError) {
    connection = try Connection.temporary(cacheBytes: 16 << 20)
    try ColumnKind.addCollations(to: connection)
  }

  /// The copy of a table for its arguments; makes it if it is the first use.
  func table(_ table: QueryTable, _ arguments: [Value]) throws -> CopiedTable {
    let key = Key(table: ObjectIdentifier(table), arguments: arguments)
    if let known = tables[key] { return known }
    let copy = try CopiedTable(table, arguments, number: tables.count, in: connection)
    tables[key] = copy
    return copy
  }
}

/// A copy of the columns of a table that a query reads.
final class CopiedTable {
  let connection: Connection
  let name: String
  /// The columns, in the order of those of the copy.
  private let columns: [Int]
  private let source: any TableSource
  private var indexed: Set<Int> = []
  /// Where a column is in the copy.
  let places: [Int: Int]

  /// O(rows).
  fileprivate init(
    _ table: QueryTable,
    _ arguments: [Value],
    number: Int,
    in connection: Connection
  ) throws {
    self.connection = connection
    source = table.source
    name = "copy\(number)"
    columns = table.used.sorted()
    places = Dictionary(uniqueKeysWithValues: zip(columns, columns.indices))
    // A table has at least one column.
    let declared = columns.map { "c\($0) \(table.source.columns[$0].type)" }
    let list = declared.isEmpty ? "none" : declared.joined(separator: ", ")
    try connection.execute("CREATE TABLE \(name)(\(list))")
    let marks = Array(repeating: "?", count: max(1, columns.count)).joined(separator: ", ")
    let insert = try connection.cursor("INSERT INTO \(name) VALUES (\(marks))")
    let rows = try table.source.rows(arguments, [], used: table.used, in: table.context)
    try connection.transaction {
      var values = [Value](repeating: .null, count: max(1, columns.count))
      while try rows.next() {
        for (place, column) in columns.enumerated() { values[place] = try rows.value(column) }
        try insert.start(values)
        _ = try insert.next()
      }
      insert.reset()
    }
  }

  /// A statement for the rows, or for those with a value in a column, which is indexed then.
  func cursor(by column: Int?) throws -> RowCursor {
    let list = columns.isEmpty ? "1" : columns.map { "c\($0)" }.joined(separator: ", ")
    guard let column else { return try connection.cursor("SELECT \(list) FROM \(name)") }
    if indexed.insert(column).inserted {
      try connection.execute("CREATE INDEX \(name)_c\(column) ON \(name)(c\(column))")
    }
    return try connection.cursor("SELECT \(list) FROM \(name) WHERE c\(column) = ?")
  }
}

/// The rows of a copy.
final class CopiedRows: TableRows {
  let table: CopiedTable
  /// The column that rows are looked up by.
  let column: Int?
  private let cursor: RowCursor
  private let context: QueryContext

  fileprivate init(
    cursor: RowCursor,
    _ table: CopiedTable,
    by column: Int?,
    _ context: QueryContext
  ) {
    self.cursor = cursor
    self.table = table
    self.column = column
    self.context = context
  }

  convenience init(_ table: CopiedTable, by column: Int?, _ context: QueryContext) throws {
    self.init(cursor: try table.cursor(by: column), table, by: column, context)
  }

  func start(_ value: Value?) throws(SQLiteError) {
    try cursor.start(value.map { [$0] } ?? [])
  }

  func next() throws -> Bool {
    try context.checkTime()
    return try cursor.next()
  }

  func column(_ index: Int, _ result: ColumnResult) {
    if let place = table.places[index] { result.set(place, of: cursor) }
  }

  func value(_ index: Int) throws -> Value {
    guard let place = table.places[index] else { return .null }
    return try cursor.withRow { row throws(SQLiteError) in try row.value(place) }
  }
}
