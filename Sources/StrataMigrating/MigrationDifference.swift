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
    /// How many values the removed records had.
    var removed: [String: Int] = [:]
    /// How many records have another value in a field.
    var overwritten: [String: Int] = [:]
    /// The fields that have a value still that they had before.
    var kept: Set<String> = []
  }

  /// What is known of one table before all of them were compared.
  struct Comparison {
    var report: MigrationTableReport
    var losses = Losses()
  }

  private let records: MigrationWorkspace.Records
  /// Whether a table that the step gives another name may have records of that name already.
  private var isForStragglers: Bool { records != .all }
  var references: MigrationReferences

  /// - Parameter records: what the step works on.
  init(_ workspace: MigrationWorkspace, _ records: MigrationWorkspace.Records = .all) {
    self.workspace = workspace
    self.records = records
    references = MigrationReferences(workspace)
  }

  /// Adds what the step has changed to a delta, in the order of tables and IDs.
  ///
  /// O(records of the changed tables), one pass; one more for a table whose records have other IDs, or whose name is
  /// another one, and one over its changes for a table that has new records while others are gone.
  mutating func encode(into delta: inout DeltaEncoder) throws {
    var comparisons: [Comparison] = []
    for table in workspace.changedTables {
      comparisons.append(try compare(table, into: &delta))
    }
    try noteMovedContents(&comparisons)
    for comparison in comparisons {
      var (report, losses) = (comparison.report, comparison.losses)
      report.narrowed = losses.narrowed.map {
        .init(field: $0.key.field, from: "\($0.key.from)", to: "\($0.key.to)", count: $0.value)
      }.sorted { $0.field < $1.field }
      losses.overwritten = losses.overwritten.filter { !losses.kept.contains($0.key) }
      try noteLosses(report, losses)
      let changes = report.inserted + report.updated + report.deleted + report.idsChanged
      if changes > 0 || !report.moved.isEmpty || report.renamedFrom != nil {
        reports.append(report)
      }
    }
    try noteDangling()
  }

  /// The name that a table had before the step, if the step has given it another one and both are compared.
  private func source(of table: String) -> String? {
    isForStragglers ? nil : workspace.renames.tables[table]
  }

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
          try noteUntouched(entity, &comparison)
          old = try before.next()
        }
        var replaced: StoredEntity?
        if let entity = old, entity.id == row.id[...] {
          replaced = entity
          if !isAway { comparison.report.before += 1 }
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
          } else if row.origin != nil || source != nil {
            try noteRemoved(replaced, &comparison)
          } else if hasSameBytes == true {
            try noteUntouched(replaced, &comparison, isCounted: true)
            continue
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
        try delta.put(new)
      }
    }
    while let entity = old {
      try noteUntouched(entity, &comparison)
      old = try before.next()
    }
    try noteMoved(&comparison)
    try noteRenamed(&comparison)
    return comparison
  }

  /// Notes what a new record refers to, unless it is only under another name than before.
  private mutating func noteAdded(_ new: StoredEntity) throws {
    guard let source = workspace.renames.tables[new.table] else {
      return try references.note(new, replacing: nil)
    }
    if !isForStragglers, workspace.isChangedSinceRename(new.table), source != new.table {
      try references.note(new, replacing: nil)
    }
  }

  /// Counts a record that is as it was.
  private func noteUntouched(
    _ entity: StoredEntity,
    _ comparison: inout Comparison,
    isCounted: Bool = false
  ) throws {
    if !isCounted {
      comparison.report.before += 1
      comparison.report.after += 1
    }
    let layout = try workspace.layout(entity.layout)
    // Once a field is known to have a value that it had, its values are not asked for again.
    guard !layout.isOfSealedRecords,
      layout.fields.contains(where: { !comparison.losses.kept.contains($0.name) }),
      let presence = FieldPresence(entity.record, layout)
    else { return }
    for (index, field) in layout.fields.enumerated() where presence[index].hasValue {
      comparison.losses.kept.insert(field.name)
    }
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
          if source != nil, !isForStragglers {
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
    if !isForStragglers { comparison.report.renamedFrom = source } else if !isChanged { return }
    let number = workspace.number(of: table)
    var before = workspace.before(source)
    var page: ArraySlice<MigrationStaging.Change> = []
    var last: [UInt8]?
    var isPaged = false
    while let entity = try before.next() {
      if !isForStragglers { comparison.report.before += 1 }
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
        if !isForStragglers {
          comparison.report.inserted -= 1
          if entity.record != now.record { comparison.report.updated += 1 }
        }
        if isChanged { try note(entity, now, &comparison) }
      } else if !isForStragglers, try !workspace.hasMoved(Array(entity.id), in: table) {
        try noteRemoved(entity, &comparison)
        continue
      }
      if isChanged, !isForStragglers { try references.note(nil, replacing: entity) }
    }
  }

  /// Counts a removed record, its values and its references.
  private mutating func noteRemoved(_ stored: StoredEntity, _ comparison: inout Comparison) throws {
    comparison.report.deleted += 1
    // Its values matter only where there are other records in its place.
    guard workspace.hasPuts else { return }
    try references.note(nil, replacing: stored)
    guard let content = try content(of: stored) else { return }
    for field in content.fields { comparison.losses.removed[field, default: 0] += 1 }
    let number = workspace.number(of: comparison.report.table)
    try workspace.staging.noteLost(content.checksum, of: stored.id, in: number)
  }

  /// What a record has beside its ID; nil for one that the step cannot open.
  private func content(of stored: StoredEntity) throws -> RecordContent? {
    let entity = try workspace.opened(stored)
    let layout = try workspace.layout(entity.layout)
    return layout.isOfSealedRecords ? nil : try RecordContent(entity, layout)
  }

  /// Finds the removed records whose contents are under another ID or in another table now: they were moved.
  ///
  /// O(changes of the tables that have new records); nothing is read where no record was removed or none is new.
  private func noteMovedContents(_ comparisons: inout [Comparison]) throws {
    guard workspace.hasPuts, comparisons.contains(where: { $0.report.deleted > 0 }) else { return }
    for index in comparisons.indices where comparisons[index].report.inserted > 0 {
      let table = comparisons[index].report.table
      let number = workspace.number(of: table)
      var before = workspace.before(source(of: table) ?? table)
      var old = try before.next()
      var last: [UInt8]?
      while true {
        let page = try workspace.staging.page(of: .staged, number, after: last)
        guard let end = page.last else { break }
        last = end.id
        for row in page {
          while let entity = old, entity.id.lexicographicallyPrecedes(row.id) {
            old = try before.next()
          }
          guard row.origin == nil, let new = row.entity(in: table) else { continue }
          if let entity = old, entity.id == row.id[...], !workspace.renames.isAway(table),
            try !workspace.hasMoved(row.id, in: table)
          {
            continue
          }
          guard let content = try content(of: new),
            let lost = try workspace.staging.takeLost(content.checksum, for: row.id),
            let from = comparisons.firstIndex(where: {
              $0.report.table == workspace.table(lost)
            })
          else { continue }
          comparisons[from].report.deleted -= 1
          for field in content.fields {
            comparisons[from].losses.removed[field, default: 0] -= 1
          }
          if from == index {
            comparisons[index].report.inserted -= 1
            comparisons[index].report.idsChanged += 1
          } else {
            comparisons[from].report.moved[table, default: 0] += 1
          }
        }
      }
    }
    try workspace.staging.dropLost()
  }
}

