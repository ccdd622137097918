import StrataColumns
package import StrataMigrating
import StrataSQLite
import StrataSchema

/// What scripts declare that holds while they run.
extension EntityTables {
  /// A finding for each declaration of the scripts that is not kept; O(tables, columns and text of the schema).
  package func unkept() throws -> [MigrationFinding] {
    try objects() + tablesWithConstraints() + computedColumns()
  }

  /// A finding for each copied table that has more fields than a table of SQL.
  package func unshown() -> [MigrationFinding] {
    tables.filter { $0.use != nil && !$0.columns.omitted.isEmpty }.map { table in
      let omitted = table.columns.omitted
      let names = omitted.prefix(5).joined(separator: ", ")
      let rest = omitted.count > 5 ? " and \(omitted.count - 5) more" : ""
      return MigrationFinding(
        .notShown,
        table: table.records.table,
        count: omitted.count,
        detail: """
          a script sees \(table.columns.fields.count) fields of \(table.records.table); \(names)\(rest) stay as they are
          """
      )
    }
  }

  private static func finding(
    _ what: String,
    _ table: String,
    _ field: String? = nil
  ) -> MigrationFinding {
    MigrationFinding(.notKept, table: table, field: field, detail: what)
  }

  private func objects() throws -> [MigrationFinding] {
    try connection.all(
      """
      SELECT type, name, tbl_name FROM main.sqlite_schema
        WHERE type IN ('index', 'trigger', 'view') AND sql IS NOT NULL ORDER BY type, name
      """
    ) { row in (try row.text(0), try row.text(1), try row.text(2)) }
    .filter { !ownIndexes.contains($0.1) }
    .map { type, name, table in
      let place = type == "view" ? "" : " of \(table)"
      return Self.finding("the \(type) \(name)\(place) holds in this script only", table)
    }
  }

  private func tablesWithConstraints() throws -> [MigrationFinding] {
    let declared = try connection.all(
      """
      SELECT name, sql, rootpage FROM main.sqlite_schema
        WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name
      """
    ) { row in (try row.text(0), try row.text(1), try row.int(2)) }
    return declared.compactMap { name, sql, root -> MigrationFinding? in
      let own = tables.first { $0.root == root && !$0.isDropped }?.declaration ?? ""
      let before = Self.constraints(in: own)
      let words = Self.constraints(in: sql).filter { before[$0.key, default: 0] < $0.value }
      if words.isEmpty { return nil }
      let list = words.keys.sorted().joined(separator: ", ")
      return Self.finding(
        "\(list) of \(name) \(words.count == 1 ? "holds" : "hold") in this script only",
        name
      )
    }
  }

  /// How often a declaration has the words of constraints that are not kept.
  private static func constraints(in sql: String) -> [String: Int] {
    let tokens = SQLTokens(sql)
    var counts: [String: Int] = [:]
    for token in tokens where token.kind == .word {
      let word = tokens.text(of: token).uppercased()
      guard ["AUTOINCREMENT", "CHECK", "COLLATE", "UNIQUE"].contains(word) else { continue }
      counts[word, default: 0] += 1
    }
    return counts
  }

  private func computedColumns() throws -> [MigrationFinding] {
    try connection.all(
      """
      SELECT t.name, c.name FROM main.sqlite_schema t, pragma_table_xinfo(t.name, 'main') c
        WHERE t.type = 'table' AND c.hidden IN (2, 3) ORDER BY t.name, c.cid
      """
    ) { row in (try row.text(0), try row.text(1)) }
    .map { table, column in
      Self.finding(
        "\(table).\(column) has the values that it has now, and is computed no more",
        table,
        column
      )
    }
  }
}
