import StrataJournal
import StrataMigrating
import StrataRecords
import StrataSQLite

/// Runs a script of SQL on the tables of a migration.
struct SQLStep: Sendable {
  let script: MigrationScript
  let timeLimit: Duration

  /// O(entities of the tables that the script uses).
  ///
  /// The script is compiled over empty tables first, so that an error in its text is found before anything is
  /// copied.
  ///
  /// - Throws: `DataMigrationError.checkFailed` and `.sealed`, `EntityTableError`, errors of temporary files as such, errors of
  ///   the tables.
  func run(on tables: MigrationTables) throws {
    do {
      try runScript(on: tables)
    } catch EntityTableError.temporaryFile(let detail) {
      throw PersistenceError.Reason.temporaryFile(detail)
    }
  }

  private func runScript(on tables: MigrationTables) throws {
    try script.checkStatements()
    for allowance in script.allowances { tables.allow(allowance) }
    let text = ([script.sql] + (script.before + script.after).map(\.sql)).joined().lowercased()
    let sources = try tables.names.map { table in
      var records = EntityRecords(
        table,
        layouts: tables.layouts(of: table),
        hiding: tables.droppedFields(of: table),
        declaring: tables.declaredColumns(of: table),
        above: { try tables.highestNumber(in: table) }
      ) { tables.start(table) }
      if text.contains(table.lowercased()) { try records.hideUnusedFields() }
      return records
    }
    let (use, used) = try EntityTables.use(
      checkedBefore: script.before,
      of: script.sql,
      checkedAfter: script.after,
      on: sources,
      within: timeLimit
    )
    if let (table, _) = use.tables.first(where: \.value.setsNumbers) {
      throw EntityTableError.refused("setting the rowid of \(table)")
    }
    for table in use.tables.keys.sorted() where try tables.isSealed(table) {
      throw DataMigrationError.sealed(table: table)
    }
    let copies = try EntityTables(used, copying: use)
    for check in script.before { try run(check, on: copies) }
    try copies.run(script.sql, timeLimit: timeLimit)
    for check in script.after { try run(check, on: copies) }
    let changes = try copies.tableChanges()
    for finding in try findings(use, changes) + copies.unkept() + copies.unshown() {
      tables.note(finding)
    }
    try store(copies, changes, use, in: tables)
  }

  private func run(_ check: ScriptCheck, on copies: EntityTables) throws {
    let value = try copies.database.value(of: check, within: timeLimit)
    switch value {
    case .integer(let number) where number != 0: return
    case .real(let number) where number != 0: return
    default:
      throw DataMigrationError.checkFailed(
        script.name,
        check: "line \(check.line), \(check.sql),",
        result: Self.text(value)
      )
    }
  }

  private static func text(_ value: Value?) -> String {
    switch value {
    case nil: "no row"
    case .null: "NULL"
    case .integer(let number): "\(number)"
    case .real(let number): "\(number)"
    case .text(let text): "'\(text.prefix(100))'"
    case .blob(let bytes): "a blob of \(bytes.count) bytes"
    }
  }

  private func store(
    _ copies: EntityTables,
    _ changes: [TableChange],
    _ use: ScriptUse,
    in tables: MigrationTables
  ) throws {
    try tables.alter(changes)
    for (table, use) in use.tables where use.setsIDs { tables.allow(.lossy("\(table).id")) }
    try copies.forEachChange { change in
      guard let (layout, record) = change.record else {
        return try tables.remove(encodedID: change.id, from: change.table)
      }
      try tables.put(record, layout, id: change.id, from: change.former, in: change.table)
    }
    for finding in rounded(copies) { tables.note(finding) }
  }

  /// Findings about values that were stored rounded, because SQL has computed or shown them so.
  private func rounded(_ copies: EntityTables) -> [MigrationFinding] {
    copies.rounded.sorted { $0.key < $1.key }.flatMap { table, fields in
      fields.sorted { $0.key < $1.key }.map { field, count in
        MigrationFinding(
          .rounds,
          table: table,
          field: field,
          count: count,
          detail: """
            \(table).\(field) gets \(Measures.count(count, "value that SQL has", "values that SQL has")) rounded
            """
        )
      }
    }
  }
}

extension SQLStep {
  /// Findings that only the text of the script shows.
  private func findings(_ use: ScriptUse, _ changes: [TableChange]) -> [MigrationFinding] {
    let functions = use.functions.sorted().filter(isNotRepeatable).map { function in
      MigrationFinding(
        .notRepeatable,
        detail: "\(function)() gives another result each time"
      )
    }
    let required = changes.flatMap { change in change.required.map { (change.table, $0) } }
    let columns = required.map { table, column in
      MigrationFinding(
        .notNull,
        table: table,
        field: column,
        detail: """
          \(table).\(column) is NOT NULL without a DEFAULT: \(table) has no records in this store, and a store that has \
          some refuses the script; write NOT NULL DEFAULT and a value
          """
      )
    }
    return columns + functions
  }

  private func isNotRepeatable(_ function: String) -> Bool {
    switch function {
    case "random", "randomblob", "current_timestamp", "current_date", "current_time": true
    case "date", "time", "datetime", "julianday", "strftime", "unixepoch":
      script.asksForTime(function)
    default: false
    }
  }
}
