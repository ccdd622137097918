import StrataColumns
import StrataRecords

/// Which entities of a table are listed, with which columns, and in which order.
package struct EntityListing: Sendable {
  /// Names of columns, as a person or a program gives them.
  package enum Names: Sendable {
    case names([String])
    /// With commas between them; the longest name that the table has counts, also one with a comma.
    case list(String)

    /// The names, as far as the table has them.
    fileprivate func names(among known: [String]) -> [String] {
      switch self {
      case .names(let names): return names
      case .list(let text):
        let known = known.sorted { $0.count > $1.count }
        var names: [String] = []
        var rest = text[...]
        while true {
          rest = rest.drop { $0 == " " }
          guard !rest.isEmpty else { return names }
          let sign = rest.prefix { $0 == "-" }.prefix(1)
          let name = Self.name(at: rest.dropFirst(sign.count), known)
          names.append(String(sign) + name)
          rest = rest.dropFirst(sign.count + name.count).drop { $0 == " " }.dropFirst()
        }
      }
    }

    private static func name(at text: Substring, _ known: [String]) -> Substring {
      for name in known where text.lowercased().hasPrefix(name.lowercased()) {
        let end = text.dropFirst(name.count).drop { $0 == " " }.first
        if end == nil || end == "," { return text.prefix(name.count) }
      }
      let name = text.prefix { $0 != "," }
      return name.prefix(name.count - name.reversed().prefix { $0 == " " }.count)
    }
  }

  /// A column to sort by.
  private struct Order {
    let column: String
    let isDescending: Bool

    /// Reads `name`, or `-name` for descending.
    init(_ text: String) {
      isDescending = text.hasPrefix("-")
      column = isDescending ? String(text.dropFirst()) : text
    }
  }

  /// The name of the table in the store.
  package var table: String
  /// The columns, or paths to parts of their values, as `contact.email` and `lines[0].note`; none for all.
  package var columns: Names
  /// A condition as SQL has it behind `WHERE`.
  package var condition: String?
  /// The columns or paths to sort by, `-name` for descending; by default the ID.
  package var order: Names
  /// How many entities; nil for all.
  package var limit: Int?
  /// How many are skipped first; O(that).
  package var offset = 0

  package init(
    table: String,
    columns: Names = .names([]),
    where condition: String? = nil,
    order: Names = .names([]),
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
    let columns = columns.names(among: names)
    let order = order.names(among: names).map(Order.init)
    func expression(_ name: String) throws(QueryError) -> String {
      if names.contains(where: { $0.lowercased() == name.lowercased() }) {
        return SQLName.quoted(name)
      }
      guard let part = source.part(at: name) else {
        throw .noColumn(
          name,
          table: table,
          known: source.columns.filter { !$0.isHidden }.map(\.name)
        )
      }
      return part
    }
    var list: [String] = []
    for name in columns {
      let (expression, quoted) = (try expression(name), SQLName.quoted(name))
      list.append(expression == quoted ? quoted : "\(expression) AS \(quoted)")
    }
    let expressions = list.isEmpty ? "*" : list.joined(separator: ", ")
    var sql = "SELECT \(expressions) FROM \(SQLName.quoted(source.name))"
    // On lines of its own, so that a comment in it ends there.
    if let condition { sql += " WHERE (\n\(condition)\n)" }
    var terms: [String] = []
    for order in order {
      terms.append(try expression(order.column) + (order.isDescending ? " DESC" : ""))
    }
    sql += " ORDER BY " + (terms.isEmpty ? ["id"] : terms).joined(separator: ", ")
    // SQLite sorts less if it knows how many are wanted; one more shows that there are more.
    if limit != nil || offset > 0 {
      sql += " LIMIT \(limit.map { $0 + 1 } ?? -1) OFFSET \(offset)"
    }
    return sql
  }
}
