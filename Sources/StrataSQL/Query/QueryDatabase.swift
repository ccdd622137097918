import StrataColumns
import StrataJournal
import StrataSQLite
import StrataStorage

/// The private database on which one statement of a person runs.
final class QueryDatabase {
  private let connection: Connection
  private let context: QueryContext
  private let tables: [QueryTable]
  private let refusal: Refusal

  /// The action for which a statement was refused last.
  private final class Refusal {
    var action: String?
  }

  init(_ sources: [any TableSource], _ context: QueryContext) throws(SQLiteError) {
    self.context = context
    let refusal = Refusal()
    self.refusal = refusal
    connection = try .inMemory()
    try connection.setTemporaryFiles(cacheBytes: 16 << 20)
    try connection.setLimitsOfScripts()
    try ColumnKind.addCollations(to: connection)
    tables = sources.map { QueryTable($0, context) }
    for table in tables { try connection.addTable(table.source.name, table) }
    try connection.setAuthorizer { action in
      switch action {
      case .select, .read, .recursion: return true
      case .function(let name) where name.lowercased() != "load_extension": return true
      case .function(let name): refusal.action = "\(name)()"
      // SQLite declares its own virtual tables this way; a statement that did so would not be read-only.
      case .update("sqlite_master", _): return true
      case .change(let name, _), .other(let name): refusal.action = name
      case .update: refusal.action = "UPDATE"
      case .useTemporary: return true
      case .check: refusal.action = "PRAGMA"
      case .alter, .alterTemporary: refusal.action = "ALTER TABLE"
      case .index: refusal.action = "CREATE INDEX"
      }
      return false
    }
    try connection.setInterruption { context.isOverTime }
  }

  /// Runs a statement to its end, or up to a number of rows.
  ///
  /// - Throws: `QueryError`; what a table throws; errors of reading the store.
  func answer(
    _ sql: String,
    _ reading: StoreQuery.Reading,
    upTo limit: Int? = nil
  ) throws -> QueryResult {
    context.mode = .streamed
    var statement = try prepare(sql)
    guard statement.isReadOnly else { throw QueryError.refused("this statement") }
    guard statement.parameterCount == 0 else {
      throw QueryError.parameters(statement.parameterCount)
    }
    let isExplanation = statement.isExplanation
    if try reading == .copied || (!isExplanation && !isOneLoop(sql)) {
      context.mode = .materialised
      statement = try prepare(sql)
    }
    let result: QueryResult
    do {
      result = try QueryResult(
        columns: statement.columns,
        revision: context.revision.number,
        isStreamed: context.mode == .streamed
      )
      while try statement.next() {
        if let limit, result.count == limit {
          result.noteMore()
          break
        }
        try statement.withRow { row throws(SQLiteError) in try result.append(row) }
      }
      statement.reset()
      try result.finish()
    } catch let error {
      throw failure(error)
    }
    return result
  }

  private func prepare(_ sql: String) throws -> RowCursor {
    refusal.action = nil
    do throws(SQLiteError) {
      return try connection.cursor(sql)
    } catch {
      if let action = refusal.action { throw QueryError.refused(action) }
      switch error.code.primary {
      case .misuse: throw QueryError.notOneStatement(error.message.capitalizedFirst)
      case .error:
        let prefix = "no such table: "
        if error.message.hasPrefix(prefix) {
          throw QueryError.noTable(
            String(error.message.dropFirst(prefix.count)),
            known: tables.filter { $0.source is EntitySource && $0.source.arguments.isEmpty }
              .map(\.source.name)
          )
        }
        if error.message.hasSuffix("may not be modified") {
          throw QueryError.refused("writing into a table")
        }
        throw QueryError.sql(error.message, offset: connection.lastErrorOffset)
      default: throw failure(error)
      }
    }
  }

  /// Whether a statement goes through one table once.
  ///
  /// SQLite describes its plan in a line for each loop. If its words ever change, the tables are copied,
  /// which is slower and gives the same.
  private func isOneLoop(_ sql: String) throws -> Bool {
    let plan = try prepare("EXPLAIN QUERY PLAN \(sql)")
    var loops = 0
    do {
      while try plan.next() {
        let detail = try plan.withRow { row throws(SQLiteError) in try row.text(3) }
        if detail.hasPrefix("SCAN") || detail.hasPrefix("SEARCH") { loops += 1 }
      }
    } catch let error {
      throw failure(error)
    }
    return loops == 1
  }

  /// The error of a statement that failed while it ran.
  private func failure(_ error: SQLiteError) -> any Error {
    if let cause = connection.takeTableError() {
      if let cause = cause as? SQLiteError { return Self.failure(cause, context) }
      return cause
    }
    // Pragma functions are refused only when they run.
    if let action = refusal.action { return QueryError.refused(action) }
    return Self.failure(error, context)
  }

  private static func failure(_ error: SQLiteError, _ context: QueryContext) -> any Error {
    switch error.code.primary {
    case .noMemory: return QueryError.memoryLimit
    // An error of reading the store keeps its type.
    case _ where !["", ":memory:"].contains(error.path): return error
    case .interrupt: return context.timeError
    case .tooBig: return QueryError.valueTooLarge(error.message)
    case .full: return QueryError.temporaryFile("the disk is full")
    case .ioerr, .cantOpen: return QueryError.temporaryFile("\(error)")
    default: return QueryError.failed(error.message)
    }
  }
}

extension String {
  fileprivate var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
