package import StrataSQLite

/// The rows of an answered query; the store is no longer open.
///
/// They are in memory up to 8 MB and beyond that in a temporary file without a name.
package final class QueryResult {
  /// The names of the columns; some may be equal.
  package let columns: [String]
  /// The number of rows.
  package private(set) var count = 0
  /// Whether there are more rows than these.
  package private(set) var isCut = false
  /// The revision of tables that name none.
  package let revision: Int64
  /// Whether the rows were made as SQLite asked for them, without a copy of a table.
  package let isStreamed: Bool

  private let connection: Connection
  private let insert: RowCursor
  private var values: [Value]

  init(columns: [String], revision: Int64, isStreamed: Bool) throws(SQLiteError) {
    self.columns = columns
    self.revision = revision
    self.isStreamed = isStreamed
    connection = try Connection.temporary(cacheBytes: 8 << 20)
    let names = columns.indices.map { "c\($0)" }
    try connection.execute("CREATE TABLE result(\(names.joined(separator: ", ")))")
    let marks = columns.map { _ in "?" }.joined(separator: ", ")
    insert = try connection.cursor("INSERT INTO result VALUES (\(marks))")
    values = [Value](repeating: .null, count: columns.count)
    try connection.execute("BEGIN")
  }

  func append(_ row: borrowing Row) throws(SQLiteError) {
    for column in values.indices { values[column] = try row.value(column) }
    try append(values)
  }

  func append(_ values: [Value]) throws(SQLiteError) {
    try insert.start(values)
    _ = try insert.next()
    count += 1
  }

  /// Notes that rows were left out.
  func noteMore() { isCut = true }

  func finish() throws(SQLiteError) {
    insert.reset()
    try connection.execute("COMMIT")
  }

  /// Goes through the rows, in the order of the query, any number of times.
  ///
  /// - Throws: The closure's error, and errors of reading the temporary file.
  package func forEach(_ body: ([Value]) throws -> Void) throws {
    var values = [Value](repeating: .null, count: columns.count)
    try connection.forEach("SELECT * FROM result ORDER BY rowid") { row in
      for column in values.indices { values[column] = try row.value(column) }
      try body(values)
      return .continue
    }
  }
}
