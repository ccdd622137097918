import StrataColumns

/// Which entities of a table are listed, with which columns, and in which order.
package struct EntityListing: Sendable {
  /// A column to sort by.
  package struct Order: Sendable, Equatable {
    package var column: String
    package var isDescending: Bool

    /// Reads `name`, or `-name` for descending.
    package init(_ text: String) {
      isDescending = text.hasPrefix("-")
      column = isDescending ? String(text.dropFirst()) : text
    }
  }

  /// The name of the table in the store.
  package var table: String
  /// The columns; none for all.
  package var columns: [String]
  /// A condition as SQL has it behind `WHERE`.
  package var condition: String?
  /// By default the order of the IDs.
  package var order: [Order]
  /// How many entities; nil for all.
  package var limit: Int?
  /// How many are skipped first; O(that).
  package var offset = 0

  package init(
    table: String,
    columns: [String] = [],
    where condition: String? = nil,
    order: [Order] = [],
    limit: Int? = nil
  ) {
    self.table = table
    self.columns = columns
    self.condition = condition
    self.order = order
    self.limit = limit
  }

  /// The query that lists them.
  ///
  /// The condition is SQL of the caller: whatever it says, the query only reads.
  func sql(over sources: [any TableSource]) throws(QueryError) -> String {
    let tables = sources.compactMap { $0 as? EntitySource }.filter { $0.arguments.isEmpty }
    guard let source = tables.first(where: { $0.table == table }) else {
      throw .noTable(table, known: tables.map(\.table))
    }
    let names = source.columns.map(\.name)
    for name in columns + order.map(\.column)
    where !names.contains(where: { $0.lowercased() == name.lowercased() }) {
      throw .noColumn(
        name,
        table: table,
        known: source.columns.filter { !$0.isHidden }.map(\.name)
      )
    }
    let list = columns.isEmpty ? "*" : columns.map(SQLName.quoted).joined(separator: ", ")
    var sql = "SELECT \(list) FROM \(SQLName.quoted(source.name))"
    // On lines of its own, so that a comment in it ends there.
    if let condition { sql += " WHERE (\n\(condition)\n)" }
    let terms = order.map { SQLName.quoted($0.column) + ($0.isDescending ? " DESC" : "") }
    sql += " ORDER BY " + (terms.isEmpty ? ["id"] : terms).joined(separator: ", ")
    // SQLite sorts less if it knows how many are wanted; one more shows that there are more.
    if limit != nil || offset > 0 {
      sql += " LIMIT \(limit.map { $0 + 1 } ?? -1) OFFSET \(offset)"
    }
    return sql
  }
}
