package import StrataInspection
import StrataJournal

/// The text output of `strata tables`.
package enum TablesText {
  /// A row for each value.
  package static func values(
    _ values: [TableSummary],
    within limit: Int
  ) -> TextTable<[[String]]> {
    TextTable(
      [.init("value"), .init("size", .right), .init("fields")],
      values.map { [$0.name.printable, Measures.size($0.bytes), $0.fieldsText] },
      within: limit
    )
  }

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
          table.fieldsText,
        ]
      },
      within: limit
    )
  }
}

extension TableSummary {
  fileprivate var fieldsText: String {
    fields.map(\.text).joined(separator: ", ").printable
  }
}

extension FieldSummary {
  /// `author string → users`.
  fileprivate var text: String {
    let named = name.isEmpty ? kind : "\(name) \(kind)"
    return references.map { "\(named) → \($0)" } ?? named
  }
}
