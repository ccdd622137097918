package import StrataSQLite
package import StrataSchema

/// A run of migrations in the history of a file: its delta, or a row of `migration_trace` once that was trimmed.
///
/// A named snapshot stays when the deltas after it are trimmed. What runs have changed in the catalog since the snapshot
/// stays with it, as long as the snapshot does.
package struct TracedRun: Equatable, Sendable {
  package let revision: Revision
  /// The name of the delta.
  package let name: String
  package let trace: MigrationTrace

  /// The name of the migration that ran; nil for another run.
  package var migration: String? {
    if case .up = trace { MigrationTrace.migration(of: name) } else { nil }
  }

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

  /// The runs of the migrations that a file has been through and that its ledger has no row of, by their numbers: a disk
  /// has lost the rows.
  ///
  /// O(deltas, without their contents).
  package static func unlisted(
    _ ledger: [DataLedger.Entry],
    in connection: Connection
  ) throws -> [Int: TracedRun] {
    var ran: [Int: TracedRun] = [:]
    for run in try all(after: 0, in: connection) {
      switch run.trace {
      case .up(let number, _): ran[number] = run
      case .down(let number, _): ran[number] = nil
      case .revert(_, let change):
        for row in change.removed { ran[row.number] = nil }
        for number in change.added { ran[number] = run }
      }
    }
    return ran.filter { number, _ in !ledger.contains { $0.numbers.contains(number) } }
  }

  /// Checks that the ledger of a file has a row of each migration that the file has been through.
  ///
  /// It costs as ``unlisted(_:in:)`` does, and throws `CorruptionError` where a row is missing.
  package static func checkListed(_ ledger: [DataLedger.Entry], in connection: Connection) throws {
    let unlisted = try unlisted(ledger, in: connection)
    guard let (number, run) = unlisted.min(by: { $0.key < $1.key }) else { return }
    throw CorruptionError(
      "migration \(number) ran at revision \(run.revision), and the list of migrations lacks it"
    )
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
