import StrataJournal
import StrataRecords
import StrataStorage

/// Findings.
extension MigrationDifference {
  mutating func noteLosses(_ report: MigrationTableReport, _ losses: Losses) throws {
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
    let dropped = workspace.renames.dropped(of: table)
    let left = try fieldsLeft(in: table, of: Set(report.valuesLost.keys).subtracting(dropped))
    for (field, count) in report.valuesLost.sorted(by: { $0.key < $1.key }) where count > 0 {
      let names = workspace.renames.names(of: field, in: table).union([field])
      let isAll = dropped.contains(field) || names.isDisjoint(with: left)
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
  mutating func noteDangling() throws {
    var targets = Set(
      reports.filter { $0.deleted + $0.idsChanged > 0 }.map(\.table)
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

extension Layout.Reference {
  /// Where the IDs are, without the table that they lead to.
  var place: String {
    String(description.prefix { $0 != " " })
  }
}
