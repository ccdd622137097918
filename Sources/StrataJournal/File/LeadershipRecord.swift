import StrataBase
package import StrataSQLite
import StrataSchema

/// The last leadership of an archive that a file had: the epoch that it started.
///
/// If the last leader of an archive had this epoch, only this file has written to the archive since. It is
/// the one row of the table `leadership`. Its epoch is 0 in a file that was taken back on purpose, until it leads an archive
/// or has the history of one.
package enum LeadershipRecord {
  /// The epoch; 0 if the file never led, or was taken back on purpose since.
  package static func read(_ connection: Connection) throws -> Int64 {
    try last(connection)?.epoch ?? 0
  }

  /// The epoch, and where the file ended when it started, or when it was taken back; nil if neither happened.
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

  /// Whether the file was taken back on purpose, and has neither led an archive nor had its history since.
  ///
  /// Restoring a backup, a fork and a pull up to a point take a history back. An archive may have what follows, and no
  /// opening must choose silently between the two.
  package static func isTakenBack(_ connection: Connection) throws -> Bool {
    try last(connection)?.epoch == 0
  }

  /// Notes that the file is taken back on purpose, in the caller's transaction.
  ///
  /// - Parameter end: Where it ends.
  package static func noteTakenBack(
    to end: HeadRecord.Mark,
    in connection: Connection
  ) throws(SQLiteError) {
    try write(0, after: end, to: connection)
  }

  /// Notes that the file has the history of an archive, or of another file, in the caller's transaction.
  package static func noteFollowing(in connection: Connection) throws(SQLiteError) {
    try connection.run("DELETE FROM leadership WHERE epoch = 0", [])
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
