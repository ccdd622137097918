import ArgumentParser
import StrataSQL

/// `strata query STORE "SELECT …"`.
struct Query: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "query",
    abstract: "Answers an SQL query about the entities of a store and about its history.",
    discussion: """
      Each entity table is a table of SQL, with a column for its ID and one for each field. Besides \
      `users` there are users_at(REV), users_history, users_diff(A, B) and users_blame; strata_log \
      lists the commits. A revision is 42, HEAD~3, @2026-11-01T12:00 (UTC), @yesterday, @-5m or \
      snap:NAME.

      Examples:
        strata query app.strata "SELECT city, count(*) FROM users GROUP BY city"
        strata query app.strata "SELECT n.id FROM users n JOIN users_at('@yesterday') o USING (id) \
      WHERE n.city <> o.city"
        strata query app.strata "SELECT * FROM users_blame WHERE id = 42" --json
      """
  )

  @Argument(help: "The file of the store.", completion: .file())
  var store: String

  @Argument(help: "One SELECT, WITH or VALUES.")
  var sql: String

  @OptionGroup var moment: AtArguments

  @Flag(help: "The form of the output. (default: a table)")
  var form: RowForm?

  @OptionGroup var limits: QueryLimits

  @OptionGroup var display: DisplayArguments

  func run() throws {
    var query = StoreQuery(path: store)
    query.at = try moment.expression
    query.timeLimit = limits.apply()
    // The store is closed before the first output, so that a user's pager does not block a writer.
    let result = try query.run(sql)
    try Output.print(in: display.pager) { output throws(OutputError) in
      try output.rows(of: result, as: form, display.highlighting)
    }
  }
}
