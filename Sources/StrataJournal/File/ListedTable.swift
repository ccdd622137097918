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
  /// The names of the checks and unique keys that the last program with types of this table has declared for it, sorted.
  ///
  /// What has no types cannot check them, and names them.
  package let rules: [String]

  /// - Parameter rules: A name of several lines counts as several, as the file has a name on each line.
  package init(name: String, since: Revision, until: Revision? = nil, rules: [String] = []) {
    (self.name, self.since, self.until) = (name, since, until)
    self.rules = rules.flatMap { $0.split(whereSeparator: \.isNewline).map(String.init) }
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
        },
        rules: try row.optionalText(3).map { [$0] } ?? []
      )
    }
  }

  /// A table; nil if the file does not list it.
  package static func named(_ name: String, in connection: Connection) throws -> ListedTable? {
    try rows("WHERE name = ?", [.text(name)], in: connection).first
  }

  /// Lists a table from a revision on; a table that is listed already keeps its start and its rules.
  ///
  /// - Parameter former: The name that it had before, under which its rules are known.
  package static func add(
    _ name: String,
    since revision: Revision,
    renamedFrom former: String? = nil,
    to connection: Connection
  ) throws {
    let known = try named(name, in: connection)
    if let known, known.until == nil { return }
    let former = try former.flatMap { former in try named(former, in: connection) }
    try ListedTable(
      name: name,
      since: known?.since ?? revision,
      rules: (former ?? known)?.rules ?? []
    ).write(to: connection)
  }

  /// The same table with other rules.
  package func with(rules: [String]) -> ListedTable {
    ListedTable(name: name, since: since, until: until, rules: rules)
  }

  /// Notes that a table was renamed or dropped.
  package static func end(_ name: String, at revision: Revision, in connection: Connection) throws {
    guard let known = try named(name, in: connection) else { return }
    try ListedTable(name: name, since: known.since, until: revision, rules: known.rules)
      .write(to: connection)
  }

  /// Writes the row, or replaces it.
  package func write(to connection: Connection) throws(SQLiteError) {
    try HashedTable.entityTable.insert(
      [
        .text(name), .integer(since.number), .integer(orNull: until?.number),
        rules.isEmpty ? .null : .text(rules.joined(separator: "\n")),
      ],
      on: connection,
      .replace
    )
  }
}
