package import StrataMigrations

/// The migrations of the user's data that had run at an earlier revision, as the journal says.
extension ReadView {
  /// The rows that the ledger had at a revision, by their numbers.
  ///
  /// They are the rows of today that were there by then, and those that a way back or a revert has removed since, whose
  /// deltas have them. O(deltas since the revision, without their contents).
  ///
  /// - Throws: `DataMigrationError.ledgerUnknown` where a delta of an earlier build has removed rows without having them,
  ///   and where migrations ran later on records of older builds that were there by then.
  package func ledger(at revision: Revision) throws -> [DataLedger.Entry] {
    let runs = try migrationRuns(after: revision)
    try checkNoneBroughtUp(since: revision, runs)
    var rows: [Int: DataLedger.Entry] = [:]
    for row in try DataLedger.entries(on: journal.connection) { rows[row.number] = row }
    /// The deltas that have removed a row without having it, by its number.
    var unknown: [Int: DeltaHeader] = [:]
    for (header, trace) in runs.reversed() {
      switch trace {
      case .up(let number): (rows[number], unknown[number]) = (nil, nil)
      case .down(let number, nil): unknown[number] = header
      case .down(_, let change?), .revert(_, let change?):
        for number in change.added { rows[number] = nil }
        for row in change.removed { rows[row.number] = row }
      // A revert to a later revision has kept the rows of this one; one to an earlier revision too, if no migration
      // ran in between.
      case .revert(let target, nil):
        if try target < revision && hasMigrated(after: target, through: revision) {
          throw DataMigrationError.ledgerUnknown(revision, since: header.name)
        }
      case .stragglers: break
      }
    }
    if let header = unknown.values.min(by: { $0.revision < $1.revision }) {
      throw DataMigrationError.ledgerUnknown(revision, since: header.name)
    }
    // A migration that found nothing to change has no delta, but a row with the revision.
    return rows.values.filter { $0.revision <= revision.number }.sorted { $0.number < $1.number }
  }

  /// The deltas that runs of migrations have written after a revision, in order.
  private func migrationRuns(
    after revision: Revision
  ) throws -> [(header: DeltaHeader, trace: MigrationTrace)] {
    var runs: [(header: DeltaHeader, trace: MigrationTrace)] = []
    var last = revision
    while true {
      let headers = try journal.migrationHeaders(after: last, limit: 1_000)
      guard let end = headers.last else { return runs }
      for (header, _) in headers {
        if let trace = MigrationTrace(of: header) { runs.append((header, trace)) }
      }
      last = end.header.revision
    }
  }

  /// Refuses a revision at which there were records of older builds that migrations ran on later.
  private func checkNoneBroughtUp(
    since revision: Revision,
    _ runs: [(header: DeltaHeader, trace: MigrationTrace)]
  ) throws {
    var ran: Set<Int> = []
    for (header, trace) in runs {
      switch trace {
      case .up(let number): ran.insert(number)
      case .down(let number, _): ran.remove(number)
      case .stragglers(let number, let since):
        if since < revision, !ran.contains(number) {
          throw DataMigrationError.ledgerUnknown(revision, since: header.name)
        }
      case .revert: break
      }
    }
  }

  /// Whether a migration may have run, or been taken back, between two revisions.
  private func hasMigrated(after start: Revision, through end: Revision) throws -> Bool {
    guard let first, first <= start.next else { return true }
    return try migrationRuns(after: start).contains { $0.header.revision <= end }
  }
}
