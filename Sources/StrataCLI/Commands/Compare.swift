import ArgumentParser
import StrataInspection
import StrataJournal

/// `strata compare A B`.
struct Compare: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "compare",
    abstract: "Shows what differs between two stores, entity by entity and field by field.",
    discussion: """
      The stores need not have a common history. --at reads both at a revision.

      Exits with 2 if something differs, and with 0 if nothing does.

      Examples:
        strata compare app.strata backup.strata
        strata compare app.strata customer.strata --stat
        strata compare app.strata customer.strata issues --csv
      """
  )

  @Argument(help: "The file of a store.", completion: .file())
  var store: String

  @Argument(help: "The file of the other store.", completion: .file())
  var other: String

  @Argument(help: "One table.", completion: StoreCompletion.table)
  var table: String?

  @Flag(help: "The form of the output. (default: a table)")
  var form: RowForm?

  @OptionGroup var moment: AtArguments

  @OptionGroup var options: DifferenceArguments

  @OptionGroup var display: DisplayArguments

  func run() throws {
    let difference = try Inspector(path: store).compare(
      with: try Inspector(path: other),
      at: try moment.expression,
      table: table,
      limit: options.count()
    )
    try options.print(difference, (store.printable, other.printable), as: form, display)
  }
}
