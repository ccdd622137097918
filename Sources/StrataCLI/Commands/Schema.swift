import ArgumentParser
import StrataInspection
import StrataJournal
import StrataRecords

/// `strata schema STORE [TABLE]`.
struct Schema: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "schema",
    abstract: "Lists the fields of each table, with their kinds and the tables that they refer to.",
    discussion: """
      The fields are those of the newest layout of a table.

      Examples:
        strata schema app.strata
        strata schema app.strata issues --json
      """
  )

  @OptionGroup var arguments: RowArguments

  @Argument(help: "One table.", completion: StoreCompletion.table)
  var table: String?

  @OptionGroup var display: DisplayArguments

  func run() throws {
    let inspector = try Inspector(path: arguments.store)
    var tables = try inspector.tables()
    if let table {
      let names = tables.map(\.name)
      tables.removeAll { $0.name != table }
      if tables.isEmpty { throw inspector.noTable(table, among: names) }
    }
    let rows = RowText(
      [.init("table"), .init("field"), .init("kind"), .init("refers to")],
      tables.flatMap { table in
        table.fields.map { field in
          [
            .text(table.name), .text(field.name), .text(field.kind),
            field.references.map { .text($0) } ?? .none,
          ]
        }
      }
    )
    try Output.print(in: display.pager) { output throws(OutputError) in
      if let form = arguments.form { return try output.rows(rows, as: form) }
      try output.lines(rows.table(within: Terminal.standard.columns, display.highlighting))
    }
  }
}
