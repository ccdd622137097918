import Foundation
import StrataColumns
import StrataJournal
import StrataSQLite
import StrataSchema

/// The private database on which scripts of people run, and what confines them.
///
/// A script may do what SQLite can do with the tables, indexes, views and triggers of this one database. An
/// authorizer refuses `ATTACH`, pragmas, virtual tables, extensions and transactions. A time limit, the limits of
/// the connection and a number of pages bound what it takes.
final class ScriptDatabase {
  let connection: Connection

  private let gate = Gate()

  /// What the authorizer looks at.
  fileprivate final class Gate {
    var isOpen = true
    var refused: String?
    /// What the statement does that was compiled last.
    var actions: [StatementAction] = []
    /// Whether the statement that runs may compare rows with constraints.
    var checks = false
  }

  init() throws(SQLiteError) {
    connection = try .temporary(cacheBytes: 16 << 20)
    try connection.setTemporaryFiles(cacheBytes: 16 << 20)
    try connection.setLimitsOfScripts()
    try ColumnKind.addCollations(to: connection)
    try connection.allowTriggersAndViews()
    let gate = gate
    try connection.setAuthorizer { action in gate.isOpen || gate.allows(action) }
  }

  /// Bounds what scripts may add, in bytes.
  func limitGrowth(to bytes: Int) throws(SQLiteError) {
    let pages = try connection.pageCount() + bytes / (try connection.pageSize())
    try connection.setMaximumPageCount(pages)
  }

  /// What to do with the statements of a script.
  enum Purpose {
    case running
    /// Only those that change the schema run; the others are compiled to learn what they use.
    case learning
  }

  /// Runs the statements of a script, and a closure before and after each, with what it does.
  ///
  /// - Throws: `EntityTableError`. The tables are then of no further use.
  func run(
    _ script: String,
    _ purpose: Purpose = .running,
    within limit: Duration,
    before prepare: ([StatementAction]) throws -> Void = { _ in },
    _ body: ([StatementAction]) throws -> Void
  ) throws {
    var position = ScriptPosition(script)
    if purpose == .learning { try connection.reportWholeCopies() }
    try confined(
      within: limit,
      at: { position.line(of: $0, at: connection.lastErrorOffset) }
    ) {
      try connection.forEachStatement(of: script) { statement, sql, offset in
        position.offset = offset
        guard statement.parameterCount == 0 else { throw parameters(sql, position.line) }
        let actions = gate.actions
        gate.actions = []
        gate.isOpen = true
        try prepare(actions)
        gate.isOpen = false
        gate.checks = actions.contains(where: \.changesSchema)
        defer { gate.checks = false }
        if purpose == .running || actions.contains(where: \.changesSchema) {
          while try statement.next() {}
          statement.reset()
        }
        // A statement is compiled again where the schema has changed since.
        gate.actions = []
        gate.isOpen = true
        if actions.contains(where: \.changesSchema) { try checkDefaults(sql, position.line) }
        try body(actions)
        gate.isOpen = false
      }
    }
  }

  /// Runs the SELECT of a check, and returns the first value of its first row; nil without a row.
  ///
  /// - Parameter learn: Called with what it does; the SELECT does not run then.
  /// - Throws: `EntityTableError`.
  func value(
    of check: ScriptCheck,
    within limit: Duration,
    learning learn: (([StatementAction]) -> Void)? = nil
  ) throws -> Value? {
    try confined(within: limit, at: { _ in check.line }) {
      let statement = try connection.cursor(check.sql)
      guard statement.isReadOnly, !statement.isExplanation else {
        throw EntityTableError.refused("a check that is no SELECT")
      }
      guard statement.parameterCount == 0 else { throw parameters(check.sql, check.line) }
      if let learn {
        learn(gate.actions)
        return nil
      }
      guard try statement.next() else { return nil }
      let value = try statement.withRow { row throws(SQLiteError) in try row.value(0) }
      statement.reset()
      return value
    }
  }

  /// Runs the one statement that declares a table, whose defaults are texts of the file: it is confined as a script is.
  ///
  /// - Throws: `EntityTableError`.
  func declare(_ sql: String) throws {
    try confined(within: .seconds(60), at: { _ in nil }) {
      let statement = try connection.cursor(sql)
      while try statement.next() {}
      statement.reset()
    }
  }

  /// Compiles an expression that is a text of the file, confined likewise.
  ///
  /// - Throws: `EntityTableError`.
  func expression(_ sql: String) throws -> RowCursor {
    try confined(within: .seconds(60), at: { _ in nil }) {
      let statement = try connection.cursor("SELECT \(sql)")
      guard statement.isReadOnly, statement.parameterCount == 0 else {
        throw EntityTableError.refused("the DEFAULT \(sql)")
      }
      return statement
    }
  }

