import StrataBase
import StrataJournal
import StrataRecords
import StrataStorage

/// Compares what a step has left with what was there: writes its delta, and counts what it did.
struct MigrationDifference {
  private let workspace: MigrationWorkspace
  private(set) var reports: [MigrationTableReport] = []
  private(set) var findings: [MigrationFinding] = []
  /// The kinds of fields before and after, by the numbers of the layouts.
  private var fieldPairs: [LayoutPair: [FieldPair]] = [:]

  private struct LayoutPair: Hashable {
    let before: Int64
    let after: Int64
  }

  private struct FieldPair {
    let name: String
    let before: Int
    let after: Int?
    /// The kinds, where the one after holds less.
    let narrowing: (from: Scalar, to: Scalar)?
    /// Where the value may be, if the field has another name now.
    let renamed: [RenamedField]
  }

  private struct RenamedField {
    let name: String
    let after: Int
    /// The field that had this name before, if there was one.
    let before: Int?
  }

  private struct Narrowed: Hashable {
    let field: String
    let from: Scalar
    let to: Scalar
  }

  /// What the records of one table have lost.
  private struct Losses {
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
  private struct Comparison {
    var report: MigrationTableReport
    var losses = Losses()
  }

  private let isForStragglers: Bool
  private var references: MigrationReferences

  /// - Parameter isForStragglers: Whether the step runs only on records that older builds have written: a table that
  ///   it gives another name may have records of that name already.
  init(_ workspace: MigrationWorkspace, isForStragglers: Bool = false) {
    self.workspace = workspace
    self.isForStragglers = isForStragglers
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

  /// Counts the values that a record has lost.
  ///
  /// Records without members beside their layouts are compared without their values.
  private mutating func note(
    _ former: StoredEntity,
    _ current: StoredEntity,
    _ comparison: inout Comparison
  ) throws {
    let (before, after) = (try workspace.opened(former), try workspace.opened(current))
    let (old, new) = (
      try workspace.layout(before.layout), try workspace.layout(after.layout)
    )
    if old.isOfSealedRecords || new.isOfSealedRecords { return }
    let presence = (FieldPresence(before.record, old), FieldPresence(after.record, new))
    guard let had = presence.0, let has = presence.1 else {
      return try noteValues(before, old, after, new, &comparison)
    }
    try noteOverwritten(before, old, after, new, &comparison.losses)
    if before.layout == after.layout, had.isSame(as: has) { return }
    let pairs = pairs(LayoutPair(before: before.layout, after: after.layout), old, new, after.table)
    for pair in pairs where had[pair.before].hasValue {
      // The field that repeats the ID has another value then.
      if pair.name == "id", before.id != after.id { continue }
      guard let field = pair.after, has[field].hasValue else {
        let isKept = try pair.renamed.contains { renamed in
          guard has[renamed.after].hasValue else { return false }
          guard let place = renamed.before, had[place].hasValue else { return true }
          // Both had a value before, so only the value shows which one this is.
          return try Self.isSame(pair.name, before, old, renamed.name, after, new)
        }
        if !isKept { comparison.report.valuesLost[pair.name, default: 0] += 1 }
        continue
      }
      guard let narrowing = pair.narrowing, had[pair.before] == .value, has[field] == .value else {
        continue
      }
      let kinds = Narrowed(field: pair.name, from: narrowing.from, to: narrowing.to)
      comparison.losses.narrowed[kinds, default: 0] += 1
      if try !Self.isSame(pair.name, before, old, pair.name, after, new) {
        comparison.losses.lossy[pair.name, default: 0] += 1
      }
    }
  }

  /// Notes which fields have the value that they had, and which have another one.
  ///
  /// Only those are compared that had another value in every record so far.
  private func noteOverwritten(
    _ before: StoredEntity,
    _ old: Layout,
    _ after: StoredEntity,
    _ new: Layout,
    _ losses: inout Losses
  ) throws {
    for field in old.fields where !losses.kept.contains(field.name) {
      if field.name == "id", before.id != after.id { continue }
      let had = try Self.value(of: field.name, in: before, old)
      guard had != .null else { continue }
      let has = try Self.value(of: field.name, in: after, new)
      if has == .null {
        // It is lost, or has another name.
        if !workspace.renames.names(of: field.name, in: after.table).isEmpty {
          losses.kept.insert(field.name)
        }
      } else if has.keepingKind(of: had) == had {
        losses.kept.insert(field.name)
      } else {
        losses.overwritten[field.name, default: 0] += 1
      }
    }
  }

  private static func value(
    of field: String,
    in entity: StoredEntity,
    _ layout: Layout
  ) throws -> RecordValue {
    let reader = RecordFields([field], in: layout)
    var places = [RecordFields.Place.none]
    try reader.locate(in: entity.record, &places)
    return try reader.value(at: places[0], in: entity.record) ?? .null
  }

  /// Whether a field has the value that another one had.
  private static func isSame(
    _ field: String,
    _ before: StoredEntity,
    _ old: Layout,
    _ name: String,
    _ after: StoredEntity,
    _ new: Layout
  ) throws -> Bool {
    guard let had = try RecordValue(record: before.record, layout: old)[field],
      let has = try RecordValue(record: after.record, layout: new)[name]
    else { return false }
    return has.keepingKind(of: had) == had
  }

  private func noteValues(
    _ before: StoredEntity,
    _ old: Layout,
    _ after: StoredEntity,
    _ new: Layout,
    _ comparison: inout Comparison
  ) throws {
    let has = try RecordValue(record: after.record, layout: new)
    let had = try RecordValue(record: before.record, layout: old)
    guard case .object(let members) = had, case .object(let left) = has else { return }
    var kept: Set<String> = []
    for member in left where member.value != .null { kept.insert(member.name) }
    for member in members where member.value != .null {
      if member.name == "id", before.id != after.id { continue }
      if kept.contains(member.name) {
        if has[member.name]?.keepingKind(of: member.value) == member.value {
          comparison.losses.kept.insert(member.name)
        } else {
          comparison.losses.overwritten[member.name, default: 0] += 1
        }
        continue
      }
      let isKept = workspace.renames.names(of: member.name, in: after.table).contains { name in
        guard kept.contains(name) else { return false }
        guard let earlier = had[name], earlier != .null else { return true }
        return has[name]?.keepingKind(of: member.value) == member.value
      }
      if !isKept { comparison.report.valuesLost[member.name, default: 0] += 1 }
    }
  }

  private mutating func pairs(
    _ numbers: LayoutPair,
    _ old: Layout,
    _ new: Layout,
    _ table: String
  ) -> [FieldPair] {
    if let known = fieldPairs[numbers] { return known }
    let pairs = old.fields.enumerated().map { index, field in
      let after = new.fields.firstIndex { $0.name == field.name }
      var narrowing: (from: Scalar, to: Scalar)?
      if let after, case .scalar(let from) = field.kind,
        case .scalar(let to) = new.fields[after].kind, to.isNarrower(than: from)
      {
        narrowing = (from, to)
      }
      let renamed = workspace.renames.names(of: field.name, in: table).sorted().compactMap { name in
        new.fields.firstIndex { $0.name == name }.map { place in
          RenamedField(
            name: name,
            after: place,
            before: old.fields.firstIndex { $0.name == name }
          )
        }
      }
      return FieldPair(
        name: field.name,
        before: index,
        after: after,
        narrowing: narrowing,
        renamed: renamed
      )
    }
    fieldPairs[numbers] = pairs
    return pairs
  }
}

extension Scalar {
  /// Whether it holds fewer numbers than another kind of number.
  fileprivate func isNarrower(than other: Scalar) -> Bool {
    guard let own = numbers, let others = other.numbers else { return false }
    return own.digits < others.digits || !own.hasSign && others.hasSign
      || !own.hasFraction && others.hasFraction
  }