/// What a record has beside its ID.
private struct RecordContent {
  private let id: ArraySlice<UInt8>
  private let value: RecordValue

  /// - Parameter entity: A record that is not sealed.
  init(_ entity: StoredEntity, _ layout: Layout) throws {
    id = entity.id
    value = try RecordValue(record: entity.record, layout: layout)
  }

  private var members: [RecordValue.Member] {
    (value.members ?? [.init("value", value)]).filter { $0.name != "id" && $0.value != .null }
  }

  var fields: [String] { members.map(\.name) }

  /// The same for two records with equal values, whatever their layouts are; that of a record without values is of
  /// its ID.
  var checksum: [UInt8] {
    var builder = ChecksumBuilder()
    let members = members.sorted { $0.name < $1.name }
    if members.isEmpty { builder.append(Array(id)) }
    for member in members {
      builder.append(member.name)
      // An integer is the same in a column of another width.
      switch member.value {
      case .int(let number, _): builder.append(RecordValue.int(number, .bits64).taggedBytes)
      case .uint(let number, _):
        let integer = Int64(exactly: number).map { RecordValue.int($0, .bits64) }
        builder.append((integer ?? member.value).taggedBytes)
      default: builder.append(member.value.taggedBytes)
      }
    }
    return builder.finalize().bytes
  }
}
