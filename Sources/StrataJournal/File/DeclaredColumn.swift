import StrataBase
package import StrataRecords
package import StrataSQLite
import StrataSchema

/// A row of `declared_column`: a column that a script has declared, known before a record has a value in it.
package struct DeclaredColumn: Sendable, Equatable {
  package let table: String
  /// Its name, kind and reference.
  package let field: Layout.Field
  /// Whether a script has declared it NOT NULL.
  package let isRequired: Bool
  /// Its DEFAULT, as a script has written it; nil for none.
  package let defaultValue: String?
  /// The revision after which it was declared so.
  package let since: Revision

  package init(
    table: String,
    field: Layout.Field,
    isRequired: Bool,
    defaultValue: String? = nil,
    since: Revision
  ) {
    (self.table, self.field, self.isRequired) = (table, field, isRequired)
    (self.defaultValue, self.since) = (defaultValue, since)
  }

  /// The same for another field or table.
  package func with(_ field: Layout.Field, in table: String) -> DeclaredColumn {
    DeclaredColumn(
      table: table,
      field: field,
      isRequired: isRequired,
      defaultValue: defaultValue,
      since: since
    )
  }

  /// The declared columns of every table, in the order of tables and their columns.
  ///
  /// - Parameter revision: Those that were declared by then; nil for those of now.
  package static func all(
    at revision: Revision? = nil,
    in connection: Connection
  ) throws -> [DeclaredColumn] {
    try HashedTable.declaredColumn.rows(
      """
      WHERE field <> ?1 AND since <= ifnull(?2, since) AND (until IS NULL OR until > ?2)
        ORDER BY entity_table, position
      """,
      [.blob(DroppedColumn.field), .integer(orNull: revision?.number)],
      on: connection
    ) { row in
      let (table, name) = (try row.text(0), try row.text(1))
      let place = "the declared column \(name) of \(table)"
      let fields: [Layout.Field]
      do {
        fields = try Layout(body: try row.blob(3)).fields
      } catch let error as RecordError {
        throw CorruptionError("\(place) cannot be read: \(error)")
      }
      guard fields.count == 1, fields[0].name == name else {
        throw CorruptionError("\(place) has a field of another name")
      }
      return DeclaredColumn(
        table: table,
        field: fields[0],
        isRequired: try row.int(4) != 0,
        defaultValue: try row.optionalText(5),
        since: try row.revision(6, "the beginning of \(place)")
      )
    }
  }

  /// Replaces the declared columns of a table from a revision on, in the caller's transaction; returns them as they are now.
  ///
  /// Those that stay as they are keep their rows. None is a dropped one any more.
  @discardableResult
  package static func replace(
    _ columns: [DeclaredColumn],
    of table: String,
    at revision: Revision,
    in connection: Connection
  ) throws -> [DeclaredColumn] {
    let before = try all(in: connection).filter { $0.table == table }
    func isKept(_ position: Int) -> Bool {
      position < before.count && position < columns.count && before[position] == columns[position]
    }
    for (position, column) in before.enumerated() where !isKept(position) {
      let key: [Value] = [
        .text(table), .text(column.field.name), .integer(column.since.number),
      ]
      if column.since == revision {
        try connection.run(
          "DELETE FROM declared_column WHERE entity_table = ? AND name = ? AND since = ?",
          key
        )
      } else {
        try HashedTable.declaredColumn.end(
          "WHERE entity_table = ? AND name = ? AND since = ?",
          key,
          at: revision.number,
          on: connection
        )
      }
    }
    return try columns.enumerated().map { position, column in
      if isKept(position) { return column }
      try DroppedColumn(table: table, name: column.field.name, since: revision)
        .remove(from: connection)
      try HashedTable.declaredColumn.insert(
        [
          .text(table), .text(column.field.name), .integer(Int64(position)),
          .blob(try Layout([column.field]).body), .integer(column.isRequired ? 1 : 0),
          column.defaultValue.map { .text($0) } ?? .null, .integer(revision.number), .null,
        ],
        on: connection
      )
      return DeclaredColumn(
        table: table,
        field: column.field,
        isRequired: column.isRequired,
        defaultValue: column.defaultValue,
        since: revision
      )
    }
  }
}

extension [DeclaredColumn] {
  /// A layout of the declared columns whose kind none of the layouts says; nil if there are none.
  package func layout(besides layouts: [Layout]) throws -> Layout? {
    let known = Set(layouts.flatMap { $0.fields.filter { $0.kind != .unknown }.map(\.name) })
    let fields = map(\.field).filter { !known.contains($0.name) }
    return fields.isEmpty ? nil : try Layout(fields)
  }
}
