package import StrataBase
package import StrataSQLite
import StrataSchema

/// The builds that have opened a store for writing since one of them knew fewer migrations than ran on the
/// store.
///
/// Such a build writes records of the old shape. Each opening is a row of the table `older_build`, and covers
/// the deltas from its revision to that of the next opening. The deltas after the first one stay until a
/// newer build has looked through them.
package struct OlderBuildMarks: Equatable {
  /// Who has written the deltas after a mark.
  package enum Writer: Equatable {
    /// A build that knew only this many migrations.
    case olderBuild(knowing: Int)
    /// A build that is not older.
    case currentBuild
    /// A revert has undone the deltas.
    case undone

    /// How many migrations the writer knew; nil if it knew all, or if its deltas were undone.
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

  /// Reads the marks of a store.
  package static func read(_ connection: Connection) throws -> OlderBuildMarks {
    var marks = OlderBuildMarks()
    marks.openings = try HashedTable.olderBuild.rows("ORDER BY revision", on: connection) { row in
      let number = try row.int(2)
      let writer: Writer
      switch number {
      case 0: writer = .olderBuild(knowing: Int(try row.optionalInt(3) ?? 0))
      case 1: writer = .currentBuild
      case 2: writer = .undone
      default: throw CorruptionError("a mark of an older build has the unknown writer \(number)")
      }
      return Opening(
        writer: writer,
        revision: try row.revision(0, "the revision of a mark of an older build"),
        chain: try SnapshotStore.checksum(try row.blob(1))
      )
    }
    return marks
  }

  /// Notes who writes the deltas after a position.
  ///
  /// Without a mark of an older build, other builds leave none either.
  package mutating func add(_ writer: Writer, after position: HeadRecord.Mark) {
    // A mark at the same revision covers no delta: the new one takes its place.
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

  /// The same marks in a file whose chain is another one.
  ///
  /// - Parameter chain: The chain at a revision there; nil if it has not changed.
  package func rechained(_ chain: (Revision) -> Checksum?) -> OlderBuildMarks {
    var marks = self
    marks.openings = openings.map { opening in
      Opening(
        writer: opening.writer,
        revision: opening.revision,
        chain: chain(opening.revision) ?? opening.chain
      )
    }
    return marks
  }

  /// Replaces the marks of a store, in the caller's transaction.
  package func write(to connection: Connection) throws(SQLiteError) {
    try Self.removeAll(from: connection)
    for opening in openings {
      let number: Int64 =
        switch opening.writer {
        case .olderBuild: 0
        case .currentBuild: 1
        case .undone: 2
        }
      try HashedTable.olderBuild.insert(
        [
          .integer(opening.revision.number), .blob(opening.chain.bytes), .integer(number),
          .integer(orNull: opening.writer.known.map { Int64($0) }),
        ],
        on: connection
      )
    }
  }

  /// Removes all marks.
  package static func removeAll(from connection: Connection) throws(SQLiteError) {
    try connection.execute("DELETE FROM older_build")
  }
}
