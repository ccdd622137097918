package import StrataSQLite
package import StrataSchema

/// What the catalog of a file said at an earlier revision: which migrations of the user's data had run, and which
/// columns were declared and dropped.
///
/// The catalog says what is so at the end of the history. The runs of migrations after a revision say what they have
/// changed in it since.
package struct EarlierCatalog: Sendable {
  /// The rows of the ledger, by their numbers.
  package let ledger: [DataLedger.Entry]
  /// The columns that were declared, by table and in the order of the table.
  package let declared: [DeclaredColumn]
  /// The columns that migrations had dropped or renamed.
  package let dropped: [DroppedColumn]

  /// Reads the catalog of a revision from a file, or from the image of one that has a later catalog and no deltas.
  ///
  /// O(deltas since the revision, without their contents).
  package init(at revision: Revision, of connection: Connection) throws {
    let runs = try TracedRun.all(after: revision, in: connection)
    var rows: [Int: DataLedger.Entry] = [:]
    for row in try DataLedger.entries(on: connection) { rows[row.number] = row }
    var columns = Dictionary(grouping: try DeclaredColumn.all(in: connection), by: \.table)
    for run in runs.reversed() {
      switch run.trace {
      case .up(let number, _): rows[number] = nil
      case .down(_, let change), .revert(_, let change):
        for number in change.added { rows[number] = nil }
        for row in change.removed { rows[row.number] = row }
      }
      columns.merge(run.trace.change?.declared ?? [:]) { _, before in before }
    }
    // A baseline has no delta, but a row with the revision.
    ledger = rows.values.filter { $0.revision <= revision.number }.sorted { $0.number < $1.number }
    declared = columns.sorted { $0.key < $1.key }.flatMap(\.value).filter { $0.since <= revision }
    dropped = try DroppedColumn.all(in: connection).filter { $0.since <= revision }
  }

  /// Replaces the catalog of a file, in the caller's transaction.
  package func write(to connection: Connection) throws {
    try DataLedger.replaceAll(with: ledger, on: connection)
    try connection.execute("DELETE FROM declared_column")
    for (table, columns) in Dictionary(grouping: dropped, by: \.table) {
      try DroppedColumn.replace(columns, of: table, in: connection)
    }
    for (table, columns) in Dictionary(grouping: declared, by: \.table) {
      try DeclaredColumn.replace(columns, of: table, in: connection)
    }
  }
}

extension ReadView {
  /// What the catalog said at a revision; it costs as ``EarlierCatalog/init(at:of:)`` does.
  package func earlierCatalog(at revision: Revision) throws -> EarlierCatalog {
    try EarlierCatalog(at: revision, of: journal.connection)
  }
}
