package import StrataBase
package import StrataSQLite

/// The entities that were erased from a file: the rows of its table `erasure`.
package enum ErasureLedger {
  /// A row: an entity that was erased.
  package struct Entry: Equatable, Sendable {
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

  /// The rows, ordered by number.
  package static func entries(on connection: Connection) throws(SQLiteError) -> [Entry] {
    try HashedTable.erasure.rows("ORDER BY number", on: connection) { row throws(SQLiteError) in
      var rewritten: ClosedRange<Int64>?
      if let first = try row.optionalInt(5), let last = try row.optionalInt(6), first <= last {
        rewritten = first...last
      }
      return Entry(
        number: Int(try row.int(0)),
        table: try row.text(1),
        entity: try MigrationLedger.checksum(2, of: row),
        time: try row.int(3),
        revision: try row.int(4),
        rewritten: rewritten
      )
    }
  }

  /// Adds a row; fails if there is one of its number.
  package static func append(_ entry: Entry, on connection: Connection) throws(SQLiteError) {
    try HashedTable.erasure.insert(
      [
        .integer(Int64(entry.number)), .text(entry.table), .blob(entry.entity.bytes),
        .integer(entry.time), .integer(entry.revision),
        .integer(orNull: entry.rewritten?.lowerBound),
        .integer(orNull: entry.rewritten?.upperBound),
      ],
      on: connection
    )
  }
}

extension ErasureLedger {
  /// How many entities some rows name that others of the same store do not.
  ///
  /// An entity may have been erased several times.
  package static func count(of entries: [Entry], notIn others: [Entry]) -> Int {
    // The hash of an entity is over its table too.
    Set(entries.map(\.entity)).subtracting(others.map(\.entity)).count
  }
}
