package import StrataJournal
package import StrataRecords
import StrataSchema
import StrataStorage

/// A table in a run of migrations besides its records: the name and the columns that it had before the step, and what
/// became of them.
struct TableShape {
  /// The name that it had before the step; nil for one whose name another one had.
  fileprivate(set) var former: String?
  /// What the file knows of columns beside the layouts: those that are declared, in the order of the table, then those
  /// that are gone.
  fileprivate(set) var columns: [DeclaredColumn] = []
  /// The names that a field has now, by its name before; records may differ in it.
  private var names: [String: Set<String>] = [:]
  /// The names that a field has now in every record, by its name before.
  private var current: [String: String] = [:]
  /// The fields whose values are gone, also where there are fields of their names again.
  private(set) var dropped: Set<String> = []
  /// The fields that no record has when the step ends, as it has dropped or renamed them.
  private var left: Set<String> = []
  /// The fields that it has, with values or without, where the step knows all of them.
  private var fields: Set<String> = []

  init(former: String?, columns: [DeclaredColumn] = []) {
    (self.former, self.columns) = (former, columns)
  }

  /// The columns that are declared, in the order of the table.
  var declared: [DeclaredColumn] { columns.filter { !$0.isDropped } }

  /// The columns that earlier steps have dropped.
  var gone: [DeclaredColumn] { columns.filter(\.isDropped) }

  /// The fields that the step has dropped or renamed.
  var fieldsLeft: Set<String> { left.subtracting(fields) }

  /// The names that the step has given the table and its fields.
  fileprivate func renames(of table: String) -> [DataLedger.Rename] {
    guard let former else { return [] }
    let isRenamed = former == table ? [] : [former]
    return isRenamed.map { .init(.init(table: $0), to: .init(table: table)) }
      + names.keys.sorted().flatMap { field in
        names(of: field).sorted().map {
          .init(.init(table: former, field: field), to: .init(table: table, field: $0))
        }
      }
  }

  /// The fields that some record has under another name now.
  var renamedFields: Set<String> { Set(names.keys) }

  /// The name that the value of a field has now; nil if it is gone.
  func name(of field: String) -> String? {
    current[field] ?? (dropped.contains(field) ? nil : field)
  }

  /// Whether fields were dropped, or have other names in every record.
  var hasOtherColumns: Bool { !current.isEmpty || !dropped.isEmpty }

  /// The other names that the value of a field may have now; O(names).
  func names(of field: String) -> Set<String> {
    var found: Set<String> = []
    var open = names[field] ?? []
    while let name = open.popFirst() {
      if found.insert(name).inserted { open.formUnion(names[name] ?? []) }
    }
    found.remove(field)
    return found
  }

  /// Notes that records have a field under another name.
  mutating func rename(_ field: String, to name: String) {
    names[field, default: []].insert(name)
  }

  /// Notes that a field is in no record any more.
  mutating func leave(_ field: String) { left.insert(field) }

  /// Declares the columns, in place of those that were declared before.
  mutating func declare(_ columns: [DeclaredColumn]) { self.columns = columns + gone }

  /// Changes the columns as a script has changed them.
  mutating func change(to change: TableChange) {
    for (field, name) in change.renamedFields {
      rename(field, to: name)
      current[field] = name
      leave(field)
    }
    for field in change.droppedFields {
      dropped.insert(field)
      leave(field)
    }
    fields = change.fields
    guard let columns = change.declared else { return }
    let known = declared
    declare(
      columns.map { column in
        column.with(in: change.table, since: known.first { $0.name == column.name }?.since)
      }
    )
  }

  /// The columns when the step has ended.
  ///
  /// - Parameter values: Those of the given columns that records of the step have a value in.
  fileprivate func columns(
    of table: String,
    at revision: Revision,
    withValues values: ([DeclaredColumn]) throws -> Set<String>
  ) throws -> [DeclaredColumn] {
    let known = Set(gone.map(\.name))
    var gone =
      gone
      + fieldsLeft.subtracting(known).sorted().map {
        DeclaredColumn(table: table, dropped: $0, since: revision)
      }
    if gone.isEmpty { return columns }
    let there = try values(gone).union(declared.map(\.name)).union(fields)
    gone.removeAll { there.contains($0.name) }
    return declared + gone
  }
}

/// What a script does to a table besides its records.
package struct TableChange {
  package enum Kind: Equatable {
    case kept
    case renamed(from: String)
    /// It was dropped and created again.
    case replaced
    case created
    /// It was dropped; another one may have its name.
    case dropped

    /// Whether its rows are those that it had.
    package var keepsRows: Bool {
      switch self {
      case .kept, .renamed: true
      case .replaced, .created, .dropped: false
      }
    }
  }

  /// Its name now.
  package let table: String
  package let kind: Kind
  /// Fields whose columns have other names in every record, by their former names.
  package var renamedFields: [(field: String, name: String)] = []
  /// Fields whose values are lost, also where a field of the name was added.
  package var droppedFields: [String] = []
  /// The fields that it has, with values or without.
  package var fields: Set<String> = []
  /// The layout for further records; nil where it is the same.
  package var layout: Layout?
  /// The columns that are declared, in the order of the table; nil where they are the same.
  package var declared: [DeclaredColumn]?
  /// Columns that were added as NOT NULL without a default.
  package var required: [String] = []

  package init(_ table: String, _ kind: Kind) { (self.table, self.kind) = (table, kind) }
}

