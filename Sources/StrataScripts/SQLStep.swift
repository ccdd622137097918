import StrataJournal
import StrataMigrating
import StrataRecords
import StrataSQLite

/// Runs a script of SQL on the tables of a migration.
struct SQLStep: Sendable {
  let script: MigrationScript
  /// The migration.
  let name: String
  let timeLimit: Duration

  /// O(entities of the tables that the script uses).
  ///
  /// The script is compiled over empty tables first, so that an error in its text is found before anything is
  /// copied.
  ///
  /// - Throws: `DataMigrationError.checkFailed` and `.sealed`, `EntityTableError`, errors of the tables.
  func run(on tables: MigrationTables) throws {
    try script.checkStatements()
    for allowance in script.allowances { tables.allow(allowance) }
    let names = StoredNames()
    let text = ([script.sql] + (script.before + script.after).map(\.sql)).joined().lowercased()
    let sources = try tables.names.map { table in
      var records = EntityRecords(
        table,
        layouts: tables.layouts(of: table),
        hiding: tables.droppedFields(of: table),
        declaring: tables.declaredColumns(of: table),
        adding: { names.layouts[table] ?? [:] },
        above: { try tables.highestNumber(in: table) }
      ) { tables.start(names[table]) }
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
    let shape = try copies.shape()
    for finding in try findings(use, shape) + copies.unkept() + copies.unshown() {
      tables.note(finding)
    }
    try store(copies, shape, use, names, in: tables)
  }

  private func run(_ check: ScriptCheck, on copies: EntityTables) throws {
    let value = try copies.value(of: check, timeLimit: timeLimit)
    switch value {
    case .integer(let number) where number != 0: return
    case .real(let number) where number != 0: return
    default:
      throw DataMigrationError.checkFailed(
        name,
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
    _ shape: EntityTables.Shape,
    _ use: ScriptUse,
    _ names: StoredNames,
    in tables: MigrationTables
  ) throws {
    for table in shape.dropped { try tables.removeRecords(of: table) }
    if !shape.renamed.isEmpty {
      try tables.rename(shape.renamed)
      names.rename(shape.renamed)
      // Records of a table that refers to a renamed one have another layout now.
      names.noteLayouts(of: use.tables.keys, tables)
    }
    for (table, field, name) in shape.renamedFields { tables.noteName(name, of: field, in: table) }
    for (table, use) in use.tables where use.setsIDs { tables.allow(.lossy("\(table).id")) }
    for table in shape.created { tables.addTable(table) }
    for (table, layout) in shape.layouts { try tables.add(names.referring(layout), to: table) }
    for (table, field) in shape.droppedFields { tables.noteDropped(field, of: table) }
    for (table, fields) in shape.fields {
      if shape.hasOtherRecords.contains(table) {
        tables.noteFieldsAnew(fields, of: table)
      } else {
        tables.noteFields(fields, of: table)
      }
    }
    for (table, columns) in shape.declared {
      let columns = try columns.map { column in
        var column = column
        column.field = try names.referring(Layout([column.field])).fields[0]
        return column
      }
      tables.declare(columns, in: table)
    }
    try copies.forEachChange { change in
      switch change.change {
      case .put(let layout, let record):
        try tables.put(record, names.referring(layout), id: change.id, in: change.table)
      case .move(let layout, let record, let former):
        let layout = try names.referring(layout)
        try tables.put(record, layout, id: change.id, leaving: former, in: change.table)
      case .leave: try tables.leave(encodedID: change.id, in: change.table)
      case .remove: try tables.remove(encodedID: change.id, from: change.table)
      }
    }
    for table in shape.ended { tables.end(table) }
    for (table, number) in try copies.givenNumbers() { tables.noteNumber(number, in: table) }
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
  private func findings(_ use: ScriptUse, _ shape: EntityTables.Shape) -> [MigrationFinding] {
    let functions = use.functions.sorted().filter(isNotRepeatable).map { function in
      MigrationFinding(
        .notRepeatable,
        detail: "\(function)() gives another result each time"
      )
    }
    let columns = shape.required.map { table, column in
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

/// The names that tables have while the results of a script are stored.
private final class StoredNames {
  private var renamed: [String: String] = [:]
  /// The layouts of the tables of the script, once some were renamed, by their names before.
  private(set) var layouts: [String: [Int64: Layout]] = [:]
  /// Layouts with references to the new names, by those with the names before.
  private var referring: [Layout: Layout] = [:]

  subscript(table: String) -> String { renamed[table] ?? table }

  func rename(_ names: [String: String]) { renamed = names }

  /// Notes the layouts that tables have now.
  func noteLayouts(of names: some Sequence<String>, _ tables: MigrationTables) {
    for name in names { layouts[name] = tables.layouts(of: self[name]) }
  }

  /// A layout with references to the new names of tables.
  func referring(_ layout: Layout) throws -> Layout {
    if renamed.isEmpty { return layout }
    if let known = referring[layout] { return known }
    let result = try layout.referring(to: renamed)
    referring[layout] = result
    return result
  }
}
