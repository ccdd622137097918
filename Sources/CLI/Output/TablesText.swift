package import StrataPersistence

/// The entity tables of a store, in lines for people.
package enum TablesText {
  /// A row for each table.
  package static func table(
    _ tables: [TableSummary],
    within limit: Int
  ) -> TextTable<[[String]]> {
    TextTable(
      [.init("table"), .init("entities", .right), .init("size", .right), .init("fields")],
      tables.map { table in
        [
          table.name.printable,
          "\(table.count)",
          Measures.size(table.bytes),
          table.fields.map { "\($0.name) \($0.kind)" }.joined(separator: ", ").printable,
        ]
      },
      within: limit
    )
  }
}