  /// What a kind of number holds; nil for other kinds.
  ///
  /// The digits are those that an integer may have in binary such that all integers up to it are exact.
  private var numbers: (digits: Int, hasSign: Bool, hasFraction: Bool)? {
    switch self {
    case .bool: (1, false, false)
    case .int8: (7, true, false)
    case .uint8: (8, false, false)
    case .int16: (15, true, false)
    case .uint16: (16, false, false)
    case .int32: (31, true, false)
    case .uint32: (32, false, false)
    case .int64: (63, true, false)
    case .uint64: (64, false, false)
    case .float: (24, true, true)
    case .double: (53, true, true)
    case .decimal: (126, true, true)
    case .string, .data, .date, .uuid, .url: nil
    }
  }
}

/// Findings.
extension MigrationDifference {
  private mutating func noteLosses(_ report: MigrationTableReport, _ losses: Losses) throws {
    let table = report.table
    if report.deleted > 0 {
      let isAll = report.after == 0
      let records = Measures.count(report.deleted, "record", "records")
      let part =
        report.deleted == report.before
        ? "\(records), all it has" : "\(report.deleted) of its \(report.before) records"
      findings.append(
        MigrationFinding(
          isAll ? .destructive : .deletes,
          table: table,
          count: report.deleted,
          detail: "\(table) loses \(part)"
        )
      )
      if isAll { return }
    }
    // Where records are removed and others are added, those may be meant to stand for the removed ones.
    let removed = report.inserted > 0 ? losses.removed : [:]
    let fields = Set(report.valuesLost.keys).union(removed.keys)
    let left = try fieldsLeft(in: table, of: fields)
    for field in fields.sorted() {
      let names = workspace.renames.names(of: field, in: table).union([field])
      let isAll = names.isDisjoint(with: left)
      let count = report.valuesLost[field, default: 0] + (isAll ? removed[field, default: 0] : 0)
      if count == 0 { continue }
      let values = Measures.count(count, "value", "values")
      findings.append(
        MigrationFinding(
          isAll ? .destructive : .lossy,
          table: table,
          field: field,
          count: count,
          detail: "\(table).\(field) loses \(values)\(isAll ? ", all it has" : "")"
        )
      )
    }
    for (field, count) in losses.lossy.sorted(by: { $0.key < $1.key }) {
      findings.append(
        MigrationFinding(
          .lossy,
          table: table,
          field: field,
          count: count,
          detail: """
            \(table).\(field) gets a kind that does not hold \(Measures.count(count, "value", "values")) \
            of it
            """
        )
      )
    }
    for (field, count) in losses.overwritten.sorted(by: { $0.key < $1.key })
    where !workspace.renames.isFollowed(field, of: table) {
      let values = Measures.count(count, "value", "values")
      findings.append(
        MigrationFinding(
          .overwrites,
          table: table,
          field: field,
          count: count,
          detail: "\(table).\(field) has another value in place of its \(values), all it had"
        )
      )
    }
  }

