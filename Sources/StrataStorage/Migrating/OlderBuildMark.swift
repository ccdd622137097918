import StrataBase
import StrataSQLite

/// Where a build that knows fewer migrations than ran on a store has opened it for writing.
///
/// What it writes afterwards does not have the new shape. The mark is a row of the table `consumer`, so that the
/// deltas after it stay until a newer build has looked through them.
struct OlderBuildMark: Equatable {
  /// How many migrations the build knew.
  var known: Int
  /// The revision when it opened the store.
  var revision: Revision

  private static let prefix = "strata.older-build."

  /// The mark of a store; the earliest of several.
  static func read(_ connection: Connection) throws(SQLiteError) -> OlderBuildMark? {
    let rows = try connection.all(
      "SELECT name, revision FROM consumer WHERE name LIKE 'strata.older-build.%'",
      []
    ) { row throws(SQLiteError) in
      (try row.text(0), try row.int(1))
    }
    let marks = rows.compactMap { name, revision in
      Int(name.dropFirst(prefix.count)).map {
        OlderBuildMark(known: $0, revision: Revision(revision))
      }
    }
    guard let known = marks.map(\.known).min(), let revision = marks.map(\.revision).min() else {
      return nil
    }
    return OlderBuildMark(known: known, revision: revision)
  }

  /// Adds the mark of a build, unless it has left one before.
  func add(chain: Checksum, to connection: Connection) throws(SQLiteError) {
    try connection.run(
      "INSERT OR IGNORE INTO consumer (name, revision, chain) VALUES (?, ?, ?)",
      [.text("\(Self.prefix)\(known)"), .integer(revision.number), .blob(chain.bytes)]
    )
  }

  /// Removes all marks.
  static func removeAll(from connection: Connection) throws(SQLiteError) {
    try connection.execute("DELETE FROM consumer WHERE name LIKE 'strata.older-build.%'")
  }
}
