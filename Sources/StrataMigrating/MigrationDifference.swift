import StrataBase
import StrataJournal
import StrataRecords
import StrataStorage

/// Compares what a step has left with what was there: writes its delta, and counts what it did.
struct MigrationDifference {
  let workspace: MigrationWorkspace
  var reports: [MigrationTableReport] = []
  var findings: [MigrationFinding] = []
  /// The kinds of fields before and after, by the numbers of the layouts.
  var fieldPairs: [LayoutPair: [FieldPair]] = [:]

  struct LayoutPair: Hashable {
    let before: Int64
    let after: Int64
  }

  struct FieldPair {
    let name: String
    /// The name that it has now.
    let current: String
    let before: Int
    let after: Int?
    /// The kinds, where the one after holds less.
    let narrowing: (from: Scalar, to: Scalar)?
    /// Where the value may be, if the field has another name now.
    let renamed: [RenamedField]
  }

  struct RenamedField {
    let name: String
    let after: Int
    /// The field that had this name before, if there was one.
    let before: Int?
  }

  struct Narrowed: Hashable {
    let field: String
    let from: Scalar
    let to: Scalar
  }

  /// What the records of one table have lost.
  struct Losses {
    var narrowed: [Narrowed: Int] = [:]
    /// Values that the new kind of their field does not hold.
    var lossy: [String: Int] = [:]
  }

  /// What is known of one table before all of them were compared.
  struct Comparison {
    var report: MigrationTableReport
    var losses = Losses()
    /// What became of the records that had the name before another table got it.
    var replaced: MigrationTableReport?
  }

  var references: MigrationReferences

  init(_ workspace: MigrationWorkspace) {
    self.workspace = workspace
    references = MigrationReferences(workspace)
  }

  /// Adds what the step has changed to a delta, in the order of tables and IDs.
  ///
  /// O(records of the changed tables), one pass; one more for a table whose records have other IDs, or whose name is
  /// another one.
  mutating func encode(into delta: inout DeltaEncoder) throws {
    var comparisons: [Comparison] = []
    for table in workspace.changedTables {
      comparisons.append(try compare(table, into: &delta))
    }
    for comparison in comparisons {
      if let replaced = comparison.replaced {
        try noteLosses(replaced, Losses())
        reports.append(replaced)
      }
      var report = comparison.report
      let losses = comparison.losses
      report.narrowed = losses.narrowed.map {
        .init(field: $0.key.field, from: "\($0.key.from)", to: "\($0.key.to)", count: $0.value)
      }.sorted { $0.field < $1.field }
      try noteLosses(report, losses)
      let changes = report.inserted + report.updated + report.deleted + report.idsChanged
      if changes > 0 || report.renamedFrom != nil {
        reports.append(report)
      }
    }
    try noteDangling()
  }

  /// The name that a table had before the step, if the step has given it another one and both are compared.
  private func source(of table: String) -> String? { workspace.renames.tables[table] }

  /// Compares the records of one table with those that it had, and adds what has changed to a delta.
  private mutating func compare(
    _ table: String,
    into delta: inout DeltaEncoder
  ) throws -> Comparison {
    var comparison = Comparison(report: MigrationTableReport(table: table))
    let source = source(of: table)
    // The table that has its records is compared with them.
    let isAway = workspace.renames.isAway(table)
    let number = workspace.number(of: table)
    var before = workspace.before(table)
    var old = try before.next()
    var last: [UInt8]?
    while true {
      let page = try workspace.staging.page(of: .staged, number, after: last)
      guard let end = page.last else { break }
      last = end.id
      for row in page {
        while let entity = old, entity.id.lexicographicallyPrecedes(row.id) {
          noteUntouched(&comparison)
          old = try before.next()
        }
        var replaced: StoredEntity?
        if let entity = old, entity.id == row.id[...] {
          replaced = entity
          if !isAway, source == nil { comparison.report.before += 1 }
          old = try before.next()
        }
        let hasMoved = try replaced != nil && workspace.hasMoved(row.id, in: table)
        guard let new = row.entity(in: table) else {
          guard let replaced else { continue }
          if !hasMoved, !isAway { try noteRemoved(replaced, &comparison) }
          try delta.remove(row.id, from: table)
          continue
        }
        comparison.report.after += 1
        let hasSameBytes = replaced.map { $0.layout == new.layout && $0.record == new.record }
        if let replaced, !hasMoved, !isAway {
          if row.origin != nil, !row.isRemoved {
            throw MigrationStepError.sameID(row.id, in: table)
          } else if row.origin == nil, source == nil, hasSameBytes == true {
            continue
          } else if row.origin != nil || source != nil || row.isRemoved {
            try noteRemoved(replaced, &comparison)
          } else {
            comparison.report.updated += 1
            try note(replaced, new, &comparison)
            try references.note(new, replacing: replaced)
            try delta.put(new)
            continue
          }
        }
        if row.origin != nil, source == nil {
          comparison.report.idsChanged += 1
        } else {
          comparison.report.inserted += 1
          if hasSameBytes == true { continue }
          try noteAdded(new)
        }
        try delta.put(new, former: try former(of: row, in: table))
      }
    }
    while old != nil {
      noteUntouched(&comparison)
      old = try before.next()
    }
    try noteMoved(&comparison)
    try noteRenamed(&comparison)
    return comparison
  }

