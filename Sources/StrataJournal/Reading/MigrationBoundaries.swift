import StrataBase
package import StrataSQLite
import StrataSchema

/// What separates an earlier revision from the last one: the migrations of the data that ran, or were taken back, after it.
///
/// A build has the types of the last revision, so it reads nothing across such a boundary as its types.
package struct MigrationBoundaries {
  /// A migration that ran or was taken back after a revision.
  package struct Boundary: Equatable {
    package let migration: String
    /// The revision at which it did.
    package let revision: Revision
  }

  private let rows: [(entry: DataLedger.Entry, until: Int64?)]

  /// Reads the ledger; O(migrations).
  package init(in connection: Connection) throws {
    rows = try DataLedger.history(on: connection)
  }

  /// Those after a revision, in order; none where the same migrations were in force as are now.
  ///
  /// One that was only noted is none: the data had its shape already. O(migrations).
  package func after(_ revision: Revision) -> [Boundary] {
    let then = rows.filter {
      $0.entry.revision <= revision.number && $0.until ?? .max > revision.number
    }
    let now = rows.filter { $0.until == nil }
    func isIn(_ rows: [(entry: DataLedger.Entry, until: Int64?)], _ entry: DataLedger.Entry) -> Bool
    {
      rows.contains { row in
        (row.entry.number, row.entry.name, row.entry.checksum)
          == (entry.number, entry.name, entry.checksum)
      }
    }
    let ran = now.filter { $0.entry.form != DataLedger.baseline && !isIn(then, $0.entry) }
      .map { Boundary(migration: $0.entry.name, revision: Revision($0.entry.revision)) }
    let takenBack = then.filter { !isIn(now, $0.entry) }
      .map { Boundary(migration: $0.entry.name, revision: Revision($0.until ?? .max)) }
    return (ran + takenBack).inOrder { $0.revision < $1.revision }
  }
}
