import StrataBase
import StrataSQLite

/// Which builds have opened a store for writing since one did that knows fewer migrations than ran on it.
///
/// What such a build writes does not have the new shape. Each opening holds from its revision to that of the next one.
/// It is a row of the table `consumer`, so the deltas after the first one stay until a newer build has looked through
/// them.
struct OlderBuildMarks: Equatable {
  struct Opening: Equatable {
    /// How many migrations the build knew; nil where what follows is not of an older build.
    let known: Int?
    let revision: Revision
    let chain: Checksum
  }

  /// The openings by their revisions; no two that follow each other know the same.
  private(set) var openings: [Opening] = []

  var isEmpty: Bool { openings.isEmpty }

  /// Whether one of the builds does not know a migration.
  func hasBuild(without migration: Int) -> Bool {
    openings.contains { ($0.known ?? .max) < migration }
  }

  private static let prefix = "strata.older-build."
  private static let current = "current"

  /// Reads the marks of a store.
  static func read(_ connection: Connection) throws -> OlderBuildMarks {
    let rows = try connection.all(
      "SELECT name, revision, chain FROM consumer WHERE name LIKE 'strata.older-build.%'",
      []
    ) { row in
      (
        String(try row.text(0).dropFirst(prefix.count)),
        try row.revision(1, "the revision of a mark of an older build"),
        try SnapshotStore.checksum(try row.blob(2))
      )
    }
    var marks = OlderBuildMarks()
    var first: Opening?
    for (name, revision, chain) in rows {
      let parts = name.split(separator: ".")
      if parts.count == 2, let known = Int(parts[0]) {
        marks.openings.append(Opening(known: known, revision: revision, chain: chain))
      } else if parts.count == 2, parts[0] == current {
        marks.openings.append(Opening(known: nil, revision: revision, chain: chain))
      } else if let known = Int(name) {
        // Earlier versions noted each build once, so which of them wrote a record is not known: it may be the oldest.
        let opening = Opening(known: known, revision: revision, chain: chain)
        first = first.map { $0.with(opening) } ?? opening
      }
    }
    if let first { marks.openings.append(first) }
    marks.openings.sort { $0.revision < $1.revision }
    return marks
  }

  /// Notes an opening by a build.
  ///
  /// Where no older build has left a mark, a build that is not older leaves none either.
  mutating func add(known: Int?, at position: HeadRecord.Mark) {
    // Nothing was written since an opening at the same revision.
    openings.removeAll { $0.revision >= position.revision }
    guard known != nil || !openings.isEmpty else { return }
    if let last = openings.last, last.known == known { return }
    openings.append(
      Opening(known: known, revision: position.revision, chain: position.chain)
    )
  }

  /// Replaces the marks of a store, in the caller's transaction.
  func write(to connection: Connection) throws(SQLiteError) {
    try Self.removeAll(from: connection)
    for opening in openings {
      let known = opening.known.map { "\($0)" } ?? Self.current
      try connection.run(
        "INSERT INTO consumer (name, revision, chain) VALUES (?, ?, ?)",
        [
          .text("\(Self.prefix)\(known).\(opening.revision)"),
          .integer(opening.revision.number), .blob(opening.chain.bytes),
        ]
      )
    }
  }

  /// Removes all marks.
  static func removeAll(from connection: Connection) throws(SQLiteError) {
    try connection.execute("DELETE FROM consumer WHERE name LIKE 'strata.older-build.%'")
  }
}

extension OlderBuildMarks.Opening {
  /// The opening of the build that knew less, at the earlier revision.
  fileprivate func with(_ other: Self) -> Self {
    let first = other.revision < revision ? other : self
    let known = [known, other.known].compactMap { $0 }.min()
    return Self(known: known, revision: first.revision, chain: first.chain)
  }
}
