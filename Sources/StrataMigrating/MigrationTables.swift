import StrataBase
package import StrataJournal
public import StrataRecords
import StrataStorage

/// The tables of a store while a migration runs: read, put and remove records, without their types.
///
/// ```swift
/// DataMigration("0003_split_address", table: "users") { user, tables in
///   guard let street = user["street"] else { return }
///   tables.put(MigrationRecord(table: "addresses", id: user.id, [.init("street", street)]))
///   user.remove("street")
/// }
/// ```
///
/// What a step changes is kept beside the store, in a database that uses the disk beyond 16 MB, so the memory of a
/// step does not grow with its records. A table that a step puts a record into exists from then on.
public final class MigrationTables {
  /// What the step has said by itself that it may lose: see ``DataMigration/allowing(_:)``.
  public private(set) var allowances: [MigrationAllowance] = []

  /// What the step has found by itself, besides what its changes show.
  package private(set) var findings: [MigrationFinding] = []

  let workspace: MigrationWorkspace
  /// The names that a script has given tables, by those before, and layouts that refer to them.
  private var renamed: [String: String] = [:]
  private var referringLayouts: [Layout: Layout] = [:]
  private let reportRecords: (Int) throws -> Void

  init(
    _ workspace: MigrationWorkspace,
    _ reportRecords: @escaping (Int) throws -> Void = { _ in }
  ) {
    self.workspace = workspace
    self.reportRecords = reportRecords
  }

  /// The tables that the store lists, sorted by name; some may have no records.
  public var names: [String] { workspace.tables.sorted() }

  /// Calls a closure with each record of a table, in the order of their encoded IDs, and stores what it changes.
  ///
  /// Records that are put meanwhile are not visited; one that was changed meanwhile is seen as it is now.
  /// O(records). A record that the closure does not change keeps its bytes.
  ///
  /// - Throws: what the closure throws; `DataMigrationError.sealed`; errors of storing a record.
  public func forEach(
    in table: String,
    _ body: (inout MigrationRecord) throws -> Void
  ) throws {
    try workspace.checkIsReadable(table)
    var scan = workspace.scan(table)
    var count = 0
    while let entity = try scan.next() {
      try visit(entity, body)
      count += 1
      if count % 1_000 == 0 { try reportRecords(count) }
    }
    try reportRecords(count)
  }

  /// Changes a persisted value, whose fields the closure gets: see ``DataMigration/init(_:value:version:_:)``.
  ///
  /// Does nothing where the file does not have the value, and where it is nil. O(1).
  ///
  /// - Throws: what the closure throws; `DataMigrationError.sealed`; errors of storing the value.
  public func changeValue(
    _ name: String,
    _ body: (inout MigrationRecord) throws -> Void
  ) throws {
    try forEach(in: StoredValues.table(of: name)) { try $0.changeValue(body) }
  }

  private func visit(
    _ entity: StoredEntity,
    _ body: (inout MigrationRecord) throws -> Void
  ) throws {
    let before = try record(entity)
    var record = before
    try body(&record)
    if record.isRemoved {
      try workspace.clear(Array(entity.id), in: entity.table, .removed)
    } else if record.isChanged || record.id != before.id {
      try store(record, at: Array(entity.id))
    }
  }

  /// The record of an ID; nil if there is none.
  ///
  /// O(1) where IDs are asked for in order, else it reads a chunk of the newest snapshot.
  public func record(in table: String, id: RecordValue) throws -> MigrationRecord? {
    try workspace.checkIsReadable(table)
    let entity = try workspace.entity(EncodedID.bytes(of: id), in: table)
    return try entity.map { try record($0) }
  }

  /// Stores a record: it replaces the one with its ID, if there is one.
  public func put(_ record: MigrationRecord) throws {
    try workspace.checkIsReadable(record.table)
    if record.isRemoved {
      try workspace.remove(EncodedID.bytes(of: record.id), from: record.table)
    } else {
      try store(record, at: EncodedID.bytes(of: record.id))
    }
  }

  /// Removes the record of an ID; does nothing if there is none.
  public func remove(id: RecordValue, from table: String) throws {
    try workspace.remove(EncodedID.bytes(of: id), from: table)
  }

  /// Says while the step runs that a loss is intended, like a script that names it in a comment.
  public func allow(_ loss: MigrationAllowance) { allowances.append(loss) }

  func record(_ entity: StoredEntity) throws -> MigrationRecord {
    let value = try RecordValue(record: entity.record, layout: workspace.layout(entity.layout))
    let id = try EncodedID.value(of: Array(entity.id))
    guard case .object(let members) = value else {
      return MigrationRecord(lone: value, id: id, in: entity.table)
    }
    return MigrationRecord(stored: Array(members), id: id, in: entity.table)
  }

  /// Stores a record that was stored under an ID.
  private func store(_ record: MigrationRecord, at before: [UInt8]) throws {
    let id = EncodedID.bytes(of: record.id)
    if record.isLone {
      throw MigrationStepError(
        "\(StoredValues.title(ofTable: record.table)) is no struct, so its fields cannot be changed"
      )
    }
    for (field, name) in record.renamed where record[name].map({ $0 != .null }) ?? false {
      workspace.shapes[record.table].rename(field, to: name)
    }
    if id == before {
      try workspace.put(record.members, id: id, in: record.table)
    } else {
      try workspace.move(
        record.members(withID: record.id),
        from: before,
        to: id,
        in: record.table
      )
    }
  }
}

/// Stored bytes, for steps that do not work on records one by one.
extension MigrationTables {
  /// The layouts of a table by their numbers.
  package func layouts(of table: String) -> [Int64: Layout] { workspace.layouts(of: table) }

