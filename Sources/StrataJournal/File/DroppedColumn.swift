package import StrataRecords
package import StrataSQLite
import StrataSchema

/// A row of `declared_column` without a field: a column that a migration has dropped or renamed, and that no record has
/// had a value in since.
///
/// Older layouts of the table have its field, so queries of the present leave it out by this row. It ends when a record
/// is written with a value in the field, or when a script declares the column.
package struct DroppedColumn: Sendable, Hashable {
  package let table: String
  package let name: String
  /// The revision after which it was dropped.
  package let since: Revision

  package init(table: String, name: String, since: Revision) {
    (self.table, self.name, self.since) = (table, name, since)
  }

  /// What `field` is of such a row: a layout without a field.
  static let field = Layout.empty.body

  /// The dropped columns of every table.
  package static func all(in connection: Connection) throws -> [DroppedColumn] {
    try HashedTable.declaredColumn.rows(
      "WHERE field = ? ORDER BY entity_table, name",
      [.blob(field)],
      on: connection
    ) { row in
      let (table, name) = (try row.text(0), try row.text(1))
      return DroppedColumn(
        table: table,
        name: name,
        since: try row.revision(6, "the end of the column \(name) of \(table)")
      )
    }
  }

  /// Replaces the dropped columns of a table, in the caller's transaction.
  package static func replace(
    _ columns: [DroppedColumn],
    of table: String,
    in connection: Connection
  ) throws {
    try connection.run(
      "DELETE FROM declared_column WHERE entity_table = ? AND field = ?",
      [.text(table), .blob(field)]
    )
    for column in columns {
      try HashedTable.declaredColumn.insert(
        [
          .text(table), .text(column.name), .integer(0), .blob(field), .integer(0), .null,
          .integer(column.since.number), .null,
        ],
        on: connection,
        .replace
      )
    }
  }

  /// Notes that a record has a value in the column again, in the caller's transaction.
  package func remove(from connection: Connection) throws(SQLiteError) {
    try connection.run(
      "DELETE FROM declared_column WHERE entity_table = ? AND name = ? AND field = ?",
      [.text(table), .text(name), .blob(Self.field)]
    )
  }
}

extension [DroppedColumn] {
  /// Those that a record has a value in; O(members of the record).
  package func withValues(in record: ArraySlice<UInt8>, _ layout: Layout) throws -> [DroppedColumn]
  {
    if layout.isOfSealedRecords { return [] }
    if let presence = FieldPresence(record, layout) {
      return filter { column in
        layout.fields.enumerated().contains { index, field in
          field.name == column.name && presence[index].hasValue
        }
      }
    }
    let members = try RecordValue(record: record, layout: layout).members ?? []
    return filter { column in
      members.contains { $0.name == column.name && $0.value != .null }
    }
  }
}
