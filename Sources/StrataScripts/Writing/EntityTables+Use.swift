import Foundation
import StrataColumns
import StrataJournal
import StrataRecords
import StrataSQLite
import StrataSchema

/// What a script uses, learned before it runs.
extension EntityTables {
  /// What a script and its checks use, and the sources for it; O(statements).
  ///
  /// They are compiled over empty tables. Only statements that change the schema run there. A table without records,
  /// or a field without values, is left out of the sources if the script gives its name to a new one.
  ///
  /// - Throws: `EntityTableError` for a text that SQLite does not compile.
  package static func use(
    checkedBefore before: [ScriptCheck],
    of script: String,
    checkedAfter after: [ScriptCheck],
    on sources: [EntityRecords],
    within limit: Duration
  ) throws -> (use: ScriptUse, sources: [EntityRecords]) {
    var sources = sources
    var first: EntityTableError?
    while true {
      do {
        let use = try use(before, script, after, sources, within: limit)
        return (use, sources)
      } catch let error as EntityTableError {
        // Where the table that was left out is used besides, its name is taken.
        if let first, case .statement(_, _, let message) = error, message.hasPrefix("no such table")
        {
          throw first
        }
        first = error
        guard try leaveOut(error, of: &sources) else { throw error }
      }
    }
  }

  /// Leaves out the table or column that an error reports as existing, if nothing would be lost; false if
  /// there is none.
  private static func leaveOut(
    _ error: EntityTableError,
    of sources: inout [EntityRecords]
  ) throws -> Bool {
    guard case .statement(let sql, _, let message) = error else { return false }
    if let range = message.range(of: "duplicate column name: ") {
      let column = message[range.upperBound...].lowercased()
      // ALTER TABLE main.people ADD COLUMN …
      let tokens = SQLTokens(sql)
      let words = tokens.filter { !$0.isBlank }.map { tokens.content(of: $0).lowercased() }
      let name =
        words.dropFirst(3).first == "." ? words.dropFirst(4).first : words.dropFirst(2).first
      guard let place = sources.firstIndex(where: { $0.table.lowercased() == name }) else {
        return false
      }
      let names = Set(sources[place].ordered.flatMap { $0.fields.map(\.name) })
        .filter { $0.lowercased() == column }.subtracting(sources[place].hidden)
      let unused = try sources[place].fields(withoutValues: names)
      sources[place].hidden.formUnion(unused)
      return !unused.isEmpty
    }
    let place = try sources.firstIndex { source in
      let name = source.table
      return try [
        "table \(name) already exists", "table \"\(name)\" already exists",
        "there is already another table or index with this name: \(name)",
      ].contains { "\(message); ".lowercased().hasPrefix("\($0); ".lowercased()) } && source.isEmpty
    }
    guard let place else { return false }
    sources.remove(at: place)
    return true
  }

  private static func use(
    _ before: [ScriptCheck],
    _ script: String,
    _ after: [ScriptCheck],
    _ sources: [EntityRecords],
    within limit: Duration
  ) throws -> ScriptUse {
    let empty = sources.map { source in
      EntityRecords(
        source.table,
        layouts: source.layouts,
        hiding: source.hidden,
        declaring: source.declared
      ) { { nil } }
    }
    let tables = try EntityTables(empty)
    var use = ScriptUse()
    for check in before {
      _ = try tables.database.value(of: check, within: limit) { tables.add($0, to: &use) }
    }
    try tables.run(script, .learning, within: limit) { tables.add($0, to: &use) }
    for check in after {
      _ = try tables.database.value(of: check, within: limit) { tables.add($0, to: &use) }
    }
    for table in tables.tables where use.tables[table.records.table] != nil {
      // SQLite does not drop a column that has an index.
      use.tables[table.records.table]?.searched.formIntersection(table.origins.values.map(\.number))
      if use.tables[table.records.table]?.addsRows ?? false {
        // SQLite asks for a value in them.
        let required = Set(table.records.declared.filter(\.isRequired).map(\.field.name))
        for (number, field) in table.columns.fields.enumerated() where required.contains(field) {
          use.tables[table.records.table]?.columns.insert(number + 1)
        }
      }
      if try tables.hasComputedColumns(table) {
        use.tables[table.records.table]?.needsAll = true
      }
    }
    let scripts = [script] + (before + after).map(\.sql)
    if readsMore(than: scripts) {
      // SQLite does not report a table either of which such a clause alone reads.
      let words = words(of: scripts)
      for table in tables.tables where words.contains(table.name.lowercased()) {
        use.tables[table.records.table, default: ScriptUse.Table()].needsAll = true
      }
      for name in use.tables.keys { use.tables[name]?.needsAll = true }
    }
    return use
  }

