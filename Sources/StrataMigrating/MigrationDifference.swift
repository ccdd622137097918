import StrataBase
import StrataJournal
import StrataRecords
import StrataSchema
import StrataStorage

/// What the operations of a step come to: its delta, and what it did with each table.
///
/// A record is compared with the one that it came from, and with no other.
struct MigrationDifference {
  let workspace: MigrationWorkspace
  var reports: [MigrationTableReport] = []
  var findings: [MigrationFinding] = []
  /// The kinds of fields before and after, by the numbers of the layouts before and after.
  var fieldPairs: [Int64: [Int64: [FieldPair]]] = [:]

  struct FieldPair {
    let name: String
    /// The name that it has now.
    let current: String
    let before: Int
    let after: Int?
    /// The kinds, where the one after holds less.
    let narrowing: (from: String, to: String)?
    /// Where the value may be, if the field has another name now, and the field that had this name before, if there was
    /// one.
    let renamed: [(name: String, after: Int, before: Int?)]
  }

  /// What is known of one table before all of them were compared.
  struct Comparison {
    var report: MigrationTableReport
    let shape: TableShape
    /// How many values of a field its new kind does not hold.
    var lossy: [String: Int] = [:]
    var sources = FieldSources()
    /// What became of the records that had the name before another table got it.
    var replaced: MigrationTableReport?
  }

  var references: MigrationReferences
  /// The fields from which the step has made the values of others.
  private(set) var copies: [DataLedger.Rename] = []
  /// The layouts of the records that the step has added, by their tables.
  private(set) var added: [String: Set<Int64>] = [:]

  init(_ workspace: MigrationWorkspace) {
    self.workspace = workspace
    references = MigrationReferences(workspace)
  }

  /// Adds what the step has changed to a delta, in the order of tables and IDs.
  ///
  /// O(records of the changed tables), one pass.
  mutating func encode(into delta: inout DeltaEncoder) throws {
    for table in workspace.changedTables {
      var comparison = try compare(table, into: &delta)
      if let replaced = comparison.replaced {
        try noteLosses(Comparison(report: replaced, shape: TableShape(former: nil)))
        reports.append(replaced)
      }
      comparison.report.narrowed.sort { $0.field < $1.field }
      if let former = comparison.shape.former {
        copies += comparison.sources.renames(of: former, to: table)
      }
      try noteLosses(comparison)
      let report = comparison.report
      let changes = report.inserted + report.updated + report.deleted + report.idsChanged
      if changes > 0 || report.renamedFrom != nil { reports.append(report) }
    }
    try noteDangling()
  }

  /// Goes through the places of a table and the records that it had before, by their IDs, and adds what has changed to
  /// a delta.
  ///
  /// Both are the same, unless the table had another name.
  private mutating func compare(
    _ table: String,
    into delta: inout DeltaEncoder
  ) throws -> Comparison {
    let (number, shape) = (workspace.number(of: table), workspace.shapes[table])
    let former = shape.former
    let isRenamed = former != table
    var comparison = Comparison(report: MigrationTableReport(table: table), shape: shape)
    if isRenamed { comparison.report.renamedFrom = former }
    var places = workspace.before(table)
    var records = isRenamed ? former.map { workspace.before($0) } : nil
    var rows = workspace.staging.rows(of: .staged, number)
    var moved = workspace.staging.movedRows(of: number)
    while let id = (try places.peek()?.id).orEarlier(try records?.peek()?.id)
      .orEarlier(try rows.peek()?.id[...]).orEarlier(try moved.peek()?.formerID?[...])
    {
      let place = try places.next { $0.id == id }
      let record = isRenamed ? try records?.next { $0.id == id } : place
      let row = try rows.next { $0.id[...] == id }
      if record != nil { comparison.report.before += 1 }
      var hasMoved = false
      while let target = try moved.next(if: { $0.formerID?[...] == id }) {
        guard let new = target.entity(in: table) else { continue }
        try noteMoved(record, to: new, &comparison)
        hasMoved = true
      }
      if let record, !hasMoved { try noteFate(of: record, row, &comparison) }
      if isRenamed, former != nil, let place, !workspace.shapes.isAway(table) {
        try noteReplaced(place, &comparison)
      }
      guard let row else { continue }
      if let new = row.entity(in: table) {
        comparison.report.after += 1
        if row.origin == .new || row.origin == .place && (record == nil || hasMoved) {
          comparison.report.inserted += 1
          added[table, default: []].insert(try workspace.opened(new).layout)
          try references.note(new, replacing: nil, in: table)
        }
        if place?.layout != new.layout || place?.record != new.record {
          try delta.put(new, former: try self.former(of: row, in: table, former))
        }
      } else if place != nil {
        try delta.remove(row.id, from: table)
      }
    }
    return comparison
  }

  /// The key that a record had before the step; nil if it is the same, and for a new one.
  ///
  /// - Parameter formerTable: The name that the table had; nil for a new one.
  private func former(
    of row: MigrationStaging.Change,
    in table: String,
    _ formerTable: String?
  ) throws -> EntityKey? {
    let before: EntityKey
    if let reverted = workspace.reverted {
      let key = EntityKey(table: table, id: row.id[...])
      before = reverted.moves.key(of: key, at: reverted.revision)
      if before == key { return nil }
    } else {
      guard row.origin != .new, let formerTable, row.formerID != nil || formerTable != table else {
        return nil
      }
      before = EntityKey(table: formerTable, id: (row.formerID ?? row.id)[...])
    }
    return try workspace.before(Array(before.id), in: before.table) == nil ? nil : before
  }

  /// Compares a record that has another ID now with what it was; nil for one that the step has added before.
  private mutating func noteMoved(
    _ record: StoredEntity?,
    to new: StoredEntity,
    _ comparison: inout Comparison
  ) throws {
    if let record {
      comparison.report.idsChanged += 1
      try note(record, new, &comparison)
    } else {
      comparison.report.inserted += 1
    }
    try references.note(new, replacing: record, in: new.table)
  }

  /// Notes what became of a record that has no other ID, by the row of its place.
  private mutating func noteFate(
    of record: StoredEntity,
    _ row: MigrationStaging.Change?,
    _ comparison: inout Comparison
  ) throws {
    let table = comparison.report.table
    guard let row else {
      comparison.report.after += 1
      return
    }
    guard row.origin == .place, let new = row.entity(in: table) else {
      // Another record was given its ID.
      if row.formerID != nil, !row.isRemoved { throw MigrationStepError.sameID(row.id, in: table) }
      comparison.report.deleted += 1
      return try noteReferences(ofRemoved: record, in: table)
    }
    let isRenamed = comparison.report.renamedFrom != nil
    if record.record == new.record, isRenamed || record.layout == new.layout {
      if !isRenamed { return }
    } else {
      comparison.report.updated += 1
    }
    try note(record, new, &comparison)
    try references.note(new, replacing: record, in: table)
  }

  /// Counts a record of a table whose name another table has now.
  private mutating func noteReplaced(
    _ record: StoredEntity,
    _ comparison: inout Comparison
  ) throws {
    var replaced = comparison.replaced ?? MigrationTableReport(table: record.table)
    replaced.before += 1
    replaced.deleted += 1
    comparison.replaced = replaced
    try noteReferences(ofRemoved: record, in: record.table)
  }

  /// The references of a removed record matter only where there are others in their place.
  private mutating func noteReferences(ofRemoved record: StoredEntity, in table: String) throws {
    if workspace.hasPuts { try references.note(nil, replacing: record, in: table) }
  }
}