/// The tables of a run of migrations by the names that they have now.
struct TableShapes {
  private var tables: [String: TableShape]
  /// The columns as the file has them.
  private var written: [String: [DeclaredColumn]]

  init(_ view: ReadView) {
    written = Dictionary(grouping: view.columns, by: \.table)
    tables = [:]
    endStep()
  }

  subscript(table: String) -> TableShape {
    get { tables[table] ?? TableShape(former: isAway(table) ? nil : table) }
    set { tables[table] = newValue }
  }

  /// Whether the records that a table had before the step are under another name.
  func isAway(_ table: String) -> Bool {
    tables.contains { $0.key != table && $0.value.former == table }
  }

  /// Notes that tables have other names, and that columns refer to them by those.
  mutating func rename(_ names: [String: String]) throws {
    let before = self
    for table in names.keys { tables[table] = nil }
    for (table, name) in names {
      var shape = before[table]
      shape.columns = shape.columns.map { $0.with(in: name) }
      tables[name] = shape
    }
    for (table, shape) in tables {
      let declared = try shape.declared.map {
        $0.with(try Layout([$0.field]).referring(to: names).fields[0])
      }
      tables[table]?.declare(declared)
    }
  }

  /// Notes that a table is gone.
  mutating func end(_ table: String) { tables[table] = nil }

  private var allNames: Set<String> { Set(tables.keys).union(written.keys) }

  /// Whether the step has declared or dropped columns.
  var hasOtherColumns: Bool {
    allNames.contains { table in
      !self[table].fieldsLeft.isEmpty
        || self[table].declared != written[table]?.filter { !$0.isDropped } ?? []
    }
  }

  /// Writes what the step has changed of columns.
  ///
  /// - Parameter values: Those of the given columns of a table that records of the step have a value in.
  mutating func write(
    in session: WriterSession,
    withValues values: ([DeclaredColumn], String) throws -> Set<String>
  ) throws {
    let revision = session.written.revision
    for table in allNames.sorted() {
      var columns = try self[table].columns(of: table, at: revision) { try values($0, table) }
      if columns == written[table] ?? [] { continue }
      columns = try DeclaredColumn.replace(
        columns,
        of: table,
        at: revision,
        in: session.connection
      )
      written[table] = columns.isEmpty ? nil : columns
    }
  }

  /// The tables that the step has given other names.
  var renamedTables: [(former: String, name: String)] {
    tables.compactMap { name, shape in shape.former.flatMap { $0 == name ? nil : ($0, name) } }
  }

  /// The names that the step has given tables and fields.
  var renames: [DataLedger.Rename] {
    tables.sorted { $0.key < $1.key }.flatMap { $0.value.renames(of: $0.key) }
  }

  /// Lets the next step start from what is written.
  mutating func endStep() {
    tables = [:]
    for (table, columns) in written { tables[table] = TableShape(former: table, columns: columns) }
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
      shapes[table].leave(field)
    }
    for table in changedTables {
      let renamed = shapes[table].renamedFields.subtracting(shapes[table].fieldsLeft)
      if renamed.isEmpty { continue }
      for field in renamed.subtracting(try difference.fieldsLeft(in: table, of: renamed)) {
        shapes[table].leave(field)
      }
    }
  }

  /// Writes what the step has changed of columns, when its delta is written.
  ///
  /// O(tables), and O(changes) for a table with dropped columns.
  func writeColumns() throws {
    try shapes.write(in: session) { try values(in: $0, of: $1) }
  }

  /// The columns that a record which the step has stored has a value in.
  private func values(in columns: [DeclaredColumn], of table: String) throws -> Set<String> {
    if !changes(table) { return [] }
    var rows = staging.rows(of: .staged, number(of: table))
    return try fields(
      in: Peekable {
        while let row = try rows.next() {
          if let entity = row.entity(in: table) { return try self.opened(entity) }
        }
        return nil
      },
      among: Set(columns.map(\.name))
    )
  }

  /// Those of some fields that an entity has a value in; O(entities) at most.
  func fields(
    in entities: consuming Peekable<StoredEntity>,
    among names: Set<String>
  ) throws -> Set<String> {
    var left = names
    while !left.isEmpty, let entity = try entities.next() {
      try layout(entity.layout).forEachValue(in: entity.record) { left.remove($0) }
    }
    return names.subtracting(left)
  }
}
