import StrataBase
package import StrataRecords
package import StrataSQLite
import StrataSchema

/// A row of `declared_column`: what the file knows of a column of a table beside the layouts.
///
/// A script has declared it, before a record has a value in it, or a build has said what its IDs lead to. Or it is gone:
/// a migration has dropped or renamed it, and no record has had a value in it since. Older layouts of the table have its
/// field, so queries of the present leave it out by this row. Such a row ends when a record is written with a value in
/// the field, or when a script declares the column.
package struct DeclaredColumn: Sendable, Equatable {
  package let table: String
  /// Its name, kind and reference; of one that is gone only the name.
  package let field: Layout.Field
  /// Whether it is gone.
  package let isDropped: Bool
  /// Whether a script has declared it NOT NULL.
  package let isRequired: Bool
  /// Its DEFAULT, as a script has written it; nil for none.
  package let defaultValue: String?
  /// The revision after which it was declared so; 0 before it is written.
  package let since: Revision

  package var name: String { field.name }

  package init(
    table: String,
    field: Layout.Field,
    isRequired: Bool = false,
    defaultValue: String? = nil,
    since: Revision = 0
  ) {
    (self.table, self.field, self.isRequired) = (table, field, isRequired)
    (self.defaultValue, self.since, isDropped) = (defaultValue, since, false)
  }

  /// One that is gone.
  package init(table: String, dropped name: String, since: Revision) {
    (self.table, field, isRequired) = (table, Layout.Field(name, .unknown), false)
    (defaultValue, self.since, isDropped) = (nil, since, true)
  }

  /// The same for another field, table or revision.
  package func with(
    _ field: Layout.Field? = nil,
    in table: String? = nil,
    since: Revision? = nil
  ) -> DeclaredColumn {
    let (table, since) = (table ?? self.table, since ?? self.since)
    if isDropped { return DeclaredColumn(table: table, dropped: name, since: since) }
    return DeclaredColumn(
      table: table,
      field: field ?? self.field,
      isRequired: isRequired,
      defaultValue: defaultValue,
      since: since
    )
  }

  /// What `field` is of one that is gone: a layout without a field.
  private static let dropped = Layout.empty.body

  /// The columns of every table: those that are declared, in the order of tables and their columns, then those that
  /// are gone.
  ///
  /// - Parameter revision: As it was then; nil for now.
  package static func all(
    at revision: Revision? = nil,
    in connection: Connection
  ) throws -> [DeclaredColumn] {
    try HashedTable.declaredColumn.rows(
      """
      WHERE since <= ifnull(?2, since) AND (until IS NULL OR until > ?2)
        ORDER BY field = ?1, entity_table, position, name
      """,
      [.blob(dropped), .integer(orNull: revision?.number)],
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
      let since = try row.revision(6, "the beginning of \(place)")
      if fields.isEmpty { return DeclaredColumn(table: table, dropped: name, since: since) }
      guard fields.count == 1, fields[0].name == name else {
        throw CorruptionError("\(place) has a field of another name")
      }
      return DeclaredColumn(
        table: table,
        field: fields[0],
        isRequired: try row.int(4) != 0,
        defaultValue: try row.optionalText(5),
        since: since
      )
    }
  }

  /// The columns that were there at a revision and that migrations have dropped or renamed since, by their tables.
  package static func dropped(
    after revision: Revision,
    in connection: Connection
  ) throws -> [String: Set<String>] {
    let rows = try HashedTable.declaredColumn.rows(
      "WHERE since > ? AND field = ?",
      [.integer(revision.number), .blob(dropped)],
      on: connection
    ) { (table: try $0.text(0), name: try $0.text(1)) }
    return Dictionary(grouping: rows, by: \.table).mapValues { Set($0.map(\.name)) }
  }

  /// Replaces the columns of a table from a revision on, in the caller's transaction; returns them as they are now.
  ///
  /// Those that stay as they are keep their rows.
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
    for (position, column) in before.enumerated()
    where !(column.isDropped ? columns.contains(column) : isKept(position)) {
      try column.end(at: revision, in: connection)
    }
    return try columns.enumerated().map { position, column in
      if column.isDropped ? before.contains(column) : isKept(position) { return column }
      let column = column.isDropped ? column : column.with(since: revision)
      try column.insert(at: position, into: connection)
      return column
    }
  }

  private func end(at revision: Revision, in connection: Connection) throws {
    if since == revision { return try remove(from: connection) }
    try HashedTable.declaredColumn.end(
      "WHERE entity_table = ? AND name = ? AND since = ?",
      [.text(table), .text(name), .integer(since.number)],
      at: revision.number,
      on: connection
    )
  }

  private func insert(at position: Int, into connection: Connection) throws {
    try HashedTable.declaredColumn.insert(
      [
        .text(table), .text(name), .integer(isDropped ? 0 : Int64(position)),
        .blob(isDropped ? Self.dropped : try Layout([field]).body), .integer(isRequired ? 1 : 0),
        defaultValue.map { .text($0) } ?? .null, .integer(since.number), .null,
      ],
      on: connection,
      isDropped ? .replace : .refuse
    )
  }

  /// Removes its row, in the caller's transaction.
  package func remove(from connection: Connection) throws(SQLiteError) {
    try connection.run(
      "DELETE FROM declared_column WHERE entity_table = ? AND name = ? AND since = ?",
      [.text(table), .text(name), .integer(since.number)]
    )
  }
}

extension [DeclaredColumn] {
  /// A layout of the declared columns whose kind none of the layouts says; nil if there are none.
  package func layout(besides layouts: [Layout]) throws -> Layout? {
    let known = Set(layouts.flatMap { $0.fields.filter { $0.kind != .unknown }.map(\.name) })
    let fields = filter { !$0.isDropped && !known.contains($0.name) }.map(\.field)
    return fields.isEmpty ? nil : try Layout(fields)
  }
}