  /// Refuses `DEFAULT "en"`, which SQLite takes for a text although a word in double quotes is a name.
  private func checkDefaults(_ sql: String, _ line: Int?) throws {
    let word = try connection.first(
      """
      SELECT c.dflt_value FROM sqlite_schema t, pragma_table_info(t.name, 'main') c
        WHERE t.type = 'table' AND c.dflt_value LIKE '"%'
      """
    ) { row in try row.text(0) }
    guard let word else { return }
    let text = String(word.dropFirst().dropLast()).replacing("\"\"", with: "\"")
      .replacing(scalar: "'", with: "''")
    throw EntityTableError.statement(
      sql,
      line: line,
      message:
        "DEFAULT \(word): a word in double quotes is a name, not a text: write DEFAULT '\(text)'"
    )
  }

  private func parameters(_ sql: String, _ line: Int?) -> EntityTableError {
    .statement(sql, line: line, message: "a statement of a script has no parameters")
  }

  /// Runs a closure under everything that bounds a script.
  private func confined<R>(
    within limit: Duration,
    at line: (SQLiteError) -> Int?,
    _ body: () throws -> R
  ) throws -> R {
    let end = ContinuousClock.now + limit
    gate.isOpen = false
    gate.refused = nil
    gate.actions = []
    defer { gate.isOpen = true }
    do {
      try connection.setInterruption { ContinuousClock.now >= end }
      let result = try body()
      try connection.setInterruption(nil)
      return result
    } catch let error as SQLiteError {
      throw failure(error, limit, line(error))
    }
  }

  private func failure(_ error: SQLiteError, _ limit: Duration, _ line: Int?) -> EntityTableError {
    gate.isOpen = true
    if let refused = gate.refused { return .refused(refused) }
    switch error.code.primary {
    case .interrupt: return .timeLimit(limit)
    case .tooBig: return .valueTooLarge(line: line)
    case .noMemory: return .memoryLimit
    case .full: return isFull ? .tooMuch : .temporaryDiskFull
    case .ioerr, .cantOpen: return .temporaryFile("\(error)")
    default: return .statement(error.sql ?? "", line: line, message: message(of: error))
    }
  }

  /// What SQLite says, with the table or column that a misspelt one may mean.
  private func message(of error: SQLiteError) -> String {
    let (sql, message) = (error.sql ?? "", Self.withoutHint(error.message))
    if let way = Self.waysOn.first(where: { message.hasPrefix($0.refusal) })?.way {
      return "\(message); \(way)"
    }
    if message.hasPrefix("ON CONFLICT clause does not match") {
      return """
        \(message) of this script: the ID is one; for another column, begin with CREATE UNIQUE INDEX, as a UNIQUE holds in the \
        script that declares it
        """
    }
    let hint = "a word in double quotes is a name, and a text is written"
    if message.hasPrefix("default value of column"), sql.contains("\"") {
      return "\(message); \(hint) as 'en'"
    }
    let suggestion = suggestion(for: message)
    let word = message.split(separator: " ").last ?? ""
    if message.hasPrefix("no such column: "), sql.contains("\"\(word)\"") {
      return "\(suggestion)\(suggestion.hasSuffix("?") ? " " : "; ")\(hint) '\(word)'"
    }
    return suggestion
  }

  /// What SQLite before 3.45 says: `no such column: Reykjavik`.
  ///
  /// Later ones say `no such column: "Reykjavik" - should this be a string literal in single-quotes?`.
  package static func withoutHint(_ message: String) -> String {
    guard message.hasPrefix("no such column: \""),
      let hint = message.range(of: "\" - should this be")
    else { return message }
    return String(message[..<hint.lowerBound].replacing("\"", with: "", maxReplacements: 1))
  }

  /// What to do where SQLite does not change a table.
  private static let waysOn: [(refusal: String, way: String)] = [
    (
      "Cannot add a NOT NULL column with default value NULL",
      "the table has records, which need a value: write NOT NULL DEFAULT and one"
    ),
    (
      "Cannot add a UNIQUE column",
      "a UNIQUE holds in its script only: leave it out, or let CREATE UNIQUE INDEX check the values"
    ),
    (
      "Cannot add a column with non-constant default",
      "the table has records: add it without the DEFAULT, and let an UPDATE give them their values"
    ),
    (
      "cannot add a STORED column",
      "leave out STORED: the column keeps the values that it has when the script ends"
    ),
    (
      "there is already another table or index with this name",
      "where only the case of a name changes, rename the table to a third name first"
    ),
    ("Cannot add a PRIMARY KEY column", "the column id is the key of every table"),
    ("cannot drop PRIMARY KEY column", "the column id is the key of every table"),
  ]

