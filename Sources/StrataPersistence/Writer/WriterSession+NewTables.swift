import StrataCore
import StrataNormalization

extension WriterSession {
  /// Makes tables and values known to the file that a build added, with what the initial state put into
  /// them: as one delta, or as none where they are empty.
  ///
  /// Then puts again, as a delta of its own, what is not stored as the options of its table want it.
  func introduce<Database: DatabaseType>(
    _ found: JournalWriter.Found<Database>,
    _ keeping: Keeping,
    time: Int64
  ) throws {
    let values = found.report.newValues.map { StoredValues.table(of: $0).text }
    let names = found.report.newTables + values
    guard !names.isEmpty || !found.untreated.isEmpty else { return }
    var new = ChangeSet(tables: keeping.values.filter { values.contains($0.text) }.tables)
    if !found.report.newTables.isEmpty {
      let all = ChangeSet(from: Database(), to: found.database)
      new = all.filter { found.report.newTables.contains($0.text) }.joined(by: new.tables)
    }
    var group: [PendingDelta] = []
    let steps = [(new, Self.introduction(of: found.report)), (found.untreated, "kept otherwise")]
    for (changes, name) in steps where !changes.isEmpty {
      let revision = (group.last?.revision ?? written.revision).next
      group.append(
        PendingDelta(
          first: revision,
          revision: revision,
          time: time,
          trace: CommitTrace(name: name, fileID: #fileID, function: #function, line: #line),
          changes: changes
        )
      )
    }
    try append(beforeAll: group, newTables: names)
    try barrier()
  }

  private static func introduction(of report: RestoreReport) -> String {
    [("new tables", report.newTables), ("new values", report.newValues)]
      .filter { !$0.1.isEmpty }
      .map { "\($0.0): \($0.1.joined(separator: ", "))" }
      .joined(separator: "; ")
  }
}