  /// The key that a record had before the step; nil if it had none.
  private func former(
    of row: MigrationStaging.Change,
    in table: String
  ) throws -> EntityKey? {
    if let reverted = workspace.reverted {
      let key = EntityKey(table: table, id: row.id[...])
      let now = reverted.moves.key(of: key, at: reverted.revision)
      return try now != key && workspace.wasThere(Array(now.id), in: now.table) ? now : nil
    }
    let source = source(of: table)
    let origin = row.origin ?? (source == nil || row.isRemoved ? nil : row.id)
    guard let origin, try workspace.wasThere(origin, in: source ?? table) else { return nil }
    return EntityKey(table: source ?? table, id: origin[...])
  }

  /// Notes what a new record refers to, unless it is only under another name than before.
  private mutating func noteAdded(_ new: StoredEntity) throws {
    guard let source = workspace.renames.tables[new.table] else {
      return try references.note(new, replacing: nil)
    }
    if workspace.isChangedSinceRename(new.table), source != new.table {
      try references.note(new, replacing: nil)
    }
  }

  /// Counts a record that is as it was.
  private func noteUntouched(_ comparison: inout Comparison) {
    comparison.report.before += 1
    comparison.report.after += 1
  }

  /// Compares the records that have other IDs now with what they were.
  private mutating func noteMoved(_ comparison: inout Comparison) throws {
    let table = comparison.report.table
    guard workspace.hasMoves(in: table) else { return }
    let source = workspace.renames.tables[table]
    var before = workspace.before(source ?? table)
    var old = try before.next()
    var last: (origin: [UInt8], id: [UInt8])?
    while true {
      let page = try workspace.staging.movedPage(workspace.number(of: table), after: last)
      if page.isEmpty { return }
      for row in page {
        guard let origin = row.origin, let new = row.entity(in: table) else { continue }
        last = (origin, row.id)
        while let entity = old, entity.id.lexicographicallyPrecedes(origin) {
          old = try before.next()
        }
        if let entity = old, entity.id == origin[...] {
          if source != nil {
            comparison.report.inserted -= 1
            comparison.report.idsChanged += 1
          }
          try note(entity, new, &comparison)
          if source == nil { try references.note(new, replacing: entity) }
        } else if source == nil {
          // The step has added it, and then given it another ID.
          comparison.report.idsChanged -= 1
          comparison.report.inserted += 1
          try references.note(new, replacing: nil)
        }
      }
    }
  }

  /// Compares the records of a table that has another name now with what they were.
  ///
  /// Those of a table that was only given a name are the same.
  private mutating func noteRenamed(_ comparison: inout Comparison) throws {
    let table = comparison.report.table
    guard let source = workspace.renames.tables[table] else { return }
    let isChanged = workspace.isChangedSinceRename(table)
    comparison.report.renamedFrom = source
    let number = workspace.number(of: table)
    var before = workspace.before(source)
    var page: ArraySlice<MigrationStaging.Change> = []
    var last: [UInt8]?
    var isPaged = false
    while let entity = try before.next() {
      comparison.report.before += 1
      var now: StoredEntity?
      while !isPaged {
        if page.isEmpty {
          page = try workspace.staging.page(of: .staged, number, after: last)[...]
          last = page.last?.id
          isPaged = page.isEmpty
        }
        guard let row = page.first else { break }
        if entity.id.lexicographicallyPrecedes(row.id) { break }
        page = page.dropFirst()
        guard entity.id == row.id[...] else { continue }
        if row.origin == nil { now = row.entity(in: table) }
        break
      }
      if let now {
        comparison.report.inserted -= 1
        if entity.record != now.record { comparison.report.updated += 1 }
        if isChanged { try note(entity, now, &comparison) }
      } else if try !workspace.hasMoved(Array(entity.id), in: table) {
        try noteRemoved(entity, &comparison)
        continue
      }
      if isChanged { try references.note(nil, replacing: entity) }
    }
  }

  /// Counts a removed record and its references.
  private mutating func noteRemoved(_ stored: StoredEntity, _ comparison: inout Comparison) throws {
    if stored.table == comparison.report.table, source(of: stored.table) != nil {
      comparison.replaced = comparison.replaced ?? MigrationTableReport(table: stored.table)
      comparison.replaced?.before += 1
      comparison.replaced?.deleted += 1
    } else {
      comparison.report.deleted += 1
    }
    // Its references matter only where there are others in their place.
    if workspace.hasPuts { try references.note(nil, replacing: stored) }
  }
}
