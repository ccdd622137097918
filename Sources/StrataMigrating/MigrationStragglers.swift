import StrataBase
import StrataJournal
import StrataStorage

/// A record that a build has written which did not know all migrations of the store.
public struct MigrationStraggler: Sendable, Hashable, Codable {
  /// The table.
  public var table: String
  /// The ID, as `strata` prints it.
  public var id: String
  /// The number of the last migration that the build knew; 0 for a build without a list.
  public var known: Int
}

/// What is done with records of older builds that no migration can bring up.
public enum StragglerResolution: String, Sendable, Codable {
  /// They stay as they are: the caller says that they have the new shape.
  case keep
  /// They are removed, as one delta.
  case remove
}

extension MigrationRun {
  /// The records of older builds that are there, by table and ID; O(deltas since the first of them).
  static func listStragglers(
    _ ledger: Ledger,
    in view: ReadView
  ) throws -> [(table: String, id: [UInt8], known: Int)] {
    guard ledger.bringsUpStragglers else { return [] }
    var known: [EntityKey: Int] = [:]
    // The last build that has written a record counts.
    try forEachPut(after: ledger.marks, in: view) { build, table, id in
      known[EntityKey(table: table, id: Array(id)[...])] = build ?? .max
    }
    let written = known.filter { $0.value < ledger.sequence.head }
    let state = try view.state(at: view.last.revision)
    var found: [(table: String, id: [UInt8], known: Int)] = []
    for (table, keys) in Dictionary(grouping: written.keys, by: \.table).sorted(by: {
      $0.key < $1.key
    }) {
      var scan = state.scan(table, .ids(Set(keys.map { Array($0.id) })))
      while let entity = try scan.next() {
        found.append((table, Array(entity.id), written[entity.key] ?? 0))
      }
    }
    return found
  }

  /// Ends the marks of older builds, and removes what they have written or leaves it.
  ///
  /// It throws as ``run(_:to:_:reading:)`` does.
  func resolveStragglers(_ resolution: StragglerResolution) throws -> MigrationReport {
    let ledger = try readLedger()
    if let problem = ledger.sequence.problem { throw problem }
    var report = MigrationReport(direction: .up, before: ledger.revision, after: ledger.revision)
    guard ledger.bringsUpStragglers else { return report }
    try write(&report, needsBackup: { _ in true }) { session, view, lastTime, _ in
      if resolution == .remove {
        let workspace = try MigrationWorkspace(view, session)
        for record in try Self.listStragglers(ledger, in: view) {
          try workspace.removeKnown(record.id, from: record.table)
        }
        var difference = MigrationDifference(workspace)
        let since = ledger.marks.openings.first?.revision ?? ledger.revision
        _ = try session.append(
          named: "records of an older build removed",
          trace: MigrationTrace.stragglers(ledger.sequence.head, since: since).bytes,
          time: max(persistence.now().microseconds, lastTime)
        ) { try difference.encode(into: &$0) }
      }
      try OlderBuildMarks.removeAll(from: session.connection)
    }
    return report
  }
}
