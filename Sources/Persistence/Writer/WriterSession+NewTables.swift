import StrataCore
import StrataNormalization

extension WriterSession {
  /// Makes tables and values known to the file that a build added, with what the initial state put into
  /// them: as one delta, or as none where they are empty.
  func introduce<Database: DatabaseType>(
    _ report: RestoreReport,
    of database: Database,
    _ keeping: Keeping,
    time: Int64
  ) throws {
    let values = report.newValues.map { StoredValues.table(of: $0).text }
    let names = report.newTables + values
    guard !names.isEmpty else { return }
    let tables = ChangeSet(from: Database(), to: database).filter {
      report.newTables.contains($0.text)
    }
    let changes = tables.joined(
      by: keeping.values.filter { values.contains($0.text) }.tables
    )
    var group: [PendingDelta] = []
    if !changes.isEmpty {
      let revision = written.revision.next
      let delta = PendingDelta(
        first: revision,
        revision: revision,
        time: time,
        trace: CommitTrace(
          name: Self.introduction(of: report),
          fileID: #fileID,
          function: #function,
          line: #line
        ),
        changes: changes
      )
      group.append(delta)
    }
    _ = try append(group, newTables: names)
    try barrier()
  }

  private static func introduction(of report: RestoreReport) -> String {
    [("new tables", report.newTables), ("new values", report.newValues)]
      .filter { !$0.1.isEmpty }
      .map { "\($0.0): \($0.1.joined(separator: ", "))" }
      .joined(separator: "; ")
  }
}
