import StrataJournal
import StrataMigrating
import StrataRecords
import StrataSQLite

/// Compares what a migration has made with what plain SQLite has made of the same rows.
struct Comparison {
  let scripts: ScriptCase
  let run: DifferentialRun
  let plain: DifferentialRun.Plain
  let stored: DifferentialRun.Stored

  /// - Parameter other: What the migrations run in place of the scripts, to check that a difference is seen.
  init(_ scripts: ScriptCase, on run: DifferentialRun, against other: [String]? = nil) async throws
  {
    self.scripts = scripts
    self.run = run
    plain = try run.plain(scripts.scripts)
    stored = try await run.stored(other ?? scripts.texts)
  }

  /// The first difference; nil if both agree.
  var difference: Difference? {
    switch (plain, stored) {
    case (_, .broken(let reason)):
      return Difference(.notStopped, "the migration failed and changed the store: \(reason)")
    case (.failed(let plain), .failed(let stored)):
      return isSame(plain.message, stored)
        ? nil : Difference(.message, "SQLite: \(plain.message); the migration: \(stored)")
    case (.failed(let plain), .finished):
      return Difference(.passed, "SQLite: \(plain.message); the migration runs: \(plain.sql)")
    case (.finished(let plain), .failed(let stored)):
      let due = Refusal.due(for: plain.contents)
      // SQLite does not know that the IDs of a table are UUIDs or have no sign.
      let hasOtherIDs =
        stored.contains(Refusal.badID.sentence)
        && plain.contents.tables.contains { table in
          guard let id = table.id else { return false }
          return table.rows.contains { !StoredCell.mayBeID($0[id], table.columns[id].type) }
        }
      // What a script has left is stored before the next one runs, which may remove it.
      let isBetween =
        scripts.scripts.count > 1 && Refusal.allCases.contains { stored.contains($0.sentence) }
      return hasOtherIDs || isBetween || due.contains { stored.contains($0.sentence) }
        ? nil : Difference(.failed, stored)
    case (.finished(let plain), .finished(let stored, let report)):
      let due = Refusal.due(for: plain.contents)
      guard due.isEmpty else {
        return Difference(.notRefused, due.map(\.rawValue).joined(separator: ", "))
      }
      return difference(stored, plain.contents) ?? silentLoss(report, plain)
        ?? changedBytes(stored, plain)
    }
  }

  /// Whether a migration says what SQLite says; some messages get words that help.
  private func isSame(_ plain: String, _ stored: String) -> Bool {
    let message = plain.split(separator: " - should this be")[0].replacing("\"", with: "")
    if stored.replacing("\"", with: "").contains(message) { return true }
    // What is wrong with the text of a later statement is found before the first one runs, and what a script has left
    // is stored before the next script runs.
    if scripts.scripts.count > 1 { return true }
    return scripts.statements.count > 1 && stored.hasPrefix("line ")
  }

  private func difference(_ stored: StoredContents, _ plain: PlainContents) -> Difference? {
    let names = (stored.tables.keys.sorted(), plain.tables.map(\.name).sorted())
    if names.0 != names.1 {
      return Difference(.tables, "the store has \(names.0), SQLite has \(names.1)")
    }
    for table in plain.tables {
      guard let id = table.id, let found = stored.tables[table.name] else { continue }
      let columns = (
        Set(found.columns.dropFirst()),
        Set(table.columns.map(\.name)).subtracting([table.columns[id].name])
      )
      if columns.0 != columns.1 {
        return Difference(
          .columns,
          "\(table.name): the store has \(columns.0.sorted()), SQLite has \(columns.1.sorted())"
        )
      }
      let rows = table.byID
      let (missing, extra) = (
        Set(rows.keys).subtracting(found.records.keys),
        Set(found.records.keys).subtracting(rows.keys)
      )
      if !missing.isEmpty || !extra.isEmpty {
        return Difference(.ids, "\(table.name): the store lacks \(missing), and has \(extra)")
      }
      for (id, rows) in rows {
        if let difference = difference(table, id, rows[0], found.records[id]) { return difference }
      }
    }
    return nil
  }

  private func difference(
    _ table: PlainContents.Table,
    _ id: IDKey,
    _ row: [Value],
    _ record: RecordValue?
  ) -> Difference? {
    guard case .object(let members)? = record else {
      return Difference(.values, "\(table.name) \(id): the record is \(record?.json() ?? "nil")")
    }
    for (number, column) in table.columns.enumerated() where number != table.id {
      // References follow a change of IDs, which plain tables do not.
      if mayFollow(column) { continue }
      let stored = members.first { $0.name == column.name }?.value
      guard !StoredCell.isEqual(stored, row[number], column.type) else { continue }
      return Difference(
        .values,
        """
        \(table.name) \(id): \(column.name) \(column.type) is \(stored.map { "\($0)" } ?? "nil"), in SQLite \
        \(row[number])
        """
      )
    }
    return nil
  }

