package import StrataBase
package import StrataSQLite

/// The entities that were erased from a file: the rows of its table `migration` whose kind is 2.
package enum ErasureLedger {
  /// A row: an entity that was erased.
  package struct Entry: Hashable, Sendable {
    /// 1, 2, 3 … in the order in which they were erased.
    package var number: Int
    package var table: String
    /// A hash of the store's ID, the table and the entity's ID, which are not in the file.
    package var entity: Checksum
    /// When it was erased, in microseconds since 1970.
    package var time: Int64
    /// The last revision at that time.
    package var revision: Int64
    /// The deltas whose hashes were computed again; nil if none of them had the entity.
    package var rewritten: ClosedRange<Int64>?

    package init(
      number: Int,
      table: String,
      entity: Checksum,
      time: Int64,
      revision: Int64,
      rewritten: ClosedRange<Int64>?
    ) {
      self.number = number
      self.table = table
      self.entity = entity
      self.time = time
      self.revision = revision
      self.rewritten = rewritten
    }
  }

  private static let columns = """
    version, name, checksum, applied, revision, replaces_first, replaces_last
    """

  /// The rows, ordered by number; none in a file of format 1.
  package static func entries(on connection: Connection) throws(SQLiteError) -> [Entry] {
    guard try connection.userVersion() > 1 else { return [] }
    let select = "SELECT \(columns) FROM migration WHERE kind = 2 ORDER BY version"
    return try connection.all(select) { row throws(SQLiteError) in
      var rewritten: ClosedRange<Int64>?
      if let first = try row.optionalInt(5), let last = try row.optionalInt(6), first <= last {
        rewritten = first...last
      }
      return Entry(
        number: Int(try row.int(0)),
        table: try row.text(1),
        entity: try MigrationLedger.checksum(2, of: row, select, connection),
        time: try row.int(3),
        revision: try row.optionalInt(4) ?? 0,
        rewritten: rewritten
      )
    }
  }

  /// Adds a row; fails if there is one of its number.
  package static func append(_ entry: Entry, on connection: Connection) throws(SQLiteError) {
    try connection.run(
      "INSERT INTO migration (kind, \(columns), duration) VALUES (2, ?, ?, ?, ?, ?, ?, ?, 0)",
      [
        .integer(Int64(entry.number)), .text(entry.table), .blob(entry.entity.bytes),
        .integer(entry.time), .integer(entry.revision),
        entry.rewritten.map { .integer($0.lowerBound) } ?? .null,
        entry.rewritten.map { .integer($0.upperBound) } ?? .null,
      ]
    )
  }
}
