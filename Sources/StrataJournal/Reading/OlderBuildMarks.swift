import StrataBase
package import StrataSQLite

/// Which builds have opened a store for writing since one did that knows fewer migrations than ran on it.
///
/// What such a build writes does not have the new shape. Each opening holds from its revision to that of the next one.
/// It is a row of the table `consumer`, so the deltas after the first one stay until a newer build has looked through
/// them.
package struct OlderBuildMarks: Equatable {
  /// Who has written the deltas after a mark.
  package enum Writer: Equatable {
    /// A build that knew only so many migrations.
    case olderBuild(knowing: Int)
    /// A build that is not older.
    case currentBuild
    /// A revert has undone the deltas.
    case undone

    /// How many migrations the writer knew; nil if it knew all, or if nothing is there.
    package var known: Int? {
      if case .olderBuild(let known) = self { known } else { nil }
    }
  }

  package struct Opening: Equatable {
    package let writer: Writer
    package let revision: Revision
    let chain: Checksum
  }

  /// The openings by their revisions; no two that follow each other have the same writer.
  package private(set) var openings: [Opening] = []

  package init() {}

  package var isEmpty: Bool { openings.isEmpty }

  /// Whether one of the builds does not know a migration.
  package func hasBuild(without migration: Int) -> Bool {
    openings.contains { ($0.writer.known ?? .max) < migration }
  }

  private static let prefix = "strata.older-build."
  private static let currentBuild = "current"
  private static let undone = "undone"

  /// Reads the marks of a store.
  package static func read(_ connection: Connection) throws -> OlderBuildMarks {
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
      if parts.count == 2, let writer = writer(parts[0]) {
        marks.openings.append(Opening(writer: writer, revision: revision, chain: chain))
      } else if let known = Int(name) {
        // Earlier versions noted each build once, so which of them wrote a record is not known: it may be the oldest.
        let opening = Opening(
          writer: .olderBuild(knowing: known),
          revision: revision,
          chain: chain
        )
        first = first.map { $0.with(opening) } ?? opening
      }
    }
    if let first { marks.openings.append(first) }
    marks.openings.sort { $0.revision < $1.revision }
    return marks
  }

  private static func writer(_ text: Substring) -> Writer? {
    switch String(text) {
    case Self.currentBuild: .currentBuild
    case Self.undone: .undone
    default: Int(text).map { .olderBuild(knowing: $0) }
    }
  }

  /// Notes who writes the deltas after a position.
  ///
  /// Where no older build has left a mark, others leave none either.
  package mutating func add(_ writer: Writer, after position: HeadRecord.Mark) {
    // What follows a mark at the same revision is not of its writer.
    openings.removeAll { $0.revision >= position.revision }
    guard writer.known != nil || !openings.isEmpty else { return }
    if openings.last?.writer == writer { return }
    openings.append(
      Opening(writer: writer, revision: position.revision, chain: position.chain)
    )
  }

  /// The marks of a history that ends at a revision.
  package func through(_ last: Revision) -> OlderBuildMarks {
    var marks = self
    marks.openings.removeAll { $0.revision > last }
    return marks
  }

  /// Replaces the marks of a store, in the caller's transaction.
  package func write(to connection: Connection) throws(SQLiteError) {
    try Self.removeAll(from: connection)
    for opening in openings {
      let writer =
        switch opening.writer {
        case .olderBuild(let known): "\(known)"
        case .currentBuild: Self.currentBuild
        case .undone: Self.undone
        }
      try connection.run(
        "INSERT INTO consumer (name, revision, chain) VALUES (?, ?, ?)",
        [
          .text("\(Self.prefix)\(writer).\(opening.revision)"),
          .integer(opening.revision.number), .blob(opening.chain.bytes),
        ]
      )
    }
  }

  /// Removes all marks.
  package static func removeAll(from connection: Connection) throws(SQLiteError) {
    try connection.execute("DELETE FROM consumer WHERE name LIKE 'strata.older-build.%'")
  }
}

extension OlderBuildMarks.Opening {
  /// The opening of the build that knew less, at the earlier revision.
  fileprivate func with(_ other: Self) -> Self {
    let first = other.revision < revision ? other : self
    let known = [writer.known, other.writer.known].compactMap { $0 }.min() ?? 0
    return Self(
      writer: .olderBuild(knowing: known),
      revision: first.revision,
      chain: first.chain
    )
  }
}