  private func mayFollow(_ column: PlainContents.Column) -> Bool {
    guard scripts.statements.contains(where: \.form.movesIDs) else { return false }
    let words = ["owner", "seat", "reference"]
    return words.contains { column.name.lowercased().contains($0) }
      || scripts.statements.contains { $0.form == .renameColumn || $0.form == .swapColumns }
  }
}

/// The laws about what is lost, and about what is not touched.
extension Comparison {
  /// Records that are gone, and columns with values that were dropped, without a finding that refuses the run.
  ///
  /// Where a script has moved IDs or copied rows, a record that is gone may be under another ID or in another table.
  private func silentLoss(_ report: MigrationReport, _ plain: PlainTables) -> Difference? {
    let forms = scripts.statements.map(\.form)
    guard !forms.contains(where: { $0.movesIDs || $0.copiesRows }) else { return nil }
    let findings = report.steps.flatMap(\.findings).filter(\.isRefused)
    for before in run.tables.contents.tables {
      let name = plain.names[before.name] ?? nil
      let after = name.flatMap { plain.contents[$0] }
      let kept = after?.byID ?? [:]
      let gone = before.byID.keys.filter { kept[$0] == nil }
      let isFound = findings.contains { finding in
        [.deletes, .destructive].contains(finding.kind) && finding.field == nil
          // It may have had another name between two scripts.
          && ([before.name, name].contains(finding.table)
            || scripts.scripts.count > 1 && scripts.statements.contains(where: \.form.changesNames))
      }
      if !gone.isEmpty, !isFound {
        return Difference(
          .silentLoss,
          "\(before.name) \(gone.map(\.description).sorted()) are gone; findings: \(findings)"
        )
      }
    }
    return lostColumn(findings, plain) ?? falseAlarm(findings)
  }

  /// A column that was dropped, or made again, with values of records that are there still.
  private func lostColumn(_ findings: [MigrationFinding], _ plain: PlainTables) -> Difference? {
    guard !scripts.statements.contains(where: \.form.changesNames) else { return nil }
    for place in scripts.statements.compactMap(\.dropped) {
      guard let before = run.tables.contents[place.table],
        let column = before.columns.firstIndex(where: { $0.name == place.column }),
        let after = plain.contents[place.table]
      else { continue }
      let kept = after.byID
      let lost = before.byID.filter { $0.value[0][column] != .null && kept[$0.key] != nil }
      let isFound = findings.contains { finding in
        [.lossy, .destructive].contains(finding.kind) && finding.table == place.table
          && [nil, place.column].contains(finding.field)
      }
      if !lost.isEmpty, !isFound {
        return Difference(
          .silentLoss,
          "\(place.table).\(place.column) of \(lost.keys.map(\.description).sorted()); findings: \(findings)"
        )
      }
    }
    return nil
  }

  /// A finding about records that are gone where none are.
  private func falseAlarm(_ findings: [MigrationFinding]) -> Difference? {
    guard !scripts.statements.contains(where: \.form.mayRemoveRows) else { return nil }
    let alarm = findings.first {
      [.deletes, .destructive].contains($0.kind) && $0.field == nil
    }
    return alarm.map { Difference(.falseAlarm, "\($0)") }
  }

  /// A record that has other bytes although its row is unchanged.
  private func changedBytes(_ stored: StoredContents, _ plain: PlainTables) -> Difference? {
    guard !scripts.statements.contains(where: { $0.form.movesIDs || $0.form.mayRemoveRows }) else {
      return nil
    }
    for before in run.tables.contents.tables {
      guard plain.names[before.name] == .some(before.name), let after = plain.contents[before.name],
        before.columns.map(\.name) == after.columns.map(\.name)
      else { continue }
      let rows = after.byID
      for (id, row) in before.byID where rows[id] == row {
        let (old, new) = (
          run.before.tables[before.name]?.bytes[id], stored.tables[before.name]?.bytes[id]
        )
        // A layout names the tables that its fields refer to.
        if old?.record != new?.record {
          return Difference(
            .bytes,
            "\(before.name) \(id): \(old.map { "\($0)" } ?? "none"), then \(new.map { "\($0)" } ?? "none")"
          )
        }
      }
    }
    return nil
  }
}