  /// Whether a table has sealed records.
  package func isSealed(_ table: String) throws -> Bool { try workspace.isSealed(table) }

  /// Starts to read the records of a table as they were when the step started, in the order of their encoded IDs; each
  /// call of the result gives the next one.
  package func start(_ table: String) -> () throws -> StoredEntity? {
    var before = workspace.before(table)
    return { try before.next() }
  }

  /// Stores a record's bytes.
  ///
  /// - Parameter former: The encoded ID of the record that it was when the step started; nil for a new one.
  package func put(
    _ record: [UInt8],
    _ layout: Layout,
    id: [UInt8],
    from former: [UInt8]?,
    in table: String
  ) throws {
    if let former, former != id { try workspace.clearFormer(former, in: table, .moved) }
    let origin = former.map { MigrationStaging.Origin.moved(from: $0) } ?? .new
    try workspace.put(record, referring(layout), id: id, from: origin, in: table)
  }

  /// Removes the record that had an encoded ID when the step started.
  package func remove(encodedID id: [UInt8], from table: String) throws {
    try workspace.clearFormer(id, in: table, .removed)
  }

  /// The fields that migrations have dropped from a table: no record has a value in one.
  package func droppedFields(of table: String) -> Set<String> {
    Set(workspace.shapes[table].gone.map(\.name))
  }

  /// The columns that scripts have declared in a table, in its order.
  package func declaredColumns(of table: String) -> [DeclaredColumn] {
    workspace.shapes[table].declared
  }

  /// Adds a finding that the changes do not show.
  package func note(_ finding: MigrationFinding) { findings.append(finding) }

  /// Changes tables besides their records, but drops the records of those that were dropped.
  ///
  /// O(records) for tables with other names and those that refer to them.
  package func alter(_ changes: [TableChange]) throws {
    for change in changes {
      switch change.kind {
      case .dropped: try removeRecords(of: change.table)
      case .renamed(let former): renamed[former] = change.table
      case .kept, .replaced, .created: break
      }
    }
    if !renamed.isEmpty { try rename(renamed) }
    let there = changes.filter { $0.kind != .dropped }
    for var change in there {
      let table = change.table
      if change.kind == .created { workspace.addTable(table) }
      if let layout = change.layout {
        try workspace.resume(table, with: try referring(layout))
      }
      if change.kind != .kept {
        // The fields of another table that had the name are no columns of it.
        for field in layouts(of: table).values.flatMap(\.fields)
        where !change.fields.contains(field.name) {
          workspace.shapes[table].leave(field.name)
        }
      }
      change.declared = try change.declared?.map {
        $0.with(try referring(Layout([$0.field])).fields[0])
      }
      workspace.shapes[table].change(to: change)
    }
    let names = Set(there.map(\.table))
    for change in changes where !names.contains(change.table) { workspace.noteLeft(change.table) }
  }

  /// A layout with references to the names that tables have now.
  private func referring(_ layout: Layout) throws -> Layout {
    if renamed.isEmpty { return layout }
    if let known = referringLayouts[layout] { return known }
    let result = try layout.referring(to: renamed)
    referringLayouts[layout] = result
    return result
  }
}

/// Integer IDs.
extension MigrationTables {
  /// The highest integer that was an ID in a table; O(entities of the table, and changes that the file has).
  package func highestNumber(in table: String) throws -> Int64? {
    try workspace.highestNumber(in: table)
  }
}

/// What a step changes of the schema.
extension MigrationTables {
  /// The fields of each table, with what is declared of them.
  var fields: [String: [String: DeclaredColumn]] {
    Dictionary(
      uniqueKeysWithValues: names.map { table in
        let stored = layouts(of: table).sorted { $0.key < $1.key }.flatMap(\.value.fields)
        let columns = stored.map { DeclaredColumn(table: table, field: $0) }
        let fields = (columns + declaredColumns(of: table)).map { ($0.name, $0) }
        return (table, Dictionary(fields) { $1 })
      }
    )
  }

  /// The tables and fields that were not there before, `tags` and `people.vip`, and the fields of which something else is
  /// declared, in their order.
  func changes(
    since before: [String: [String: DeclaredColumn]]
  ) throws -> (added: [String], declared: [String]) {
    var (added, declared): ([String], [String]) = ([], [])
    let names = Dictionary(
      names.compactMap { table in workspace.shapes[table].former.map { ($0, table) } }
    ) { $1 }
    for (table, fields) in fields.sorted(by: { $0.key < $1.key }) {
      let shape = workspace.shapes[table]
      guard let known = before[shape.former ?? table] else {
        added.append(table)
        continue
      }
      var former: [String: String] = [:]
      for (field, column) in known {
        let column = column.with(try Layout([column.field]).referring(to: names).fields[0])
        for name in shape.names(of: field).union([field]) { former[name] = column.rules }
      }
      for (field, column) in fields.sorted(by: { $0.key < $1.key })
      where !shape.fieldsLeft.contains(field) {
        switch (former[field], column.rules) {
        case (nil, _): added.append("\(table).\(field)")
        case (let before?, let rules) where before == rules: break
        case (_, ""): declared.append("nothing of \(table).\(field)")
        case (_, let rules): declared.append("\(table).\(field) \(rules)")
        }
      }
    }
    return (added, declared)
  }
}

extension DeclaredColumn {
  /// What is declared of it, as SQL.
  fileprivate var rules: String {
    [
      isRequired ? "NOT NULL" : nil, defaultValue.map { "DEFAULT \($0)" },
      field.references.map { "REFERENCES \($0)" },
    ].compactMap(\.self).joined(separator: " ")
  }
}