  /// Which of the fields still have a value in a record of the table.
  func fieldsLeft(in table: String, of lost: Set<String>) throws -> Set<String> {
    var left: Set<String> = []
    if lost.isEmpty { return left }
    let fields = lost.reduce(into: lost) {
      $0.formUnion(workspace.renames.names(of: $1, in: table))
    }
    var scan = workspace.scan(table)
    while left.count < fields.count, let entity = try scan.next() {
      let layout = try workspace.layout(entity.layout)
      if let presence = FieldPresence(entity.record, layout) {
        for (index, field) in layout.fields.enumerated()
        where fields.contains(field.name) && presence[index].hasValue {
          left.insert(field.name)
        }
      } else if case .object(let members) = try RecordValue(record: entity.record, layout: layout) {
        for member in members where fields.contains(member.name) && member.value != .null {
          left.insert(member.name)
        }
      }
    }
    return left
  }

  /// Counts the references to records that the step has removed, and those that it has added and that lead to none.
  private mutating func noteDangling() throws {
    var targets = Set(
      reports.filter { $0.deleted + $0.idsChanged > 0 || !$0.moved.isEmpty }.map(\.table)
    )
    targets.formUnion(
      workspace.changedTables.filter {
        workspace.hasMoves(in: $0) || workspace.isChangedSinceRename($0)
      }
    )
    var dangling: [String: [Layout.Reference: Int]] = [:]
    for (place, count) in try references.missing(besides: targets) {
      dangling[place.table, default: [:]][place.reference, default: 0] += count
    }
    if !targets.isEmpty {
      for table in workspace.tables {
        dangling[table, default: [:]].merge(
          try self.dangling(in: table, to: targets),
          uniquingKeysWith: +
        )
      }
    }
    for (table, counts) in dangling.sorted(by: { $0.key < $1.key }) where !counts.isEmpty {
      let list = counts.map {
        MigrationTableReport.Dangling(field: $0.key.place, target: $0.key.table, count: $0.value)
      }.sorted { ($0.field, $0.target) < ($1.field, $1.target) }
      for entry in list {
        findings.append(
          MigrationFinding(
            .dangling,
            table: table,
            field: entry.field,
            count: entry.count,
            detail: """
              \(Measures.count(entry.count, "reference", "references")) from \(table).\(entry.field) to \
              \(entry.target) would lead to no record
              """
          )
        )
      }
      if let index = reports.firstIndex(where: { $0.table == table }) {
        reports[index].dangling = list
      } else {
        var report = MigrationTableReport(table: table)
        var scan = workspace.scan(table)
        while try scan.next() != nil { report.before += 1 }
        report.after = report.before
        report.dangling = list
        reports.append(report)
      }
    }
    reports.sort { $0.table < $1.table }
  }

  /// Counts the references of a table to records that the step has removed from other ones.
  private func dangling(
    in table: String,
    to targets: Set<String>
  ) throws -> [Layout.Reference: Int] {
    var counts: [Layout.Reference: Int] = [:]
    guard try workspace.references(from: table).contains(where: { targets.contains($0.table) })
    else { return counts }
    var known: [Int64: [Layout.Reference]] = [:]
    var scan = workspace.scan(table)
    while let entity = try scan.next() {
      let layout = try workspace.layout(entity.layout)
      let references =
        try known[entity.layout]
        ?? workspace.references(from: table, in: layout).filter { targets.contains($0.table) }
      known[entity.layout] = references
      if references.isEmpty { continue }
      let value = try RecordValue(record: entity.record, layout: layout)
      for reference in references {
        _ = try value.replacing(reference.path[...]) { id in
          let target = workspace.number(of: reference.table)
          let rows = try reference.candidates(for: id).compactMap {
            try workspace.staging.row(of: .staged, target, $0)
          }
          if let row = rows.first, row.record == nil { counts[reference, default: 0] += 1 }
          return id
        }
      }
    }
    return counts
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

extension Layout.Reference {
  /// Where the IDs are, without the table that they lead to.
  var place: String {
    String(description.prefix { $0 != " " })
  }
}
