import StrataBase
import StrataMigrations
package import StrataSQLite

/// The last leadership of an archive that a file had: the epoch that it started.
///
/// If the last leader of an archive had this epoch, only this file has written to the archive since. It is
/// the one row of the table `leadership`.
package enum LeadershipRecord {
  /// The epoch; 0 if the file never led.
  package static func read(_ connection: Connection) throws -> Int64 {
    try last(connection)?.epoch ?? 0
  }

  /// The epoch, and where the file ended when it started; nil if the file never led.
  package static func last(
    _ connection: Connection
  ) throws -> (epoch: Int64, mark: HeadRecord.Mark)? {
    try HashedTable.leadership.rows(on: connection) { row in
      (
        try StoredNumber.epoch(try row.int(1), "the epoch of a leadership"),
        HeadRecord.Mark(
          revision: try row.revision(2, "the revision of a leadership"),
          chain: try row.checksum(3, "the chain of a leadership")
        )
      )
    }.first
  }

  /// Replaces it, in the caller's transaction.
  package static func write(
    _ epoch: Int64,
    after mark: HeadRecord.Mark,
    to connection: Connection
  ) throws(SQLiteError) {
    try HashedTable.leadership.insert(
      [1, .integer(epoch), .integer(mark.revision.number), .blob(mark.chain.bytes)],
      on: connection,
      .replace
    )
  }
}
