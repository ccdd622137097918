import StrataJournal
import StrataRecords
import StrataStorage

/// Findings.
extension MigrationDifference {
  private mutating func add(
    _ kind: MigrationFinding.Kind,
    _ table: String,
    _ field: String?,
    _ count: Int,
    _ detail: String
  ) {
    findings.append(
      MigrationFinding(kind, table: table, field: field, count: count, detail: detail)
    )
  }

  mutating func noteLosses(_ comparison: Comparison) throws {
    let (report, shape) = (comparison.report, comparison.shape)
    let table = report.table
    if report.deleted > 0 {
      let isAll = report.after == 0
      let records = Measures.count(report.deleted, "record", "records")
      let part =
        report.deleted == report.before
        ? "\(records), all it has" : "\(report.deleted) of its \(report.before) records"
      add(isAll ? .destructive : .deletes, table, nil, report.deleted, "\(table) loses \(part)")
      if isAll { return }
    }
    let lost = Set(report.valuesLost.keys).subtracting(shape.dropped)
    let left = try fieldsLeft(in: table, of: lost)
    for (field, count) in report.valuesLost.sorted(by: { $0.key < $1.key }) where count > 0 {
      let names = shape.names(of: field).union([field])
      let isAll = shape.dropped.contains(field) || names.isDisjoint(with: left)
      let values = "\(Measures.count(count, "value", "values"))\(isAll ? ", all it has" : "")"
      add(isAll ? .destructive : .lossy, table, field, count, "\(table).\(field) loses \(values)")
    }
    for (field, count) in comparison.lossy.sorted(by: { $0.key < $1.key }) {
      let values = Measures.count(count, "value", "values")
      let detail = "\(table).\(field) gets a kind that does not hold \(values) of it"
      add(.lossy, table, field, count, detail)
    }
  }

  /// Which of the fields still have a value in a record of the table, under their names or others.
  func fieldsLeft(in table: String, of lost: Set<String>) throws -> Set<String> {
    let shape = workspace.shapes[table]
    let fields = lost.reduce(into: lost) { $0.formUnion(shape.names(of: $1)) }
    return try workspace.fields(in: workspace.scan(table), among: fields)
  }

  /// Counts the references to records that the step has removed, and those that it has added and that lead to none.
  mutating func noteDangling() throws {
    let targets = Set(reports.filter { $0.deleted + $0.idsChanged > 0 }.map(\.table))
    let counts = try references.dangling(besides: targets)
    for (table, counts) in Dictionary(grouping: counts, by: \.key.table).sorted(by: {
      $0.key < $1.key
    }) {
      let list = counts.map { place, count in
        MigrationTableReport.Dangling(
          field: place.reference.place,
          target: place.reference.table,
          count: count
        )
      }.sorted { ($0.field, $0.target) < ($1.field, $1.target) }
      for entry in list {
        let references = Measures.count(entry.count, "reference", "references")
        let place = "\(table).\(entry.field)"
        let detail = "\(references) from \(place) to \(entry.target) would lead to no record"
        add(.dangling, table, entry.field, entry.count, detail)
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
}

extension Layout.Reference {
  /// Where the IDs are, without the table that they lead to.
  var place: String {
    String(description.prefix { $0 != " " })
  }
}