  /// The words of scripts, and what is in quotes, in small letters.
  private static func words(of scripts: [String]) -> Set<String> {
    Set(
      scripts.flatMap { script in
        let tokens = SQLTokens(script)
        return tokens.filter { !$0.isBlank }.map { tokens.content(of: $0).lowercased() }
      }
    )
  }

  /// Whether a script may read columns that SQLite does not report: those that `USING` and `NATURAL` compare, and
  /// those of a `CHECK`.
  private static func readsMore(than scripts: [String]) -> Bool {
    scripts.contains { script in
      let tokens = SQLTokens(script)
      return tokens.contains { token in
        token.kind == .word
          && ["USING", "NATURAL", "CHECK"]
            .contains(tokens.text(of: token).uppercased())
      }
    }
  }

  /// Adds what one statement uses, by the names that tables and columns have before it has run.
  private func add(_ actions: [StatementAction], to use: inout ScriptUse) {
    func update(_ name: String, _ body: (Table, inout ScriptUse.Table) -> Void) {
      let table = tables.first { !$0.isDropped && $0.nameNow.lowercased() == name.lowercased() }
      guard let table else { return }
      body(table, &use.tables[table.records.table, default: ScriptUse.Table()])
    }
    let isSearch = actions.contains(.select)
    let copied = copied(by: actions)
    for (table, columns) in copied { use.copied[table, default: []].formUnion(columns) }
    for action in actions {
      switch action {
      case .function(let name): use.functions.insert(name.lowercased())
      case .read(let name, let column):
        update(name) { table, use in
          guard let number = table.origins[column]?.number else { return }
          use.columns.insert(number)
          if isSearch, !use.assigned.contains(number) { use.searched.insert(number) }
        }
      case .update(let name, let column):
        update(name) { table, use in
          let number = table.origins[column]?.number
          if let number {
            use.columns.insert(number)
            use.assigned.insert(number)
            use.searched.remove(number)
          }
          if number == 0 { use.setsIDs = true }
          guard number == nil, !table.names.contains(column) else { return }
          if table.columns.columns[0].kind.isRowNumber {
            use.setsIDs = true
          } else {
            use.setsNumbers = true
          }
        }
      case .change(let kind, let name):
        update(name) { _, use in if kind == "INSERT" { use.addsRows = true } }
      case .alter(let name): update(name) { _, _ in }
      case .index(let name): update(name) { _, use in use.needsAll = true }
      case .select, .recursion, .other, .alterTemporary, .useTemporary, .check: break
      }
    }
  }

  /// The columns that a statement reads which writes to a table beside theirs.
  private func copied(by actions: [StatementAction]) -> [String: Set<Int>] {
    var written: Set<String> = []
    var read: [String: Set<Int>] = [:]
    for action in actions {
      switch action {
      case .change("INSERT", let name), .update(let name, _): written.insert(name.lowercased())
      // Of a table that is created, SQLite reports what it writes to its own schema.
      case .useTemporary: written.insert("")
      case .read(let name, let column):
        let table = tables.first { !$0.isDropped && $0.nameNow.lowercased() == name.lowercased() }
        guard let table, let number = table.origins[column]?.number else { continue }
        read[table.records.table, default: []].insert(number)
      default: break
      }
    }
    return read.filter { name, _ in
      let now = tables.first { $0.records.table == name }?.nameNow.lowercased()
      return written.contains { $0 != now }
    }
  }

  /// Whether a table has columns that are computed from others, which SQLite does not report.
  private func hasComputedColumns(_ table: Table) throws -> Bool {
    guard !table.isDropped else { return false }
    let hidden = try connection.first(
      "SELECT max(hidden) FROM pragma_table_xinfo(?, 'main')",
      [.text(table.nameNow)]
    ) { try $0.int(0) }
    return hidden ?? 0 > 0
  }
}
