import StrataBase
package import StrataSQLite
import StrataSchema

/// A row of `entity_table`: a table that the file has, or has had.
package struct ListedTable: Sendable, Equatable {
  package let name: String
  /// The revision that added it.
  package let since: Revision
  /// The revision at which it was renamed or dropped; nil while it is there.
  ///
  /// Its history before that stays. A table that comes back under the name is there again.
  package let until: Revision?

  package init(name: String, since: Revision, until: Revision? = nil) {
    (self.name, self.since, self.until) = (name, since, until)
  }

  /// Every table that the file lists, by name.
  package static func all(in connection: Connection) throws -> [ListedTable] {
    try rows("ORDER BY name", [], in: connection)
  }

  private static func rows(
    _ rest: String,
    _ values: [Value],
    in connection: Connection
  ) throws -> [ListedTable] {
    try HashedTable.entityTable.rows(rest, values, on: connection) { row in
      let name = try row.text(0)
      return ListedTable(
        name: name,
        since: try row.revision(1, "the beginning of table \(name)"),
        until: try row.optionalInt(2).map {
          try StoredNumber.revision($0, "the end of table \(name)")
        }
      )
    }
  }

  /// A table; nil if the file does not list it.
  package static func named(_ name: String, in connection: Connection) throws -> ListedTable? {
    try rows("WHERE name = ?", [.text(name)], in: connection).first
  }

  /// Lists a table from a revision on; a table that is listed already keeps its start.
  package static func add(
    _ name: String,
    since revision: Revision,
    to connection: Connection
  ) throws {
    let known = try named(name, in: connection)
    if let known, known.until == nil { return }
    try ListedTable(name: name, since: known?.since ?? revision).write(to: connection)
  }

  /// Notes that a table was renamed or dropped.
  package static func end(_ name: String, at revision: Revision, in connection: Connection) throws {
    guard let known = try named(name, in: connection) else { return }
    try ListedTable(name: name, since: known.since, until: revision).write(to: connection)
  }

  /// Writes the row, or replaces it.
  package func write(to connection: Connection) throws(SQLiteError) {
    try HashedTable.entityTable.insert(
      [.text(name), .integer(since.number), .integer(orNull: until?.number)],
      on: connection,
      .replace
    )
  }
}
