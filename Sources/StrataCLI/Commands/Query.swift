import ArgumentParser
import StrataSQL
import StrataSQLite

/// `strata query STORE "SELECT …"`.
struct Query: ParsableCommand {
  static let configuration = CommandConfiguration(
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

  @Option(help: "The seconds after which the query is given up.")
  var timeout: Double = 30

  @Option(help: "The megabytes of memory that SQLite may use.")
  var memory: Int = 256

  func validate() throws {
    guard timeout > 0, timeout <= 86_400 else {
      throw ValidationError("--timeout must be more than 0 and at most 86400.")
    }
    guard (16...1_000_000).contains(memory) else {
      throw ValidationError("--memory must be at least 16 and at most 1000000.")
    }
  }

  func run() throws {
    SQLiteHeap.setLimit(bytes: memory << 20)
    var query = StoreQuery(path: store)
    query.at = try moment.expression
    query.timeLimit = .milliseconds(Int64(timeout * 1_000))
    // The store is closed before the first output, so that a user's pager does not block a writer.
    let result = try query.run(sql)
    try Output.print { output throws(OutputError) in
      try output.rows(of: result, as: form)
    }
  }
}
