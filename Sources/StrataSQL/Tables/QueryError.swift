import StrataColumns
import StrataJournal

/// Why a query was not answered.
///
/// The store is unchanged.
package enum QueryError: Error, Equatable, Sendable {
  /// SQLite does not understand the text; the offset is where, in bytes.
  case sql(String, offset: Int?)
  /// A table is not in the store.
  case noTable(String, known: [String])
  /// A column is not in a table.
  case noColumn(String, table: String, known: [String])
  /// The text has no statement, or more than one.
  case notOneStatement(String)
  /// The statement would do more than read.
  case refused(String)
  /// The statement has parameters, and nothing gives them values.
  case parameters(Int)
  /// It took longer than it may.
  case timeLimit(Duration)
  /// A value or a row is larger than it may be.
  case valueTooLarge(String)
  /// It needs more memory than it may.
  case memoryLimit
  /// A temporary file with intermediate results failed.
  case temporaryFile(String)
  /// An argument of a table such as `users_at` is missing or unreadable.
  case argument(String)
  /// A table has more columns than one of SQLite may have.
  case tooManyColumns(String, count: Int)
  /// An error of SQLite while the query ran.
  case failed(String)
}

extension QueryError: CustomStringConvertible {
  /// A sentence, and what to do.
  package var description: String {
    switch self {
    case .sql(let message, _): "SQLite does not understand the query: \(message)."
    case .noTable(let name, let known):
      known.isEmpty
        ? "There is no table \(name): the store has no tables."
        : """
        \("There is no table \(name)\(name.question(among: known))".withFullStop) The store has \(known.joined(separator: ", ")).
        """
    case .noColumn(let name, let table, let known):
      """
      \("The table \(table) has no column \(name)\(name.question(among: known))".withFullStop) It has \
      \(known.joined(separator: ", ")).
      """
    case .notOneStatement(let message): "\(message). Write one SELECT."
    case .refused(let what):
      "A query only reads, and \(what) is more than that. Write one SELECT, WITH or VALUES."
    case .parameters: "A query has no parameters: write the values into it."
    case .timeLimit(let limit):
      "The query took longer than \(limit.seconds) s. Narrow it, or allow more with --timeout."
    case .valueTooLarge(let message):
      "The query makes a value that is too large (\(message)). Narrow it."
    case .memoryLimit: "The query needs more memory than it may. Narrow it, or raise --memory."
    case .temporaryFile(let detail):
      """
      A temporary file of the query failed: \(detail). Narrow it, free some space in \(TemporaryFolder.path), or set TMPDIR \
      to another directory.
      """
    case .argument(let message): message
    case .tooManyColumns(let table, let count):
      """
      \(table) has \(count) columns, and a table of SQLite at most \(EntityColumns.mostOfFiles): export it with --ndjson or \
      --csv.
      """
    case .failed(let message): "The query failed: \(message)."
    }
  }
}
