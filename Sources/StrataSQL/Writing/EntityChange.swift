package import StrataRecords

/// A change of one entity that SQL has made.
package struct EntityChange {
  package enum Change {
    /// The record, and the layout to read it with.
    case put(Layout, [UInt8])
    case remove
  }

  package let table: String
  /// The encoded ID.
  package let id: [UInt8]
  package let change: Change
}

/// Why what SQL has left in the tables cannot be stored.
package enum EntityTableError: Error, Equatable, Sendable {
  /// SQLite refused a statement; the offset is where in its text, in bytes.
  case statement(String, message: String)
  /// The statement would reach beyond the tables.
  case refused(String)
  case timeLimit(Duration)
  /// A table has no column `id`.
  case noID(table: String)
  /// A table is declared WITHOUT ROWID.
  case withoutRowID(table: String)
  /// A row has no ID, or one that cannot be stored.
  case badID(table: String, value: String)
  /// Two rows have one ID.
  case sameID(table: String, id: String)
  /// The declared type of a column stands for no kind.
  case unknownType(table: String, column: String, type: String)
  /// A value is not of the kind of its column.
  case doesNotFit(table: String, id: String, column: String, kind: String)
}

extension EntityTableError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .statement(let sql, let message): "\(message) in: \(sql.prefix(200))"
    case .refused(let what): "\(what) is not allowed: a statement may use its tables only"
    case .timeLimit: "the statements took too long"
    case .noID(let table): "the table \(table) has no column id"
    case .withoutRowID(let table): "the table \(table) is WITHOUT ROWID; declare it without that"
    case .badID(let table, let value): "a row of \(table) has \(value) for its ID"
    case .sameID(let table, let id): "two rows of \(table) have the ID \(id)"
    case .unknownType(let table, let column, let type):
      "the type \(type) of \(table).\(column) stands for no kind; use one such as TEXT or INTEGER"
    case .doesNotFit(let table, let id, let column, let kind):
      "\(table) \(id): the value of \(column) is no \(kind)"
    }
  }
}
