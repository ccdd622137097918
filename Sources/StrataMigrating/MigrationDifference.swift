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
    /// How many records there were under the name that the table had before.
    var recordsBeforeRename = 0
  }

  init(_ workspace: MigrationWorkspace) { self.workspace = workspace }

  /// Adds what the step has changed to a delta, in the order of tables and IDs.
  ///
  /// O(records of the changed tables), one pass; one more for a table whose records have other IDs, or whose name is
  /// another one.
  mutating func encode(into delta: inout DeltaEncoder) throws {
    for table in workspace.changedTables { try encode(table, into: &delta) }
    try noteDangling()
  }

  private mutating func encode(_ table: String, into delta: inout DeltaEncoder) throws {
    var report = MigrationTableReport(table: table)
    var losses = Losses()
    let number = workspace.number(of: table)
    let isRenamed = workspace.renames.tables[table] != nil
    var before = workspace.before(table)
    var old = try before.next()
    var last: [UInt8]?
    while true {
      let page = try workspace.staging.page(of: .staged, number, after: last)
      guard let end = page.last else { break }
      last = end.id
      for row in page {
        while let entity = old, entity.id.lexicographicallyPrecedes(row.id) {
          report.before += 1
          report.after += 1
          old = try before.next()
        }
        var replaced: StoredEntity?
        if let entity = old, entity.id == row.id[...] {
          replaced = entity
          report.before += 1
          old = try before.next()
        }
        guard let new = row.entity(in: table) else {
          guard let replaced else { continue }
          if try !workspace.hasMoved(row.id, in: table) {
            report.deleted += 1
            try noteRemoved(replaced, &losses)
          }
          try delta.remove(row.id, from: table)
          continue
        }
        report.after += 1
        let hasSameBytes = replaced.map { $0.layout == new.layout && $0.record == new.record }
        let hasMoved = try replaced != nil && workspace.hasMoved(row.id, in: table)
        if row.origin != nil {
          if replaced != nil, !hasMoved { throw MigrationStepError.sameID(row.id, in: table) }
          if isRenamed { report.inserted += 1 } else { report.idsChanged += 1 }
        } else if let replaced, !hasMoved {
          if hasSameBytes == true { continue }
          report.updated += 1
          if !isRenamed { try note(replaced, new, &report, &losses) }
        } else {
          report.inserted += 1
          if hasSameBytes == true { continue }
        }
        try delta.put(new)
      }
    }
    while old != nil {
      report.before += 1
      report.after += 1
      old = try before.next()
    }
    try noteMoved(&report, &losses)
    try noteRenamed(&report, &losses)
    report.narrowed = losses.narrowed.map {
      .init(field: $0.key.field, from: "\($0.key.from)", to: "\($0.key.to)", count: $0.value)
    }.sorted { $0.field < $1.field }
    try noteLosses(report, losses)
    let isChanged =
      report.inserted + report.updated + report.deleted + report.idsChanged > 0
    if isChanged { reports.append(report) }
  }

  /// Compares the records that have other IDs now with what they were.
  private mutating func noteMoved(
    _ report: inout MigrationTableReport,
    _ losses: inout Losses
  ) throws {
    let table = report.table
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
          try note(entity, new, &report, &losses)
        } else if source == nil {
          // The step has added it, and then given it another ID.
          report.idsChanged -= 1
          report.inserted += 1
        }
      }
    }
  }

  /// Compares the records of a table that has another name now with what they were.
  ///
  /// Those of a table that was only given a name are the same.
  private mutating func noteRenamed(
    _ report: inout MigrationTableReport,
    _ losses: inout Losses
  ) throws {
    let table = report.table
    guard let source = workspace.renames.tables[table], workspace.isChangedSinceRename(table) else {
      return
    }
    let number = workspace.number(of: table)
    var before = workspace.before(source)
    var page: ArraySlice<MigrationStaging.Change> = []
    var last: [UInt8]?
    var isPaged = false
    while let entity = try before.next() {
      losses.recordsBeforeRename += 1
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
        if row.origin == nil, let new = row.entity(in: table) {
          try note(entity, new, &report, &losses)
        }
        break
      }
    }
  }

  /// Counts the values of a removed record.
  private func noteRemoved(_ stored: StoredEntity, _ losses: inout Losses) throws {
    let entity = try workspace.opened(stored)
    let layout = try workspace.layout(entity.layout)
    if layout.isOfSealedRecords { return }
    if let presence = FieldPresence(entity.record, layout) {
      for (index, field) in layout.fields.enumerated() where presence[index].hasValue {
        losses.removed[field.name, default: 0] += 1
      }
    } else if case .object(let members) = try RecordValue(record: entity.record, layout: layout) {
      for member in members where member.value != .null {
        losses.removed[member.name, default: 0] += 1
      }
    }
  }

  /// Counts the values that a record has lost.
  ///
  /// Records without members beside their layouts are compared without their values.
  private mutating func note(
    _ former: StoredEntity,
    _ current: StoredEntity,
    _ report: inout MigrationTableReport,
    _ losses: inout Losses
  ) throws {
    let (before, after) = (try workspace.opened(former), try workspace.opened(current))
    let (old, new) = (
      try workspace.layout(before.layout), try workspace.layout(after.layout)
    )
    if old.isOfSealedRecords || new.isOfSealedRecords { return }
    let presence = (FieldPresence(before.record, old), FieldPresence(after.record, new))
    guard let had = presence.0, let has = presence.1 else {
      return try noteValues(before, old, after, new, &report)
    }
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
        if !isKept { report.valuesLost[pair.name, default: 0] += 1 }
        continue
      }
      guard let narrowing = pair.narrowing, had[pair.before] == .value, has[field] == .value else {
        continue
      }
      let kinds = Narrowed(field: pair.name, from: narrowing.from, to: narrowing.to)
      losses.narrowed[kinds, default: 0] += 1
      if try !Self.isSame(pair.name, before, old, pair.name, after, new) {
        losses.lossy[pair.name, default: 0] += 1
      }
    }
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
    _ report: inout MigrationTableReport
  ) throws {
    let has = try RecordValue(record: after.record, layout: new)
    let had = try RecordValue(record: before.record, layout: old)
    guard case .object(let members) = had, case .object(let left) = has else { return }
    var kept: Set<String> = []
    for member in left where member.value != .null { kept.insert(member.name) }
    for member in members where member.value != .null && !kept.contains(member.name) {
      if member.name == "id", before.id != after.id { continue }
      let isKept = workspace.renames.names(of: member.name, in: after.table).contains { name in
        guard kept.contains(name) else { return false }
        guard let earlier = had[name], earlier != .null else { return true }
        return has[name]?.keepingKind(of: member.value) == member.value
      }
      if !isKept { report.valuesLost[member.name, default: 0] += 1 }
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

extension FieldPresence.Content {
  fileprivate var hasValue: Bool { self == .value || self == .tagged }
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
    let before = max(report.before, losses.recordsBeforeRename)
    if before > 0, report.after == 0 {
      findings.append(
        MigrationFinding(
          .destructive,
          table: table,
          count: before,
          detail: "\(table) loses \(Measures.count(before, "record", "records")), all it has"
        )
      )
      return
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
  }

  /// Which of the fields still have a value in a record of the table.
  private func fieldsLeft(in table: String, of lost: Set<String>) throws -> Set<String> {
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

  /// Counts the references to records that the step has removed.
  private mutating func noteDangling() throws {
    var targets = Set(reports.filter { $0.deleted + $0.idsChanged > 0 }.map(\.table))
    targets.formUnion(
      workspace.changedTables.filter {
        workspace.hasMoves(in: $0) || workspace.isChangedSinceRename($0)
      }
    )
    if targets.isEmpty { return }
    for table in workspace.tables.sorted() {
      var references: [Int64: [Layout.Reference]] = [:]
      for (number, layout) in workspace.layouts(of: table) {
        let found = layout.references.filter { targets.contains($0.table) }
        if !found.isEmpty { references[number] = found }
      }
      if references.isEmpty { continue }
      let dangling = try dangling(in: table, references)
      if dangling.isEmpty { continue }
      let list = dangling.map {
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
        report.dangling = list
        reports.append(report)
      }
    }
    reports.sort { $0.table < $1.table }
  }

  private func dangling(
    in table: String,
    _ references: [Int64: [Layout.Reference]]
  ) throws -> [Layout.Reference: Int] {
    var counts: [Layout.Reference: Int] = [:]
    var scan = workspace.scan(table)
    while let entity = try scan.next() {
      guard let references = references[entity.layout] else { continue }
      let value = try RecordValue(
        record: entity.record,
        layout: try workspace.layout(entity.layout)
      )
      for reference in references {
        _ = try value.replacing(reference.path[...]) { id in
          let isKey = reference.path.last == .key
          let candidates =
            isKey ? EncodedID.candidates(for: id.text ?? "") : [EncodedID.bytes(of: id)]
          let target = workspace.number(of: reference.table)
          let rows = try candidates.compactMap {
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

extension Layout.Reference {
  /// Where the IDs are, without the table that they lead to.
  fileprivate var place: String {
    String(description.prefix { $0 != " " })
  }
}
