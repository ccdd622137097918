import ArgumentParser
import Foundation
import StrataSQL
import StrataSQLite
import StrataStorage

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

  @Option(help: "The revision of the tables. (default: HEAD)")
  var at: String?

  @Flag(help: "The form of the output. (default: a table)")
  var form: Form?

  @Option(help: "The seconds after which the query is given up.")
  var timeout: Double = 30

  @Option(help: "The megabytes of memory that SQLite may use.")
  var memory: Int = 256

  enum Form: String, EnumerableFlag {
    case json, ndjson, csv
  }

  func validate() throws {
    guard timeout > 0, timeout <= 86_400 else {
      throw ValidationError("--timeout must be more than 0 and at most 86400.")
    }
    guard (16...1_000_000).contains(memory) else {
      throw ValidationError("--memory must be at least 16 and at most 1000000.")
    }
    if let at { _ = try expression(at) }
  }

  private func expression(_ text: String) throws -> RevisionExpression {
    do throws(RevisionExpression.Unreadable) {
      return try RevisionExpression(text, now: Date())
    } catch {
      throw ValidationError("\(error)")
    }
  }

  func run() throws {
    SQLiteHeap.setLimit(bytes: memory << 20)
    var query = StoreQuery(path: store)
    if let at { query.at = try expression(at) }
    query.timeLimit = .milliseconds(Int64(timeout * 1_000))
    // The store is closed before the first output, so that a user's pager does not block a writer.
    let result = try query.run(sql)
    try Output.print { output throws(OutputError) in
      do {
        let text = QueryText(result, within: Terminal.standard.columns)
        switch form {
        case nil: try text.table { line throws(OutputError) in try output.line(line) }
        case .json: try text.json { line throws(OutputError) in try output.line(line) }
        case .ndjson: try text.objects { line throws(OutputError) in try output.line(line) }
        case .csv: try text.csv { line throws(OutputError) in try output.line(line) }
        }
      } catch let error as OutputError {
        throw error
      } catch {
        // The rows are read back from a temporary file.
        throw .failed("\(error)")
      }
    }
  }
}
