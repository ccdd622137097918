import Foundation
import StrataColumns
import StrataInspection
package import StrataJournal
import StrataRecords
import StrataSQLite
import StrataStorage

/// Writes the entities of a store in forms that other programs read.
///
/// All tables are read at the revision of the first one, also while a program writes. The store is closed
/// while the rows of a table are handed on.
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

  /// What was written.
  package struct Counts: Sendable, Equatable {
    package var tables = 0
    package var rows = 0
    package var revision: Int64 = 0
  }

  /// Hands on each table with the columns that queries have.
  ///
  /// - Throws: `QueryError` for a table that the store does not have, and what reading the store throws.
  package func forEachTable(_ body: (String, QueryResult) throws -> Void) throws {
    try forEachTable(columns: { _ in [] }) { table, result in try body(table.table, result) }
  }

  /// Hands on a line of JSON for each entity: its table, its ID and its record.
  package func forEachRecord(_ body: (String) throws -> Void) throws {
    let ends = { (table: EntitySource) in
      [table.columns.first, table.columns.last].compactMap { $0?.name }
    }
    try forEachTable(columns: ends) { table, result in
      let name = RecordValue.string(table.table).json()
      let isValue = StoredValues.name(ofTable: table.table) != nil
      // The record of a persisted value has it as its one member.
      let start = "{\"value\":"
      try result.forEach { row in
        guard case .text(var record) = row[1] else { return }
        if isValue, record.hasPrefix(start) {
          record = String(record.dropFirst(start.count).dropLast())
        }
        let id = isValue ? "null" : row[0].json
        try body("{\"table\":\(name),\"id\":\(id),\"value\":\(record)}")
      }
    }
  }

  /// Creates an SQLite file with a table for each entity table, and returns what is in it.
  ///
  /// The file gets its name when it is complete and on disk; others cannot read it. O(entities).
  ///
  /// - Throws: `.fileExists` if there is a file at the path; `.notWritable` for the name of a file of the
  ///   store; what reading the store and writing the file throw.
  package func write(toDatabase file: String) throws -> Counts {
    let target = try StorePath(file, for: .exporting)
    try target.checkIsNotBeside(StorePath(path, for: .exporting), .exporting)
    let new = try NewFile(at: target, for: .exporting, on: .system)
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
    try forEachTable(columns: { _ in [] }) { table, result in
      try connection.transaction { try Self.copy(result, of: table, to: connection) }
      counts.tables += 1
      counts.rows += result.count
      counts.revision = result.revision
    }
    try connection.close()
    return counts
  }

  private static func copy(
    _ result: QueryResult,
    of table: EntitySource,
    to connection: Connection
  ) throws {
    let name = SQLName.quoted(table.name)
    let columns = table.columns.filter { !$0.isHidden }
    let declared = columns.map(\.declarationInFiles).joined(separator: ", ")
    try connection.execute("CREATE TABLE \(name)(\(declared))")
    let marks = columns.map { _ in "?" }.joined(separator: ", ")
    let insert = try connection.cursor("INSERT INTO \(name) VALUES (\(marks))")
    try result.forEach { row in
      try insert.start(row)
      _ = try insert.next()
    }
    insert.reset()
    try connection.execute("CREATE INDEX \(SQLName.quoted("\(table.name):id")) ON \(name)(id)")
  }

  private func forEachTable(
    columns: (EntitySource) -> [String],
    _ body: (EntitySource, QueryResult) throws -> Void
  ) throws {
    let all = try Inspector(path: path).query { view in
      try StoreTables(view, at: try view.revision(of: expression)).sources.compactMap {
        $0 as? EntitySource
      }.filter { $0.arguments.isEmpty }
    }
    let tables = all.filter { source in table.map { $0 == source.table } ?? true }
    if let table, tables.isEmpty { throw QueryError.noTable(table, known: all.map(\.table)) }
    var query = StoreQuery(path: path)
    query.at = expression
    query.timeLimit = .seconds(86_400)
    for source in tables {
      let result = try query.list(
        EntityListing(table: source.table, columns: .names(columns(source)))
      )
      query.at = .point(.revision(Revision(result.revision)))
      try body(source, result)
    }
  }
}
