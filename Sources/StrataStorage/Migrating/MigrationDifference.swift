import StrataBase
import StrataRecords

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
  }

  private struct Narrowed: Hashable {
    let field: String
    let from: Scalar
    let to: Scalar
  }

  init(_ workspace: MigrationWorkspace) { self.workspace = workspace }

  /// Adds what the step has changed to a delta, in the order of tables and IDs.
  ///
  /// O(records of the changed tables), one pass.
  mutating func encode(into delta: inout DeltaEncoder) throws {
    for table in workspace.changedTables { try encode(table, into: &delta) }
    try noteDangling()
  }

  private mutating func encode(_ table: String, into delta: inout DeltaEncoder) throws {
    var report = MigrationTableReport(table: table)
    var narrowed: [Narrowed: Int] = [:]
    var lossy: [String: Int] = [:]
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
          guard replaced != nil else { continue }
          if row.origin == nil { report.deleted += 1 }
          try delta.remove(row.id, from: table)
          continue
        }
        report.after += 1
        if let replaced {
          if replaced.layout == new.layout, replaced.record == new.record, row.origin == nil {
            continue
          }
          if row.origin != nil {
            guard try workspace.staging.hasMoved(row.id, of: number) else {
              throw MigrationStepError.sameID(row.id, in: table)
            }
            report.idsChanged += 1
          } else {
            report.updated += 1
            try note(replaced, new, &report, &narrowed, &lossy)
          }
        } else if row.origin != nil {
          report.idsChanged += 1
        } else {
          report.inserted += 1
        }
        try delta.put(new)
      }
    }
    while old != nil {
      report.before += 1
      report.after += 1
      old = try before.next()
    }
    let isChanged =
      report.inserted + report.updated + report.deleted + report.idsChanged > 0
    guard isChanged else { return }
    report.narrowed = narrowed.map {
      .init(field: $0.key.field, from: "\($0.key.from)", to: "\($0.key.to)", count: $0.value)
    }.sorted { $0.field < $1.field }
    try noteLosses(report, lossy)
    reports.append(report)
  }

  /// Counts the values that a record has lost.
  ///
  /// Records without members beside their layouts are compared without their values.
  private mutating func note(
    _ before: StoredEntity,
    _ after: StoredEntity,
    _ report: inout MigrationTableReport,
    _ narrowed: inout [Narrowed: Int],
    _ lossy: inout [String: Int]
  ) throws {
    let (old, new) = (
      try workspace.layout(before.layout), try workspace.layout(after.layout)
    )
    if old.isOfSealedRecords || new.isOfSealedRecords { return }
    let presence = (FieldPresence(before.record, old), FieldPresence(after.record, new))
    guard let had = presence.0, let has = presence.1 else {
      return try noteValues(before, old, after, new, &report)
    }
    if before.layout == after.layout, had.isSame(as: has) { return }
    for pair in pairs(LayoutPair(before: before.layout, after: after.layout), old, new) {
      guard had[pair.before].hasValue else { continue }
      guard let field = pair.after, has[field].hasValue else {
        report.valuesLost[pair.name, default: 0] += 1
        continue
      }
      guard let narrowing = pair.narrowing, had[pair.before] == .value, has[field] == .value else {
        continue
      }
      let kinds = Narrowed(field: pair.name, from: narrowing.from, to: narrowing.to)
      narrowed[kinds, default: 0] += 1
      let values = (
        try RecordValue(record: before.record, layout: old)[pair.name],
        try RecordValue(record: after.record, layout: new)[pair.name]
      )
      if let old = values.0, let new = values.1, new.keepingKind(of: old) != old {
        lossy[pair.name, default: 0] += 1
      }
    }
  }

  private func noteValues(
    _ before: StoredEntity,
    _ old: Layout,
    _ after: StoredEntity,
    _ new: Layout,
    _ report: inout MigrationTableReport
  ) throws {
    let has = try RecordValue(record: after.record, layout: new)
    guard case .object(let members) = try RecordValue(record: before.record, layout: old),
      case .object(let left) = has
    else { return }
    var kept: Set<String> = []
    for member in left where member.value != .null { kept.insert(member.name) }
    for member in members where member.value != .null && !kept.contains(member.name) {
      report.valuesLost[member.name, default: 0] += 1
    }
  }

  private mutating func pairs(
    _ numbers: LayoutPair,
    _ old: Layout,
    _ new: Layout
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
      return FieldPair(name: field.name, before: index, after: after, narrowing: narrowing)
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
    guard let rank, let before = other.rank else { return false }
    return rank < before
  }

  /// Kinds of numbers in the order of what they hold; nil for other kinds.
  private var rank: Int? {
    switch self {
    case .bool: 0
    case .int8, .uint8: 1
    case .int16, .uint16: 2
    case .int32, .uint32: 3
    case .int64, .uint64: 4
    case .float: 5
    case .double: 6
    case .decimal: 7
    case .string, .data, .date, .uuid, .url: nil
    }
  }
}

/// Findings.
extension MigrationDifference {
  private mutating func noteLosses(
    _ report: MigrationTableReport,
    _ lossy: [String: Int]
  ) throws {
    let table = report.table
    if report.before > 0, report.after == 0 {
      findings.append(
        MigrationFinding(
          .destructive,
          table: table,
          count: report.before,
          detail: "\(table) loses \(Measures.count(report.before, "record", "records")), all it has"
        )
      )
      return
    }
    let left = try fieldsLeft(in: table, of: Set(report.valuesLost.keys))
    for (field, count) in report.valuesLost.sorted(by: { $0.key < $1.key }) {
      let isAll = !left.contains(field)
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
    for (field, count) in lossy.sorted(by: { $0.key < $1.key }) {
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
  private func fieldsLeft(in table: String, of fields: Set<String>) throws -> Set<String> {
    var left: Set<String> = []
    if fields.isEmpty { return left }
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
    let targets = Set(reports.filter { $0.deleted + $0.idsChanged > 0 }.map(\.table))
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
