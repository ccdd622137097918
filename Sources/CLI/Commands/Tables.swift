import ArgumentParser
import StrataPersistence

/// `strata tables STORE`.
struct Tables: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Lists the entity tables, how much is in them, and their fields."
  )

  @OptionGroup var arguments: StoreArguments

  func run() throws {
    let tables = try Inspector(path: arguments.store).tables()
    try Output.print { output throws(OutputError) in
      switch arguments.form {
      case .json: try output.array(tables.lazy.map { JSONText.compact($0) })
      case .text: try output.table(TablesText.table(tables, within: Terminal.standard.columns))
      }
    }
  }
}
