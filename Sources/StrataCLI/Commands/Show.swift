import ArgumentParser
import StrataInspection
import StrataJournal
import StrataRecords

/// `strata show STORE TABLE [ID]`.
struct Show: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Shows the entities of a table, one entity, or a persisted value.",
    discussion: """
      For a value, use the name that `strata tables` prints: strata show STORE value:settings. \
      Entities are sorted by ID. Long values are shortened to the width of the terminal; with an \
      ID or --json they are printed in full.

      Examples:
        strata show app.strata issues
        strata show app.strata issues 42
        strata show app.strata issues 42 --at HEAD~3
        strata show app.strata value:settings --json
      """
  )

  @OptionGroup var arguments: StoreArguments

  @Argument(
    help: "The name of the table, as `strata tables` prints it.",
    completion: StoreCompletion.table
  )
  var table: String

  @Argument(help: "The ID of one entity.", completion: StoreCompletion.id)
  var id: String?

  @OptionGroup var moment: AtArguments

  @OptionGroup var display: DisplayArguments

  func run() throws {
    // The store is closed before the first output, so that a user's pager does not block a writer.
    let entities = try Inspector(path: arguments.store).show(
      table: table,
      id: id,
      at: try moment.expression
    )
    try Output.print(in: display.pager) { output throws(OutputError) in
      if let entity = entities.first, entity.id == nil {
        try print(value: entity.value, to: &output)
      } else if id == nil {
        try printAll(entities, to: &output)
      } else {
        try printEach(entities, to: &output)
      }
    }
  }

  private func printAll(_ entities: [UntypedEntity], to output: inout Output) throws(OutputError) {
    switch arguments.form {
    case .json: try output.array(entities.lazy.map { $0.value.jsonPieces() })
    case .text:
      if entities.isEmpty { return try output.line("The table \(table.printable) is empty.") }
      try output.table(EntityText.table(entities, within: Terminal.standard.columns))
    }
  }

  private func print(value: RecordValue, to output: inout Output) throws(OutputError) {
    switch arguments.form {
    case .json: try output.line(value.jsonPieces(.indented))
    case .text:
      for line in EntityText.lines(ofValue: value, within: Terminal.standard.columns) {
        try output.line(line)
      }
    }
  }

  /// Prints one entity, or two if the table has both a number and a text that read as the given ID.
  private func printEach(_ entities: [UntypedEntity], to output: inout Output) throws(OutputError) {
    switch arguments.form {
    case .json:
      if let entity = entities.first { try output.line(entity.value.jsonPieces(.indented)) }
    case .text:
      for (index, entity) in entities.enumerated() {
        if index > 0 { try output.line("") }
        let lines = EntityText.lines(entity, within: Terminal.standard.columns)
        for line in lines { try output.line(line) }
      }
    }
  }
}
