import ArgumentParser
import StrataRecords
import StrataStorage

/// `strata show STORE TABLE [ID]`.
struct Show: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Shows the entities of a table, or one of them, or a persisted value.",
    discussion: """
      A value is shown by the name that `strata tables` prints: strata show STORE value:settings. \
      Entities come in the order of their IDs. Long values are shortened to the width of the \
      terminal; with an ID, or with --json, they are printed whole.
      """
  )

  @OptionGroup var arguments: StoreArguments

  @Argument(help: "The name of the table, as `strata tables` prints it.")
  var table: String

  @Argument(help: "The ID of one entity.")
  var id: String?

  func run() throws {
    // The store is let go before anything is printed: whoever pages through it blocks nobody.
    let entities = try Inspector(path: arguments.store).show(table: table, id: id)
    try Output.print { output throws(OutputError) in
      if let entity = entities.first, entity.id == nil {
        try print(value: entity.value, to: &output)
      } else if id == nil {
        try printAll(entities, to: &output)
      } else {
        try printEach(entities, to: &output)
      }
    }
  }

  private func printAll(_ entities: [ShownEntity], to output: inout Output) throws(OutputError) {
    switch arguments.form {
    case .json: try output.array(entities.lazy.map { $0.value.json() })
    case .text:
      if entities.isEmpty { return try output.line("The table \(table) is empty.") }
      try output.table(EntityText.table(entities, within: Terminal.standard.columns))
    }
  }

  private func print(value: RecordValue, to output: inout Output) throws(OutputError) {
    switch arguments.form {
    case .json: try output.line(value.json(.indented))
    case .text:
      for line in EntityText.lines(ofValue: value, within: Terminal.standard.columns) {
        try output.line(line)
      }
    }
  }

  /// Mostly one: a text can be the ID of two entities only where a table has both numbers and texts.
  private func printEach(_ entities: [ShownEntity], to output: inout Output) throws(OutputError) {
    switch arguments.form {
    case .json: if let entity = entities.first { try output.line(entity.value.json(.indented)) }
    case .text:
      for (index, entity) in entities.enumerated() {
        if index > 0 { try output.line("") }
        let lines = EntityText.lines(entity, within: Terminal.standard.columns)
        for line in lines { try output.line(line) }
      }
    }
  }
}
