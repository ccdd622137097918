package import StrataJournal
import StrataSchema

/// The migrations of the data that a program knows.
package enum KnownMigrations: Sendable, Equatable {
  /// Those up to a number; 0 for none.
  case through(Int)
  /// All that ran: something else runs them before the program starts.
  case external
}

extension ReadView {
  /// What a program lacks of the migrations that ran on the file; nil if it lacks none.
  ///
  /// O(migrations); where it lacks some, it reads the heads of the backups beside the store.
  package func olderBuild(
    knowing known: KnownMigrations,
    at path: StorePath,
    on disk: Disk
  ) throws -> OlderBuild? {
    guard case .through(let number) = known else { return nil }
    let rows = try DataLedger.entries(on: journal.connection).filter { $0.number > number }
    return try olderBuild(knowing: number, lacking: rows, at: path, on: disk)
  }

  private func olderBuild(
    knowing number: Int,
    lacking rows: [DataLedger.Entry],
    at path: StorePath,
    on disk: Disk
  ) throws -> OlderBuild? {
    guard let first = rows.first, let last = rows.last else { return nil }
    let backup = MigrationBackup(of: path, on: disk)
    return OlderBuild(
      known: number,
      last: last.number,
      lacks: rows.map(\.name),
      isReversible: rows.allSatisfy(\.isReversible),
      backup: try backup.newest(before: Revision(first.revision), in: self)
    )
  }

  /// Refuses a program with tables that were renamed or dropped by a migration that it does not know: they would be empty.
  ///
  /// A table that is gone by a migration of the program's own list may come back with its next release.
  package func checkTablesAreThere(
    _ names: Set<String>,
    knowing known: KnownMigrations,
    at path: StorePath,
    on disk: Disk
  ) throws {
    let gone = listed.filter {
      $0.until != nil && names.contains($0.name) && !tables.contains($0.name)
    }
    if gone.isEmpty { return }
    let ledger = try DataLedger.entries(on: journal.connection)
    var number = 0
    if case .through(let last) = known { number = last }
    var rows = ledger.filter { $0.number > number }
    let ended = gone.filter { table in rows.contains { Revision($0.revision) == table.until } }
    guard let table = ended.first else { return }
    if known == .external {
      // Of the migrations that something else has run, the program lacks those from the first one that has ended a table.
      rows = Array(rows.drop { row in !ended.contains { $0.until == Revision(row.revision) } })
      number = (rows.first?.numbers.lowerBound ?? 1) - 1
    }
    guard let older = try olderBuild(knowing: number, lacking: rows, at: path, on: disk) else {
      return
    }
    let one = ended.count == 1
    throw older.failing(
      """
      the \(one ? "table" : "tables") \(ended.map(\.name).joined(separator: ", ")) of this build \(one ? "was" : "were") \
      renamed or dropped, first at revision \(table.until ?? table.since), and would be empty
      """
    )
  }
}
