import ArgumentParser
import StrataSQL
import StrataStorage

/// `strata list STORE TABLE`.
struct List: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "Lists entities of a table: which, in which order, with which columns.",
    discussion: """
      The condition is what SQL has behind WHERE; `strata schema` prints the columns. `strata query` \
      answers whole queries. A part of a value is a path: contact.email, status.done.notes, lines[0].note.

      Examples:
        strata list app.strata issues --where "state = 'open'" --sort -updated --limit 10
        strata list app.strata issues --columns id,title --at @yesterday
        strata list app.strata customers --columns id,contact.email --sort contact.city
        strata list app.strata issues --where "title LIKE '%crash%'" --csv
      """
  )

  @OptionGroup var arguments: RowArguments

  @Argument(
    help: "The name of the table, as `strata tables` prints it.",
    completion: StoreCompletion.table
  )
  var table: String

  @Option(name: .customLong("where"), parsing: .unconditional, help: "A condition in SQL.")
  var condition: String?

  @Option(
    parsing: .unconditional,
    help: "Columns or paths to sort by, separated by commas; -NAME for descending. (default: id)"
  )
  var sort: String?

  @Option(
    parsing: .unconditionalSingleValue,
    help:
      "Columns or paths to print, separated by commas; each as it is, if repeated. (default: all)"
  )
  var columns: [String] = []

  @Option(help: "At most N entities; 0 for all.")
  var limit = 50

  @OptionGroup var moment: AtArguments

  @OptionGroup var limits: QueryLimits

  @OptionGroup var display: DisplayArguments

  func validate() throws { try Limit.validate(limit) }

  func run() throws {
    var query = StoreQuery(path: arguments.store)
    query.at = try moment.expression
    query.timeLimit = limits.apply()
    let result = try query.list(
      EntityListing(
        table: table,
        columns: columns.count == 1 ? .list(columns[0]) : .names(columns),
        where: condition,
        order: .list(sort ?? ""),
        limit: limit == 0 ? nil : limit
      )
    )
    try Output.print(in: display.pager) { output throws(OutputError) in
      try output.rows(of: result, as: arguments.form, display.highlighting)
    }
    if result.isCut {
      Output.printError("There are more entities: raise --limit, or --limit 0 for all.")
    }
  }
}
