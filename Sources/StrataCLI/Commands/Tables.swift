import ArgumentParser
package import StrataInspection
import StrataJournal

/// `strata tables STORE`.
struct Tables: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "tables",
    abstract: "Lists the entity tables with their sizes and fields.",
    discussion: """
      Persisted values follow the tables. Their names start with `value:`.

      Examples:
        strata tables app.strata
        strata tables app.strata --at @yesterday
      """
  )

  @OptionGroup var arguments: StoreArguments

  @OptionGroup var moment: AtArguments

  @OptionGroup var display: DisplayArguments

  func run() throws {
    let tables = try Inspector(path: arguments.store).tables(at: try moment.expression)
    try Output.print(in: display.pager) { output throws(OutputError) in
      switch arguments.form {
      case .json: try output.array(tables.lazy.map { SummaryJSON.compact($0) })
      case .text:
        let columns = Terminal.standard.columns
        let values = tables.filter { $0.kind == .value }
        let entities = tables.filter { $0.kind == .entities }
        if !entities.isEmpty || values.isEmpty {
          try output.table(TablesText.table(entities, within: columns), display.highlighting)
        }
        if !entities.isEmpty, !values.isEmpty { try output.line("") }
        if !values.isEmpty {
          try output.table(TablesText.values(values, within: columns), display.highlighting)
        }
      }
    }
  }
}

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
