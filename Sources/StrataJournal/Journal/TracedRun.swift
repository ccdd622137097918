import StrataMigrations
package import StrataSQLite

/// A run of migrations in the history of a file: its delta, or a row of `migration_trace` once that was trimmed.
///
/// A named snapshot stays when the deltas after it are trimmed. What runs have changed in the catalog since the snapshot
/// stays with it, as long as the snapshot does.
package struct TracedRun: Equatable, Sendable {
  package let revision: Revision
  /// The name of the delta.
  package let name: String
  package let trace: MigrationTrace

  /// Nil for a delta that no run of migrations has written.
  init?(_ delta: DeltaHeader) {
    guard let trace = MigrationTrace(of: delta) else { return nil }
    (revision, name) = (delta.revision, delta.name)
    self.trace = trace
  }

  private init(_ row: borrowing Row) throws {
    revision = try row.revision(0, "the revision of a run of migrations")
    name = try row.text(1)
    guard let trace = MigrationTrace(bytes: try row.blob(2)) else {
      throw CorruptionError("the trace of the run of migrations at \(revision) cannot be read")
    }
    self.trace = trace
  }

  /// The runs after a revision, in order.
  ///
  /// O(deltas after it, without their contents).
  package static func all(
    after revision: Revision,
    through last: Revision = Revision(StoredNumber.last),
    in connection: Connection
  ) throws -> [TracedRun] {
    let journal = Journal(connection: connection)
    let trimmed = try HashedTable.migrationTrace.rows(
      "WHERE revision > ? AND revision <= ? ORDER BY revision",
      [.integer(revision.number), .integer(last.number)],
      on: connection
    ) { try TracedRun($0) }
    var runs: [TracedRun] = []
    var start = revision
    while true {
      let headers = try journal.migrationHeaders(after: start, through: last, limit: 1_000)
      guard let end = headers.last else { break }
      runs += headers.compactMap { TracedRun($0.header) }
      start = end.header.revision
    }
    guard let first = runs.first?.revision else { return trimmed }
    return trimmed.filter { $0.revision < first } + runs
  }

  /// Writes it as a row, in the caller's transaction.
  package func write(to connection: Connection) throws {
    try HashedTable.migrationTrace.insert(
      [.integer(revision.number), .text(name), .blob(try trace.bytes)],
      on: connection,
      .replace
    )
  }

  /// Keeps the runs whose deltas are about to be trimmed, in the caller's transaction, and removes the rows of those
  /// that every snapshot is later than.
  static func keep(through revision: Revision, in connection: Connection) throws {
    let oldest = try connection.first("SELECT min(revision) FROM snapshot", []) {
      try $0.optionalInt(0).map { try StoredNumber.revision($0, "the revision of a snapshot") }
    }
    guard let oldest = oldest ?? nil else { return }
    if oldest < revision {
      for run in try all(after: oldest, through: revision, in: connection) {
        try run.write(to: connection)
      }
    }
    try connection.run(
      "DELETE FROM migration_trace WHERE revision <= ?",
      [.integer(oldest.number)]
    )
  }
}
