import StrataBase
package import StrataSQLite

/// Which leadership of an archive a file has had last: the epoch that it started.
///
/// An archive whose last leader had this epoch was written by this file alone since. It is a row of the table
/// `consumer`, which trimming passes over.
package enum LeadershipRecord {
  /// The beginning of its name.
  static let prefix = "strata.archive."

  /// The epoch; 0 if the file never led.
  package static func read(_ connection: Connection) throws -> Int64 {
    let epochs = try connection.all(
      "SELECT name FROM consumer WHERE name LIKE 'strata.archive.%'",
      []
    ) { row in Int64(try row.text(0).dropFirst(prefix.count)) ?? 0 }
    return try StoredNumber.epoch(epochs.max() ?? 0, "the epoch of a leadership")
  }

  /// Replaces it, in the caller's transaction.
  package static func write(
    _ epoch: Int64,
    after mark: HeadRecord.Mark,
    to connection: Connection
  ) throws(SQLiteError) {
    try connection.execute("DELETE FROM consumer WHERE name LIKE 'strata.archive.%'")
    try connection.run(
      "INSERT INTO consumer (name, revision, chain) VALUES (?, ?, ?)",
      [
        .text("\(prefix)\(epoch)"), .integer(mark.revision.number), .blob(mark.chain.bytes),
      ]
    )
  }
}
