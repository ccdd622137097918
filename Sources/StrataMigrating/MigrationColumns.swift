import StrataJournal
import StrataRecords
import StrataSQLite
import StrataStorage

/// What a run of migrations knows of columns beside the layouts of their tables: those that are declared before a record
/// has a value in them, and those that were dropped after records have had one.
struct MigrationColumns {
  private var declared: [String: [DeclaredColumn]]
  /// The tables whose declared columns the step has changed.
  private var newlyDeclared: Set<String> = []
  private var dropped: [String: [DroppedColumn]]
  /// The fields that the step has dropped or renamed, by table.
  private var left: [String: Set<String>] = [:]
  /// The fields that a table has, where the step knows all of them.
  private var present: [String: Set<String>] = [:]
  /// The tables whose dropped columns the step has changed.
  private var newlyDropped: Set<String> = []

  init(_ view: ReadView) {
    declared = Dictionary(grouping: view.declared, by: \.table)
    dropped = Dictionary(grouping: view.dropped, by: \.table)
  }

  /// The columns that are declared in a table, in its order.
  subscript(table: String) -> [DeclaredColumn] { declared[table] ?? [] }

  /// Replaces the declared columns of a table.
  mutating func declare(_ columns: [DeclaredColumn], in table: String) {
    newlyDeclared.insert(table)
    declared[table] = columns.isEmpty ? nil : columns
  }

  /// Changes the fields of the declared columns of all tables, or of one.
  mutating func mapFields(
    of table: String? = nil,
    _ change: (Layout.Field) throws -> Layout.Field
  ) rethrows {
    for (name, columns) in declared where table.map({ $0 == name }) ?? true {
      let changed = try columns.map { $0.with(try change($0.field), in: name) }
      if changed != columns { declare(changed, in: name) }
    }
  }

  /// Notes that the step has dropped a field, or given it another name.
  mutating func drop(_ field: String, of table: String) {
    left[table, default: []].insert(field)
  }

  /// The fields that earlier steps have dropped from a table.
  func dropped(from table: String) -> Set<String> { Set(dropped[table]?.map(\.name) ?? []) }

  /// Notes which fields a table has, with values or without.
  mutating func note(_ fields: Set<String>, of table: String) {
    present[table] = fields
    left[table]?.subtract(fields)
  }

  /// The fields of a table that the step has dropped or given other names.
  func fieldsLeft(of table: String) -> Set<String> { left[table] ?? [] }

  /// Notes that tables have other names.
  mutating func rename(_ names: [String: String]) {
    let before = self
    for table in names.keys {
      if before.declared[table] != nil { declare([], in: table) }
      dropped[table] = nil
      left[table] = nil
    }
    for (table, name) in names {
      if let columns = before.declared[table] {
        declare(columns.map { $0.with($0.field, in: name) }, in: name)
      } else if before.declared[name] != nil, names[name] == nil {
        // Those are of the table that had the name before.
        declare([], in: name)
      }
      if let columns = before.dropped[table] {
        dropped[name] = columns.map { DroppedColumn(table: name, name: $0.name, since: $0.since) }
        newlyDropped.formUnion([table, name])
      }
      if let fields = before.left[table] { left[name, default: []].formUnion(fields) }
    }
  }

  /// Notes that a table is gone.
  mutating func end(_ table: String) {
    if declared[table] != nil { declare([], in: table) }
    if dropped.removeValue(forKey: table) != nil { newlyDropped.insert(table) }
    left[table] = nil
  }

  /// Whether the step has changed what is declared or dropped.
  var hasChanged: Bool { !newlyDeclared.isEmpty || !left.isEmpty }

  /// Notes which fields of a table are dropped when the step ends.
  ///
  /// - Parameter values: Those of the given columns that records of the step have a value in.
  mutating func endStep(
    of table: String,
    at revision: Revision,
    withValues values: ([DroppedColumn]) throws -> Set<String>
  ) throws {
    let before = dropped[table] ?? []
    let known = Set(before.map(\.name))
    let added = (left.removeValue(forKey: table) ?? []).subtracting(known).sorted()
    var columns = before + added.map { DroppedColumn(table: table, name: $0, since: revision) }
    if columns.isEmpty { return }
    let there = try values(columns).union(self[table].map(\.field.name))
      .union(present.removeValue(forKey: table) ?? [])
    columns.removeAll { there.contains($0.name) }
    guard columns != before else { return }
    dropped[table] = columns.isEmpty ? nil : columns
    newlyDropped.insert(table)
  }

  /// The tables of which fields are dropped or were left by the step.
  var tablesWithDropped: Set<String> { Set(dropped.keys).union(left.keys) }

  /// Writes what the step has changed.
  mutating func write(at revision: Revision, to connection: Connection) throws {
    for table in newlyDeclared.sorted() {
      let columns = try DeclaredColumn.replace(
        self[table],
        of: table,
        at: revision,
        in: connection
      )
      declared[table] = columns.isEmpty ? nil : columns
    }
    for table in newlyDropped.sorted() {
      try DroppedColumn.replace(dropped[table] ?? [], of: table, in: connection)
    }
    (newlyDeclared, newlyDropped, left, present) = ([], [], [:], [:])
  }
}

extension MigrationWorkspace {
  /// Notes which fields a step in Swift has dropped: those that have lost all of their values, and those that it has
  /// given other names in every record.
  ///
  /// O(records) for a table in which it has given fields other names.
  func noteFieldsLeft(by difference: MigrationDifference) throws {
    for finding in difference.findings where finding.kind == .destructive {
      guard let table = finding.table, let field = finding.field else { continue }
      columns.drop(field, of: table)
    }
    for table in changedTables {
      let renamed = renames.fields(of: table).subtracting(columns.fieldsLeft(of: table))
      if renamed.isEmpty { continue }
      for field in renamed.subtracting(try difference.fieldsLeft(in: table, of: renamed)) {
        columns.drop(field, of: table)
      }
    }
  }

  /// Writes what the step has changed of columns, when its delta is written.
  ///
  /// O(tables), and O(changes) for a table with dropped columns.
  func writeColumns() throws {
    let revision = session.written.revision
    for table in columns.tablesWithDropped.sorted() {
      try columns.endStep(of: table, at: revision) { try values(in: $0, of: table) }
    }
    try columns.write(at: revision, to: session.connection)
  }

  /// The columns that a record which the step has stored has a value in.
  private func values(in columns: [DroppedColumn], of table: String) throws -> Set<String> {
    let number = number(of: table)
    var found: Set<String> = []
    var last: [UInt8]?
    while found.count < columns.count {
      let page = try staging.page(of: .staged, number, after: last)
      guard let end = page.last else { break }
      last = end.id
      for row in page {
        guard let stored = row.entity(in: table) else { continue }
        let entity = try opened(stored)
        let values = try columns.withValues(in: entity.record, layout(entity.layout))
        found.formUnion(values.map(\.name))
      }
    }
    return found
  }
}