  private func suggestion(for message: String) -> String {
    for (prefix, names) in [
      ("no such column: ", "SELECT c.name FROM sqlite_schema t, pragma_table_info(t.name) c"),
      ("no such table: ", "SELECT name FROM sqlite_schema WHERE type IN ('table', 'view')"),
    ] where message.hasPrefix(prefix) {
      // SQLite writes the name that ALTER TABLE has with quotes.
      let name = message.dropFirst(prefix.count).replacing("\"", with: "")
      let word = name.split(separator: ".").last ?? ""
      do {
        let known = try connection.all(names) { row in try row.text(0) }
        guard let name = String(word).nearest(among: known) else { break }
        return "\(message); did you mean \(name)?"
      } catch {
        // The error of the script is the one to report.
        break
      }
    }
    return message
  }

  /// Whether the limit of pages was reached: the disk of temporary files has room.
  private var isFull: Bool {
    let folder = FileManager.default.temporaryDirectory.path
    do {
      let free = try FileManager.default.attributesOfFileSystem(forPath: folder)[.systemFreeSize]
      return (free as? Int64 ?? 0) > 64 << 20
    } catch {
      return false
    }
  }
}

extension ScriptDatabase.Gate {
  fileprivate func allows(_ action: StatementAction) -> Bool {
    switch action {
    case .function(let name) where name.lowercased() == "load_extension":
      refused = "\(name)()"
      return false
    case .check where !checks && !actions.contains(where: \.changesSchema):
      refused = "PRAGMA"
      return false
    case .other(let name)
    where !action.changesSchema && !["REINDEX", "ANALYZE"].contains(name):
      refused = name
      return false
    default:
      actions.append(action)
      return true
    }
  }
}

extension StatementAction {
  /// Whether it changes tables, indexes, views or triggers themselves.
  fileprivate var changesSchema: Bool {
    switch self {
    case .alter, .alterTemporary, .index: return true
    case .other(let name):
      let words = name.split(separator: " ")
      return words.count == 2 && ["CREATE", "DROP"].contains(words[0])
        && ["TABLE", "INDEX", "VIEW", "TRIGGER"].contains(words[1])
    case .select, .read, .function, .recursion, .change, .update, .useTemporary, .check:
      return false
    }
  }
}

/// A SELECT that must give one true value, and its line in the script.
package struct ScriptCheck: Equatable, Sendable {
  let sql: String
  let line: Int

  package init(sql: String, line: Int) { (self.sql, self.line) = (sql, line) }
}

/// What a script uses, as SQLite says when it compiles its statements.
package struct ScriptUse {
  /// What it uses of a table.
  package struct Table {
    /// The numbers of the columns that it reads or sets, from 0 for the ID.
    var columns: Set<Int> = []
    /// Those of them that it sets.
    var assigned: Set<Int> = []
    /// Those of them that a SELECT or a subquery reads, that no statement sets, and that are there at the end.
    var searched: Set<Int> = []
    /// Whether it uses all columns.
    var needsAll = false
    var addsRows = false
    var setsIDs = false
    /// Whether it sets the numbers by which SQLite knows rows, beside IDs that are such numbers.
    var setsNumbers = false

    /// All that a script may do.
    static let everything = Table(needsAll: true, addsRows: true, setsIDs: true)

    /// Whether each row that is left came from the record of its ID.
    var keepsOrigins: Bool { !addsRows && !setsIDs }
  }

  /// The functions that it calls, in lower case.
  package var functions: Set<String> = []
  /// The tables that it uses, by their names in the store.
  package var tables: [String: Table] = [:]
  /// The numbers of the columns that a statement reads which writes to another table, by the table in the store: what is
  /// there then may be theirs.
  var copied: [String: Set<Int>] = [:]
}

/// Where in a script a statement is.
private struct ScriptPosition {
  private let script: String
  /// Where the statement starts that was compiled last, in bytes.
  var offset = 0

  init(_ script: String) { self.script = script }

  /// The line of the statement that was compiled last, from 1.
  var line: Int { line(of: offset) }

  /// The line of an error: of the statement that ran, or of what was not compiled.
  func line(of error: SQLiteError, at place: Int?) -> Int {
    let length = script.utf8.count
    guard error.operation == .prepare, let rest = error.sql, length >= rest.utf8.count else {
      return line
    }
    let start = length - rest.utf8.count
    return place.map { lines(before: start + $0) + 1 } ?? line(of: start)
  }

  /// The line of the first word behind the space and the comments at an offset.
  private func line(of offset: Int) -> Int {
    let first = SQLTokens(script, from: offset).first { !$0.isBlank }
    return lines(before: first?.range.lowerBound ?? script.utf8.count) + 1
  }

  private func lines(before offset: Int) -> Int {
    script.utf8.prefix(offset).count { $0 == UInt8(ascii: "\n") }
  }
}
